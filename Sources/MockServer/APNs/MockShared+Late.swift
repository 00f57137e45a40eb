// What becomes of stored pushes and of starts later on, on record.

import APNs
import Basics
import Devices
import Journal
import Pushes

extension MockShared {
    /// Puts on record what became of a push that had been stored.
    func tell(_ end: LateOutcome, to journal: JournalWriter, at instant: Instant) {
        if let registration = end.registration {
            let note = ReachNote(
                message: end.push, registration: registration, outcome: end.outcome, reason: end.reason?.words)
            return journal.append(note, at: instant)
        }
        late.add(end)
        journal.append(lateOutcome: end.outcome, of: end.push, at: instant)
        reasons.set(end.reason, of: end.push)
        if let reason = end.reason { journal.append(reason: reason, of: end.push, at: instant) }
        if let start = end.start { listen(start, push: end.push, journal, at: instant) }
    }

    /// Lets the activity of a delivered start listen to the channel that the push names, and puts that on record.
    func listen(_ start: ChannelStart, push: UInt64, _ journal: JournalWriter, at instant: Instant) {
        var note: JSONObject = [
            "act": "started", "push": .integer(Int64(push)),
            "channel": start.channel.map { .string($0.text) } ?? .null,
        ]
        switch channels.listen(start, devices: devices, now: clock.wall()) {
        case .listening(let token, let stored):
            note["activity"] = .string(token)
            note["outcome"] = stored.map { .string($0.word.description) } ?? .null
        case .noSuchChannel: note["failure"] = "no-such-channel"
        case .full: note["failure"] = "full"
        }
        journal.append(note: .broadcast, text: JSONValue.object(note).text, at: instant)
    }
}

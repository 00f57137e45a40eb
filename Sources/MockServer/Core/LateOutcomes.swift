// What became of pushes that were stored for a device, by the id of their record: so that a question about a push also
// tells how it ended. The journal has all of it; here stand the latest.

import APNs
import Basics
import Devices
import Journal
import Pushes
import Synchronization

/// Safe to use from any thread.
final class LateOutcomes: Sendable {
    /// About 4 MB at most.
    static let limit = 65_536

    private struct State {
        var words: [UInt64: Outcome] = [:]
        /// A ring of the ids, oldest at `next` once it is full.
        var ids: [UInt64] = []
        var next = 0
    }

    private let state = Mutex(State())

    func add(_ late: LateOutcome) {
        state.withLock { state in
            guard state.words.updateValue(late.outcome, forKey: late.push) == nil else { return }
            if state.ids.count < Self.limit {
                state.ids.append(late.push)
            } else {
                state.words[state.ids[state.next]] = nil
                state.ids[state.next] = late.push
                state.next = (state.next + 1) % Self.limit
            }
        }
    }

    subscript(push: UInt64) -> Outcome? { state.withLock { $0.words[push] } }
}

extension MockShared {
    /// Puts on record what became of a push that had been stored.
    func tell(_ end: LateOutcome, to journal: JournalWriter, at instant: Instant) {
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

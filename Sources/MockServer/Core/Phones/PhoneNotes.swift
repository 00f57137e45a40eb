// What the journal and the admin side are told of phones: each event, and why a push became what it did.
//
//     {"push": 7, "reason": "older than the start"}
//     {"event": 3, "kind": "token", "at": "…", "phone": "p", "app": "…", "activity": 1, "token": "…", "marker": "…"}

import Basics
import Devices
import Journal
import Pushes
import Synchronization

/// Why phones did with pushes what they did, by the ids of the pushes' records; the latest. Safe to use from any thread.
final class OutcomeReasons: Sendable {
    /// About 8 MB at most.
    static let limit = 65_536

    private struct State {
        var words: [UInt64: PhoneReason] = [:]
        /// A ring of the ids, oldest at `next` once it is full.
        var ids: [UInt64] = []
        var next = 0
    }

    private let state = Mutex(State())

    /// Nil takes the place of an earlier one too: what was stored has been delivered since.
    func set(_ reason: PhoneReason?, of push: UInt64) {
        state.withLock { state in
            guard state.words[push] == nil else { return state.words[push] = reason }
            guard let reason else { return }
            state.words[push] = reason
            if state.ids.count < Self.limit {
                state.ids.append(push)
            } else {
                state.words[state.ids[state.next]] = nil
                state.ids[state.next] = push
                state.next = (state.next + 1) % Self.limit
            }
        }
    }

    subscript(push: UInt64) -> PhoneReason? { state.withLock { $0.words[push] } }
}

/// How far the journal has the phones' events.
final class PhoneNotes: Sendable {
    private let told = Atomic<UInt64>(0)
    private let turn = Mutex(())

    /// Puts the events on record that are not yet; true: there were some.
    func tell(_ feed: PhoneFeed, to journal: JournalWriter, at instant: Instant) -> Bool {
        guard feed.last > told.load(ordering: .relaxed) else { return false }
        return turn.withLock { _ in
            var hasTold = false
            while true {
                let page = feed.events(after: told.load(ordering: .relaxed), limit: 1_000)
                if page.missed > 0 {
                    let text: JSONValue = ["missed": .integer(Int64(page.missed))]
                    journal.append(note: .phone, text: text.text, at: instant)
                }
                guard !page.events.isEmpty else { return hasTold }
                for event in page.events { journal.append(note: .phone, text: event.json.text, at: instant) }
                told.store(page.next, ordering: .relaxed)
                hasTold = true
            }
        }
    }
}

extension JournalWriter {
    /// Puts on record why a phone did what it did with a push.
    func append(reason: PhoneReason, of push: UInt64, at instant: Instant) {
        let text: JSONValue = ["push": .integer(Int64(push)), "reason": .string(reason.words)]
        append(note: .phone, text: text.text, at: instant)
    }
}

extension PhoneEvent {
    /// Shape: docs/openapi.yaml, `PhoneEvent`, with `event` for its number.
    var json: JSONValue {
        [
            "event": .integer(Int64(clamping: number)), "kind": .string(kind.word.description), "at": .string(at.iso8601),
            "phone": .string(phone), "app": .string(app), "activity": .integer(Int64(activity)),
            "token": token.map(JSONValue.string) ?? .null, "marker": marker.map { .string($0.text) } ?? .null,
        ]
    }
}

// What became of pushes that were stored for a device, by the id of their record: so that a question about a push also
// tells how it ended. The journal has all of it; here stand the latest.

import Devices
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

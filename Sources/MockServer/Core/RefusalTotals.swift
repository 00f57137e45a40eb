// How often peers were refused for a broken limit, by listener and kind. Refusals are rare or an attack; either way a lock
// costs less than the refusal.

import Basics
import Net
import Synchronization

final class RefusalTotals: Sendable {
    private let counts = Mutex([Int](repeating: 0, count: Refusal.allCases.count))

    /// From any thread.
    func add(_ refusal: Refusal, times: Int) { counts.withLock { $0[refusal.rawValue] += times } }

    /// Kinds that occurred, with their word.
    var byKind: [String: Int] {
        let counts = counts.withLock { $0 }
        var table: [String: Int] = [:]
        for refusal in Refusal.allCases where counts[refusal.rawValue] > 0 {
            table[refusal.word.description] = counts[refusal.rawValue]
        }
        return table
    }
}

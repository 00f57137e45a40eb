// When accounts are over.

import Basics

/// Accounts by the instant at which they are over: a binary heap.
struct ClosingQueue {
    private var heap: [(at: Instant, account: UInt32)] = []

    mutating func add(_ account: UInt32, at instant: Instant) {
        heap.append((instant, account))
        var child = heap.count - 1
        while child > 0, case let parent = (child - 1) / 2, heap[child].at < heap[parent].at {
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the first that is over before `instant`.
    mutating func next(before instant: Instant) -> UInt32? {
        guard let first = heap.first, first.at < instant else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].at < heap[least].at {
                least = child
            }
            guard least != parent else { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return first.account
    }
}

// What is due when: a binary heap, so that thousands of sessions cost one timer of the loop.

import Basics

/// Items by instant; items of the same instant in the order in which they were added. Nothing is ever taken out of
/// the middle: whoever adds an item checks, when it is due, whether it still means anything.
struct Deadlines<Item> {
    private struct Entry {
        var at: Instant
        var order: UInt64
        var item: Item

        func precedes(_ other: Entry) -> Bool { at == other.at ? order < other.order : at < other.at }
    }

    private var heap: [Entry] = []
    private var nextOrder: UInt64 = 0

    var next: Instant? { heap.first?.at }
    var count: Int { heap.count }

    mutating func add(_ item: Item, at instant: Instant) {
        heap.append(Entry(at: instant, order: nextOrder, item: item))
        nextOrder += 1
        var index = heap.count - 1
        while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// The earliest item that is due at `now`.
    mutating func takeDue(at now: Instant) -> Item? {
        guard let first = heap.first, first.at <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.item }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            guard least != index else { return first.item }
            heap.swapAt(index, least)
            index = least
        }
    }
}

extension Instant {
    /// Before everything, and yet far enough from the edge to be subtracted.
    static let longAgo = Instant(nanoseconds: .min / 4)
}

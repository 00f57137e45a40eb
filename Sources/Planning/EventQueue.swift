// Rows in order of time: a heap with four children a node, so that a million waiting sessions are ten levels deep and
// each level is one line of the cache.

package struct EventQueue {
    package struct Entry {
        /// Nanoseconds, of whatever clock the owner means.
        var time: Int64
        var row: UInt32
    }

    private var heap: [Entry] = []

    /// Rooms for so many entries are set aside at once; memory is taken only as they fill.
    package init(capacity: Int = 0) { heap.reserveCapacity(capacity) }

    package var count: Int { heap.count }
    package var isEmpty: Bool { heap.isEmpty }
    package var top: Entry? { heap.first }

    package mutating func push(_ time: Int64, _ row: UInt32) {
        let entry = Entry(time: time, row: row)
        heap.append(entry)
        heap.withUnsafeMutableBufferPointer { heap in
            var index = heap.count - 1
            while index > 0 {
                let parent = (index - 1) / 4
                guard time < heap[parent].time else { break }
                heap[index] = heap[parent]
                index = parent
            }
            heap[index] = entry
        }
    }

    package mutating func pop() {
        let last = heap.removeLast()
        if !heap.isEmpty { sink(last) }
    }

    /// The top entry again, at a later time: half the work of a pop and a push.
    mutating func replaceTop(time: Int64) { sink(Entry(time: time, row: heap[0].row)) }

    private mutating func sink(_ entry: Entry) {
        heap.withUnsafeMutableBufferPointer { heap in
            var index = 0
            while true {
                let first = 4 * index + 1
                guard first < heap.count else { break }
                var least = first
                for child in first + 1..<max(first + 1, min(first + 4, heap.count))
                where heap[child].time < heap[least].time {
                    least = child
                }
                guard heap[least].time < entry.time else { break }
                heap[index] = heap[least]
                index = least
            }
            heap[index] = entry
        }
    }
}

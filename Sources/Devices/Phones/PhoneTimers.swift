// What is due on a shard's phones: a heap of instants.

import Basics

struct PhoneTimer {
    enum Kind: UInt32 {
        /// The app is woken and learns its activity's token.
        case wake
        /// The activity has reached its age.
        case age
        /// The activity's first token is replaced.
        case rotate
    }

    var at: WallTime
    var card: Int32
    private var bits: UInt32

    init(_ kind: Kind, at: WallTime, card: Int32, serial: UInt32) {
        (self.at, self.card) = (at, card)
        bits = serial << 2 | kind.rawValue
    }

    var kind: Kind { Kind(rawValue: bits & 3)! }
    var serial: UInt32 { bits >> 2 }

    /// Serials are cut to what a timer holds.
    static let serialMask: UInt32 = .max >> 2
}

struct PhoneTimers {
    private var heap: [PhoneTimer] = []

    var next: WallTime? { heap.first?.at }

    mutating func add(_ timer: PhoneTimer) {
        heap.append(timer)
        var place = heap.count - 1
        while place > 0, heap[place].at < heap[(place - 1) / 2].at {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// The earliest, if it is due by `now`.
    mutating func take(by now: WallTime) -> PhoneTimer? {
        guard let first = heap.first, first.at <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child].at < heap[least].at {
                least = child
            }
            if least == place { return first }
            heap.swapAt(place, least)
            place = least
        }
    }
}

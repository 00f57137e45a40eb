// A queue that gives and takes at its ends without moving its content.

struct Ring<Element> {
    private var slots: [Element?]
    private var head = 0
    private(set) var count = 0

    init(capacity: Int = 16) { slots = Array(repeating: nil, count: max(1, capacity)) }

    var isEmpty: Bool { count == 0 }
    var first: Element? { slots[head] }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head + count) % slots.count] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head]
        slots[head] = nil
        head = (head + 1) % slots.count
        count -= 1
        return element
    }

    private mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(slots.count * 2)
        for offset in 0..<count { larger.append(slots[(head + offset) % slots.count]) }
        larger.append(contentsOf: repeatElement(nil, count: slots.count * 2 - count))
        slots = larger
        head = 0
    }
}

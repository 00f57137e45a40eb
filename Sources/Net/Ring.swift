// A queue that gives and takes at its ends without moving its content, nor counting references on the way.

struct Ring<Element>: ~Copyable {
    private var slots: UnsafeMutablePointer<Element>
    /// A power of two.
    private var capacity = 16
    private var head = 0
    private(set) var count = 0

    init() { slots = .allocate(capacity: capacity) }

    deinit {
        for offset in 0..<count { slot(offset).deinitialize(count: 1) }
        slots.deallocate()
    }

    var isEmpty: Bool { count == 0 }
    var first: Element? { count > 0 ? slots[head] : nil }

    mutating func append(_ element: consuming Element) {
        if count == capacity { grow() }
        slot(count).initialize(to: element)
        count += 1
    }

    /// Puts an element ahead of all others.
    mutating func prepend(_ element: consuming Element) {
        if count == capacity { grow() }
        head = (head + capacity - 1) & (capacity - 1)
        count += 1
        slot(0).initialize(to: element)
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = (slots + head).move()
        head = (head + 1) & (capacity - 1)
        count -= 1
        return element
    }

    private func slot(_ offset: Int) -> UnsafeMutablePointer<Element> { slots + ((head + offset) & (capacity - 1)) }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity)
        for offset in 0..<count { (larger + offset).moveInitialize(from: slot(offset), count: 1) }
        slots.deallocate()
        slots = larger
        capacity *= 2
        head = 0
    }
}

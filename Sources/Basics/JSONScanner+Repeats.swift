// Documents with a key twice in one object, for readers that take them and let the last one count.

extension JSONScanner {
    /// Takes out of every object the members whose key comes again in it: who walks through it, or asks for a member, finds the
    /// last alone. What is nested in a dropped one goes with it. The text keeps all of them. Costs nothing where no key is
    /// repeated; not for the data path where one is.
    package func dropRepeatedMembers() {
        guard hasRepeatedKeys else { return }
        hasRepeatedKeys = false
        for index in 0..<nodeCount where nodes[index].kind == .object { keepLast(of: nodes + index) }
    }

    private func keepLast(of object: UnsafeMutablePointer<JSONNode>) {
        // By bytes: texts compare equal that are spelled in different ways.
        var last: [[UInt8]: Int32] = [:]
        var child = object.pointee.firstChild
        while child >= 0 {
            last[bytesOfKey(child)] = child
            child = nodes[Int(child)].next
        }
        guard last.count < Int(object.pointee.childCount) else { return }
        child = object.pointee.firstChild
        object.pointee.childCount = Int32(truncatingIfNeeded: last.count)
        var previous: Int32 = -1
        while child >= 0 {
            let next = nodes[Int(child)].next
            if last[bytesOfKey(child)] == child {
                if previous < 0 { object.pointee.firstChild = child } else { nodes[Int(previous)].next = child }
                nodes[Int(child)].next = -1
                previous = child
            }
            child = next
        }
    }

    private func bytesOfKey(_ node: Int32) -> [UInt8] { Array((key(Int(node)) ?? "").utf8) }
}

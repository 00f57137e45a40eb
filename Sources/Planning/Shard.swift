// Which sessions of a plan are played: all, one part of several, or those of some users.

/// One part of a plan dealt over several machines. Whole users are dealt in turn, so no token is known to two shards.
package struct Shard: Hashable, Sendable {
    /// `0..<count`.
    package let index: Int
    package let count: Int
    /// Numbers of the only users of it that are played, rising; nil: all. Users have numbers over all shards.
    package let users: [Int]?

    package static let whole = Shard(index: 0, count: 1)

    package init(index: Int, count: Int, users: [Int]? = nil) {
        precondition(count > 0 && index >= 0 && index < count, "a shard is i of n with 0 <= i < n")
        self.index = index
        self.count = count
        self.users = users?.filter { $0 % count == index }
    }

    /// How many of `total` items, dealt in groups of `size`, are this shard's.
    func share(of total: Int, inGroupsOf size: Int) -> Int {
        if let users { return users.reduce(0) { $0 + max(0, min(size, total - $1 * size)) } }
        let round = count * size
        return total / round * size + max(0, min(size, total % round - index * size))
    }

    /// Which item is this shard's `position`-th.
    func number(at position: Int, inGroupsOf size: Int) -> Int {
        let user = users.map { $0[position / size] } ?? position / size * count + index
        return user * size + position % size
    }

    /// What `number(at:inGroupsOf:)` makes of the item; nil: it is not this shard's.
    func position(of number: Int, inGroupsOf size: Int) -> Int? {
        let user = number / size
        guard let users else { return user % count == index ? user / count * size + number % size : nil }
        var (low, high) = (0, users.count)
        while low < high {
            let middle = (low + high) / 2
            if users[middle] < user { low = middle + 1 } else { high = middle }
        }
        return low < users.count && users[low] == user ? low * size + number % size : nil
    }
}

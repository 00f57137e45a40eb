// Where pushes are not as their calls declare: each set of them once, known by its number.

package import Pushes

package struct Deviations: Sendable {
    private var numbers: [[PushDeviation]: Int32] = [:]
    private var list: [[PushDeviation]] = []
    /// Sets beyond these are the last one, so that a relay that is wrong each time anew does not fill memory.
    private static let most = 10_000

    package init() {}

    package subscript(number: Int32) -> [PushDeviation] { number < 0 ? [] : list[Int(number)] }

    /// -1 for none.
    package mutating func number(of deviations: [PushDeviation]) -> Int32 {
        if deviations.isEmpty { return -1 }
        if let known = numbers[deviations] { return known }
        guard list.count < Self.most else { return Int32(list.count - 1) }
        let number = Int32(list.count)
        list.append(deviations)
        numbers[deviations] = number
        return number
    }
}

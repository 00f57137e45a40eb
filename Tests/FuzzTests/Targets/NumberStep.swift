// A fuzzer turns bytes, and hardly ever writes the seven digits that lie just beyond a bound. This mutation does: it moves a
// number of a text to near a bound of the target, or to near another number of the text.

import Basics

struct NumberStep {
    /// Where readers of any text may change their mind: nothing, and what 31, 32, 53 and 63 bits hold.
    static let bounds: [Int64] = [0, 1 << 31, 1 << 32, 1 << 53, .max]
    /// What is near: so many bits away, at most.
    static let nearBits = 16

    private struct Number {
        /// With the sign before it.
        let place: Range<Int>
        let value: Int64
    }

    private let bounds: [Int64]
    private var chance: Generator

    init(near bounds: [Int64], seed: Seed) {
        self.bounds = bounds + Self.bounds
        chance = seed.generator()
    }

    /// The text with a number moved, alone or, as times want to be, together with those near it; nil if it has none.
    mutating func step(in text: Span<UInt8>) -> [UInt8]? {
        let numbers = Self.numbers(of: text)
        guard let chosen = numbers.randomElement(using: &chance), let anchor = anchor(of: numbers) else { return nil }
        // Short steps as often as long ones.
        let bits = Int.random(in: 0...Self.nearBits, using: &chance)
        let way = anchor &+ Int64.random(in: -(1 << bits)...(1 << bits), using: &chance) &- chosen.value
        let isAlone = Bool.random(using: &chance)
        let bytes = text.array
        var stepped: [UInt8] = []
        var end = 0
        for number in numbers {
            let isMoved = number.place == chosen.place || !isAlone && Self.areNear(number.value, chosen.value)
            guard isMoved else { continue }
            stepped += bytes[end..<number.place.lowerBound] + Array(String(number.value &+ way).utf8)
            end = number.place.upperBound
        }
        return stepped + bytes[end...]
    }

    private mutating func anchor(of numbers: [Number]) -> Int64? {
        Bool.random(using: &chance) ? bounds.randomElement(using: &chance) : numbers.randomElement(using: &chance)?.value
    }

    private static func areNear(_ one: Int64, _ other: Int64) -> Bool {
        let (way, isTooFar) = one.subtractingReportingOverflow(other)
        return !isTooFar && way.magnitude <= 1 << nearBits
    }

    private static func numbers(of text: Span<UInt8>) -> [Number] {
        var numbers: [Number] = []
        var start: Int?
        for index in 0...text.count {
            let isDigit = index < text.count && 48...57 ~= text[index]
            if isDigit, start == nil { start = index > 0 && text[index - 1] == 45 ? index - 1 : index }
            guard !isDigit, let first = start else { continue }
            numbers.append(Number(place: first..<index, value: Int64(text.extracting(first..<index).text) ?? .max))
            start = nil
        }
        return numbers
    }
}

// Distributions as files write them: `5s`, `{ uniform: [1s, 2s] }`, `{ exponential: 5s }`,
// `{ logNormal: { median: 3m, p95: 25m } }`, `{ file: dwell.csv }`; of durations (in seconds) or of counts.

import Basics
import YAML

extension Fields {
    enum Quantity {
        case duration, count

        var example: String {
            switch self {
            case .duration: "a duration such as `5s`, or `{ uniform: [4s, 6s] }`"
            case .count: "a number such as `5`, or `{ uniform: [3, 8] }`"
            }
        }
    }

    /// Seconds, or a number of things up to a million. `files`: where measured values are found.
    func distribution(
        _ key: String, of quantity: Quantity, atMost longest: Interval = Self.longest, _ files: FileFinder
    ) -> Distribution? {
        guard let node = value(key) else { return nil }
        func amount(_ node: YAMLNode, named key: String, _ quantity: Quantity, aboveZero: Bool = false) -> Double? {
            self.amount(node, named: key, quantity, atMost: longest, aboveZero: aboveZero)
        }
        guard case .mapping(let entries) = node.content else {
            return amount(node, named: key, quantity).map { .constant($0) }
        }
        guard let fields = Fields(node, .distribution, mistakes) else { return nil }
        guard entries.count == 1 else {
            mistakes.add(
                "`\(key)` must name one distribution", hint: "one of uniform, exponential, logNormal, file", at: node.place)
            return nil
        }
        if let uniform = fields.value("uniform") {
            guard case .sequence(let ends) = uniform.content, ends.count == 2 else {
                fields.wrong("uniform", uniform, "a list of two")
                return nil
            }
            guard let low = amount(ends[0], named: "uniform", quantity),
                let high = amount(ends[1], named: "uniform", quantity)
            else { return nil }
            guard low <= high else {
                mistakes.add(
                    "the first end of `uniform` must not exceed the second", hint: "swap them", at: uniform.place)
                return nil
            }
            return .uniform(low, high)
        }
        if let mean = fields.value("exponential") {
            return amount(mean, named: "exponential", quantity, aboveZero: true).map { .exponential(mean: $0) }
        }
        if let node = fields.value("logNormal"), let fields = Fields(node, .logNormal, mistakes) {
            guard let medianNode = fields.value("median"), let highNode = fields.value("p95"),
                let median = amount(medianNode, named: "median", quantity, aboveZero: true),
                let high = amount(highNode, named: "p95", quantity, aboveZero: true)
            else { return nil }
            guard high >= median else {
                mistakes.add(
                    "`p95` must not be less than `median`", hint: "such as `{ median: 3m, p95: 25m }`",
                    at: highNode.place)
                return nil
            }
            return .logNormal(median: median, p95: high)
        }
        if let node = fields.value("file") {
            return measured(node, quantity, atMost: longest, files).map { .measured($0) }
        }
        return nil
    }

    private func measured(
        _ node: YAMLNode, _ quantity: Quantity, atMost longest: Interval, _ files: FileFinder
    ) -> MeasuredValues? {
        let reader = MeasuredReader(quantity: quantity, longest: longest)
        return files.data(
            node, key: "file", kind: "\(quantity) up to \(longest.nanoseconds)", example: "dwell.csv", mistakes, reader.values)
    }

    private func amount(
        _ node: YAMLNode, named key: String, _ quantity: Quantity, atMost longest: Interval, aboveZero: Bool
    ) -> Double? {
        var amount: Double?
        if case .scalar(let text, _) = node.content {
            switch quantity {
            case .duration: amount = Interval(parsing: text)?.seconds
            case .count: amount = node.plainValue?.double
            }
        }
        let most = quantity == .duration ? longest.seconds : 1_000_000
        guard let amount, amount >= 0, amount <= most, amount > 0 || !aboveZero else {
            let bound = longest < Self.longest ? " of at most \(longest)" : ""
            let words = quantity == .duration ? "a duration" + bound : "a number from 0 to 1000000"
            mistakes.add(
                "`\(key)` must be \(words)\(aboveZero ? " greater than 0" : ""), not \(node.kindInWords)",
                hint: "write \(quantity.example)", at: node.place)
            return nil
        }
        return amount
    }
}

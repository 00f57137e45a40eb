// `{"delay": "200ms"}`, `{"delay": {"uniform": ["10ms", "50ms"]}}`, `{"delay": {"exponential": "50ms"}}`,
// `{"delay": {"normal": {"mean": "100ms", "deviation": "20ms"}}}` or
// `{"delay": {"logNormal": {"median": "100ms", "p95": "500ms"}}}`: the right answer, later.

package import Basics

/// No answer is later than this.
let longestDelay = Interval.seconds(24 * 3600)

extension ActionRow {
    static let delay = ActionRow(
        2, "delay", "Gives the right answer later.",
        """
        One duration, or a distribution drawn for each push: {"uniform": ["10ms", "50ms"]}, {"exponential": "50ms"},
        {"normal": {"mean": "100ms", "deviation": "20ms"}} (cut off at 0), {"logNormal": {"median": "100ms",
        "p95": "500ms"}}. At most 24 hours.
        """,
        example: #""200ms""#,
        rule: #"{"action": {"delay": {"logNormal": {"median": "100ms", "p95": "500ms"}}}}"#,
        keys: Distribution.shapes,
        fate: { _, _ in .processed }
    ) { value, pointer, _ throws(FaultRuleError) in
        .delay(try Distribution(durations: value, at: pointer))
    } write: { action in
        guard case .delay(let distribution) = action else { return nil }
        return distribution.durations
    }
}

extension Distribution {
    static let shapes = ["uniform", "exponential", "normal", "logNormal"]

    /// As it is read: one duration, or an object with the shape's name. Of measured values only how many they are and what they
    /// come to; that is not read.
    package var durations: JSONValue {
        switch self {
        case .constant(let seconds): Self.text(seconds)
        case .uniform(let low, let high): ["uniform": [Self.text(low), Self.text(high)]]
        case .exponential(let mean): ["exponential": Self.text(mean)]
        case .normal(let mean, let deviation): ["normal": ["mean": Self.text(mean), "deviation": Self.text(deviation)]]
        case .logNormal(let median, let p95): ["logNormal": ["median": Self.text(median), "p95": Self.text(p95)]]
        case .measured(let values, _): ["measured": ["values": .integer(Int64(values.values.count)), "mean": Self.text(mean)]]
        }
    }

    private static func text(_ seconds: Double) -> JSONValue { .string(Interval.seconds(seconds).exactText) }

    /// One duration of at most 24 hours, or a distribution of such.
    package init(durations value: JSONValue, at pointer: String) throws(FaultRuleError) {
        self = try Self.read(value, pointer)
    }

    private static func read(_ value: JSONValue, _ pointer: String) throws(FaultRuleError) -> Distribution {
        guard value.object != nil else { return .constant(try seconds(value, pointer)) }
        let object = try ObjectReader(value, at: pointer, keys: shapes)
        let wrong = FaultRuleError(
            pointer: pointer, message: "a delay is one duration or one distribution",
            hint: #"such as "200ms", {"uniform": ["10ms", "50ms"]}, {"exponential": "50ms"}"#)
        guard object.count == 1 else { throw wrong }
        if let value = object["exponential"] {
            let mean = try seconds(value, object.pointer("exponential"))
            guard mean > 0 else { throw object.error("exponential", "a mean is greater than 0") }
            return .exponential(mean: mean)
        }
        if let bounds = object["uniform"] {
            let pointer = object.pointer("uniform")
            guard let array = bounds.array, array.count == 2 else {
                throw object.error("uniform", "uniform has two bounds", hint: #"such as ["10ms", "50ms"]"#)
            }
            let low = try seconds(array[0], pointer + "/0")
            let high = try seconds(array[1], pointer + "/1")
            guard low <= high else { throw object.error("uniform", "the first bound is the lower one") }
            return .uniform(low, high)
        }
        if let shape = object["normal"] {
            let place = object.pointer("normal")
            let parts = try ObjectReader(shape, at: place, keys: ["mean", "deviation"])
            guard let mean = parts["mean"], let deviation = parts["deviation"] else {
                throw object.error("normal", "normal has a mean and a deviation")
            }
            return .normal(
                mean: try seconds(mean, place + "/mean"), deviation: try seconds(deviation, place + "/deviation"))
        }
        guard let shape = object["logNormal"] else { throw wrong }
        let place = object.pointer("logNormal")
        let parts = try ObjectReader(shape, at: place, keys: ["median", "p95"])
        guard let median = parts["median"], let p95 = parts["p95"] else {
            throw object.error("logNormal", "logNormal has a median and a p95")
        }
        let (middle, high) = (try seconds(median, place + "/median"), try seconds(p95, place + "/p95"))
        guard middle > 0, high >= middle else {
            throw object.error("logNormal", "the median is greater than 0 and the p95 at least the median")
        }
        return .logNormal(median: middle, p95: high)
    }

    private static func seconds(_ value: JSONValue, _ pointer: String) throws(FaultRuleError) -> Double {
        guard let text = value.string, let interval = Interval(parsing: text), interval <= longestDelay else {
            throw FaultRuleError(
                pointer: pointer, message: "this is no duration of at most 24 hours", hint: #"write it as "200ms""#)
        }
        return interval.seconds
    }
}

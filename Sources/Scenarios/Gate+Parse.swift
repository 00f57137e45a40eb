// Reading a gate: `metric comparison threshold`.

package import Basics

extension Gate {
    /// Reads `delivery.complete.p99 < 2s`, `lost == 0`, `late.rate <= 1%`. `kinds`: the calls of the profile that
    /// gates may name; nil: any word is taken for one. The failure has no place.
    package init(parsing text: String, kinds: [String]? = nil) throws(Failure) {
        func failure(_ message: String, _ hint: String) -> Failure {
            Failure(.usage, "bad gate `\(text)`: \(message)", hint: hint)
        }
        let usage = "such as `delivery.p99 < 2s` or `lost == 0`"
        guard let start = text.firstIndex(where: { "<>=!".contains($0) }) else {
            throw failure("it has no comparison", usage)
        }
        let sign = text[start...].prefix { "<>=!".contains($0) }
        guard let comparison = GateComparison(rawValue: String(sign)) else {
            let signs = GateComparison.allCases.map(\.rawValue).joined(separator: " ")
            throw failure("`\(sign)` is no comparison", sign == "=" ? "write `==`" : "one of \(signs)")
        }
        let metric = String(text[..<start].trimmed)
        let right = String(text[sign.endIndex...].trimmed)
        guard !metric.isEmpty, !right.isEmpty else { throw failure("it lacks one side", usage) }
        let measure: GateMeasure
        do {
            measure = try GateMeasure(parsing: metric, kinds: kinds)
        } catch {
            throw failure(error.message, error.hint ?? usage)
        }
        guard let threshold = measure.threshold(right) else {
            throw failure("`\(right)` is not \(measure.unitInWords)", usage)
        }
        self.init(text: text, metric: metric, measure: measure, comparison: comparison, threshold: threshold)
        guard !holdsAlways else { throw failure("it can never fail", "turn the comparison, or strike the gate") }
    }

    /// Nothing that is measured is below zero, growth apart, and no share is above one.
    private var holdsAlways: Bool {
        if measure == .relay(.memoryGrowth) || measure == .backlogSlope { return false }
        switch comparison {
        case .greaterOrEqual: return threshold <= 0
        case .greater, .notEqual: return threshold < 0
        case .lessOrEqual: return measure.isShare && threshold >= 1
        case .less: return measure.isShare && threshold > 1
        case .equal: return false
        }
    }
}

extension GateMeasure {
    /// Words that no call may have as its name.
    package static let reservedWords: Set<String> = Set(
        (Latency.allCases.map(\.rawValue) + DeliveryClass.allCases.map(\.rawValue)
            + Statistic.allCases.map(\.rawValue)
            + [
                "rate", "relay", "events", "pushes", "laststate", "missing", "dead", "pushesafter", "errors", "sessions",
                "peak", "backlog", "slope",
            ]))

    static let single: KeyValuePairs<String, GateMeasure> = [
        "events.rate": .eventRate, "pushes.rate": .pushRate, "laststate.missing": .lastStateMissing,
        "dead.pushesafter": .deadPushesAfter, "errors.rate": .errorRate, "sessions.peak": .peakSessions,
        "backlog.slope": .backlogSlope,
    ]

    /// `delivery.p99`, `delivery.complete.p99`, `complete.delivery.p99`, `lost`, `complete.lost.rate`, `events.rate`…;
    /// words other than kinds in any case.
    package init(parsing metric: String, kinds: [String]?) throws(Failure) {
        if let relay = Relay(rawValue: metric.lowercased()) {
            self = .relay(relay)
            return
        }
        if let known = Self.single.first(where: { $0.key == metric.lowercased() }) {
            self = known.value
            return
        }
        var words = metric.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        func isHead(_ word: String) -> Bool {
            Latency(rawValue: word.lowercased()) != nil || DeliveryClass(rawValue: word.lowercased()) != nil
        }
        guard let headIndex = words.firstIndex(where: isHead) else {
            throw Self.unknown(metric, kinds)
        }
        let head = words.remove(at: headIndex).lowercased()
        var statistic: String?
        if let last = words.last?.lowercased(), last == "rate" || Statistic(rawValue: last) != nil {
            statistic = last
            words.removeLast()
        }
        if statistic == nil, Latency(rawValue: head) != nil, let last = words.last, Self.isPercentile(last) {
            let all = Statistic.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(.usage, "there is no statistic `\(last)`", hint: "known: \(all)")
        }
        guard words.count <= 1 else { throw Self.unknown(metric, kinds) }
        if let kind = words.first, let kinds, !kinds.contains(kind) {
            throw Failure(.usage, "there is no call `\(kind)` with pushes", hint: suggestion(for: kind, in: kinds))
        }
        if let latency = Latency(rawValue: head) {
            guard let statistic = statistic.flatMap({ Statistic(rawValue: $0) }) else {
                let all = Statistic.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failure(.usage, "`\(head)` needs a statistic", hint: "such as `\(head).p99`; known: \(all)")
            }
            guard latency == .delivery || words.isEmpty else {
                throw Failure(.usage, "`\(head)` is not known by call", hint: "only `delivery` is")
            }
            self = .latency(latency, kind: words.first, statistic)
        } else {
            guard statistic == nil || statistic == "rate" || statistic == "count" else {
                throw Failure(.usage, "`\(head)` is a count", hint: "`\(head)` or `\(head).rate`")
            }
            self = .deliveries(DeliveryClass(rawValue: head)!, kind: words.first, isRate: statistic == "rate")
        }
    }

    var isShare: Bool {
        switch self {
        case .deliveries(_, _, let isRate): isRate
        case .errorRate: true
        default: false
        }
    }

    private static func isPercentile(_ word: String) -> Bool {
        word.count > 1 && word.lowercased().hasPrefix("p") && word.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }

    private static func unknown(_ metric: String, _ kinds: [String]?) -> Failure {
        let latencies = Latency.allCases.map { $0.rawValue + ".p99" }
        let known = latencies + DeliveryClass.allCases.map(\.rawValue) + single.map(\.key)
            + Relay.allCases.map(\.rawValue)
        return Failure(.usage, "unknown metric `\(metric)`", hint: suggestion(for: metric, in: known))
    }

    private var unit: Unit {
        switch self {
        case .latency(_, _, .count), .lastStateMissing, .deadPushesAfter, .peakSessions: .count
        case .latency: .duration
        case .deliveries(_, _, let isRate): isRate ? .share : .count
        case .eventRate, .pushRate: .perSecond
        case .backlogSlope: .number
        case .errorRate: .share
        case .relay(.memoryPeak), .relay(.memoryGrowth): .bytes
        case .relay(.descriptors): .count
        case .relay(.processor): .number
        }
    }

    private enum Unit { case duration, count, share, perSecond, bytes, number }

    package var unitInWords: String {
        switch unit {
        case .duration: "a duration with its unit"
        case .count: "a whole number"
        case .share: "a percentage such as 1%, or a number from 0 to 1"
        case .perSecond: "a number per second, such as 500"
        case .bytes: "a size such as 200MB or 500B"
        case .number: "a number such as 0.5"
        }
    }

    func threshold(_ text: String) -> Double? {
        switch unit {
        case .duration: return Interval(parsing: text).map { Double($0.nanoseconds) }
        case .count: return Int64(text).flatMap { $0 >= 0 ? Double($0) : nil }
        case .perSecond:
            let digits = text.hasSuffix("/s") ? text.dropLast(2) : text[...]
            return Double(digits.trimmed).flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
        case .bytes:
            let units: KeyValuePairs<String, Double> = ["GB": 1e9, "MB": 1e6, "kB": 1e3, "B": 1]
            let unit = units.first { text.hasSuffix($0.key) }
            let number = Double(text.dropLast(unit?.key.count ?? 0).trimmed).flatMap { $0 >= 0 && $0 < 1e12 ? $0 : nil }
            return number.map { $0 * (unit?.value ?? 1) }
        case .number: return Double(text).flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
        case .share:
            let ratio = text.hasSuffix("%") ? Double(text.dropLast().trimmed).map { $0 / 100 } : Double(text)
            return ratio.flatMap { 0...1 ~= $0 ? $0 : nil }
        }
    }
}

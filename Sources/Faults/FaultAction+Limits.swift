// Limits of HTTP/2 put to strange values: `{"max-streams": 1}`, `{"max-streams": {"count": 1, "enforced": false}}` and
// `{"window": {"initial": 16, "withhold": "5s"}}`.

package import Basics

/// SETTINGS with this MAX_CONCURRENT_STREAMS.
package struct StreamsFault: Sendable, Equatable {
    package var count: UInt32
    /// Streams that the client opens beyond it once it has acknowledged the SETTINGS are refused (RFC 9113 §5.1.2); until
    /// then it cannot know. False: they are served, unless the mock enforces all that it announces.
    package var isEnforced = true
}

/// Small flow control: what the client may send before we say that it may send more.
package struct WindowFault: Sendable, Equatable {
    /// WINDOW_UPDATE frames held back.
    package enum Withholding: Sendable, Equatable {
        case always
        /// They come all at once after so long.
        case lasting(Interval)
    }

    /// SETTINGS_INITIAL_WINDOW_SIZE; nil: as it is. 0 lets no body through at all.
    package var initial: UInt32?
    package var withholding: Withholding?
}

extension ActionRow {
    private static let largestWindow = 0x7FFF_FFFF

    static let maxStreams = ActionRow(
        6, "max-streams", "SETTINGS with another MAX_CONCURRENT_STREAMS; the push is answered.",
        """
        Streams that the client opens beyond it after it has acknowledged those SETTINGS are refused (REFUSED_STREAM,
        RFC 9113 §5.1.2), until it is told another number; those it opened before are served, for it could not know.
        {"count": 1, "enforced": false} only announces: all streams are served, unless the mock enforces whatever it
        announces at once (its setting streamLimit). A connection that is met keeps the number; the first valid push
        raises it no more.
        """,
        example: "1",
        rule: #"{"action": {"max-streams": 1}, "match": {"nthOfConnection": 10}}"#,
        keys: ["count", "enforced"],
        targets: FaultTarget.allCases, stage: .connection,
        fate: { _, _ in .processed }
    ) { value, pointer, keys throws(FaultRuleError) in
        if value.object == nil { return .maxStreams(StreamsFault(count: try streams(value, pointer))) }
        let object = try ObjectReader(value, at: pointer, keys: keys)
        guard let count = object["count"] else { throw object.error("count", "a number of streams is missing") }
        return .maxStreams(
            StreamsFault(
                count: try streams(count, object.pointer("count")), isEnforced: try object.flag("enforced") ?? true))
    } write: { action in
        guard case .maxStreams(let fault) = action else { return nil }
        let count = JSONValue.integer(Int64(fault.count))
        return fault.isEnforced ? count : ["count": count, "enforced": false]
    }

    private static func streams(_ value: JSONValue, _ pointer: String) throws(FaultRuleError) -> UInt32 {
        guard let count = value.int, let count = UInt32(exactly: count) else {
            throw FaultRuleError(
                pointer: pointer, message: "a number of streams is expected here, from 0 to 4294967295", hint: "such as 1")
        }
        return count
    }

    static let window = ActionRow(
        7, "window", "Small flow control: a small initial window, or WINDOW_UPDATEs held back.",
        """
        `initial` is SETTINGS_INITIAL_WINDOW_SIZE of the streams to come; 0 lets no body through. `withhold`: true,
        or for how long, after which the updates come all at once.
        """,
        example: #"{"initial": 16}"#,
        rule: #"{"meets": "connection", "action": {"window": {"initial": 16, "withhold": "5s"}}}"#,
        keys: ["initial", "withhold"],
        targets: FaultTarget.allCases, stage: .connection,
        fate: { _, _ in .processed }
    ) { value, pointer, keys throws(FaultRuleError) in
        let object = try ObjectReader(value, at: pointer, keys: keys)
        var fault = WindowFault()
        fault.initial = try object.count("initial", from: 0, to: largestWindow).map { UInt32($0) }
        switch object["withhold"] {
        case nil, false?: break
        case true?: fault.withholding = .always
        default: fault.withholding = try object.interval("withhold", isPositive: true).map { .lasting($0) }
        }
        guard fault != WindowFault() else {
            throw FaultRuleError(
                pointer: pointer, message: "a window fault says what becomes of the window",
                hint: #"such as {"initial": 16} or {"withhold": "5s"}"#)
        }
        return .window(fault)
    } write: { action in
        guard case .window(let fault) = action else { return nil }
        var object = JSONObject()
        if let initial = fault.initial { object["initial"] = .integer(Int64(initial)) }
        switch fault.withholding {
        case .always?: object["withhold"] = true
        case .lasting(let wait)?: object["withhold"] = .string(wait.exactText)
        case nil: break
        }
        return .object(object)
    }
}

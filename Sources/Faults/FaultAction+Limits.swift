// Limits of HTTP/2 put to strange values: `{"max-streams": 1}` and `{"window": {"initial": 16, "withhold": "5s"}}`.

package import Basics

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

extension ActionForm {
    private static let largestWindow = 0x7FFF_FFFF

    static let maxStreams = ActionForm(name: "max-streams", example: "1", targets: [.push, .connection]) {
        value, pointer throws(FaultRuleError) in
        guard let count = value.int, 0...Int64(UInt32.max) ~= count else {
            throw FaultRuleError(pointer: pointer, message: "a number of streams is expected here", hint: "such as 1")
        }
        return .maxStreams(UInt32(count))
    } write: { action in
        guard case .maxStreams(let count) = action else { return nil }
        return .integer(Int64(count))
    }

    static let window = ActionForm(name: "window", example: #"{"initial": 16}"#, targets: [.push, .connection]) {
        value, pointer throws(FaultRuleError) in
        let object = try ObjectReader(value, at: pointer, keys: ["initial", "withhold"])
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

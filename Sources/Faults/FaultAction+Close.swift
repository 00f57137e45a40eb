// `{"close": "reset"}` or `{"close": {"how": "fin", "when": "half-answer"}}`: the connection ends, more or less politely.
// `{"refuse-tls": "alert"}`: it never begins.

package import Basics

package struct CloseFault: Sendable, Equatable {
    package enum Manner: String, Sendable, CaseIterable {
        /// TLS close_notify, then FIN.
        case clean
        /// FIN without close_notify: to the peer the stream is cut off.
        case fin
        /// RST.
        case reset
    }

    package enum Moment: String, Sendable, CaseIterable {
        /// The push is not processed.
        case beforeAnswer = "before-answer"
        /// The push is processed, and half of the bytes of its answer are sent.
        case halfAnswer = "half-answer"
        case afterAnswer = "after-answer"
    }

    package var manner = Manner.clean
    package var moment = Moment.beforeAnswer
    /// So long after the connection began. For connections only.
    package var wait: Interval?
}

/// How a connection is turned away before it has TLS.
package enum TLSRefusal: Sendable, Equatable {
    /// A fatal alert in answer to the ClientHello; 40 is handshake_failure (RFC 8446 §6).
    case alert(UInt8)
    /// FIN at accept.
    case close
    /// RST at accept.
    case reset
    /// The handshake goes on with a certificate of an unknown authority for another name.
    case certificate
}

extension ActionRow {
    static let close = ActionRow(
        8, "close", "Ends the connection: clean, fin (no TLS close_notify) or reset (RST).",
        """
        What was answered before is sent first. `when`: before-answer (the push is not processed, the default),
        half-answer (it is, and half of its answer's bytes are sent) or after-answer. With "meets": "connection" the
        connection ends right after our SETTINGS, or after `wait`.
        """,
        example: #""reset""#,
        rule: #"{"action": {"close": {"how": "reset", "when": "half-answer"}}, "match": {"nthOfConnection": {"every": 100}}}"#,
        keys: ["how", "when", "wait"],
        targets: FaultTarget.allCases, stage: .connection, hearing: .end, endsConnection: true,
        fate: { action, _ in
            guard case .close(let fault) = action else { return .processed }
            return switch fault.moment {
            case .beforeAnswer: .dropped
            case .halfAnswer: .cutOff
            case .afterAnswer: .processed
            }
        },
        objection: { action, target in
            guard case .close(let fault) = action else { return nil }
            if target == .connection, fault.moment != .beforeAnswer {
                return FaultObjection("close/when", "a connection has no answer yet", hint: #"use "wait": "2s""#)
            }
            return FaultObjection(wait: fault.wait, of: "close", target)
        }
    ) { value, pointer, keys throws(FaultRuleError) in
        var fault = CloseFault()
        let object = try ObjectReader(
            value.string != nil ? ["how": value] : value, at: pointer, keys: keys)
        if let word = try object.word("how", of: CloseFault.Manner.allCases.map(\.rawValue)) {
            fault.manner = CloseFault.Manner(rawValue: word)!
        }
        if let word = try object.word("when", of: CloseFault.Moment.allCases.map(\.rawValue)) {
            fault.moment = CloseFault.Moment(rawValue: word)!
        }
        fault.wait = try object.interval("wait", isPositive: true)
        return .close(fault)
    } write: { action in
        guard case .close(let fault) = action else { return nil }
        var object: JSONObject = ["how": .string(fault.manner.rawValue)]
        if fault.moment != .beforeAnswer { object["when"] = .string(fault.moment.rawValue) }
        if let wait = fault.wait { object["wait"] = .string(wait.exactText) }
        return .object(object)
    }

    private static let handshakeFailure: UInt8 = 40

    static let refuseTLS = ActionRow(
        9, "refuse-tls", "Turns a connection away before it has TLS.",
        """
        alert (handshake_failure, or {"alert": 42} for another), close (FIN at accept), reset (RST at accept),
        certificate (the handshake goes on with a certificate of an unknown authority for another name).
        """,
        example: #""alert""#,
        rule: #"{"action": {"refuse-tls": "alert"}, "times": 3}"#,
        keys: ["alert"],
        targets: [.connection], stage: .accept,
        fate: { _, _ in .dropped }
    ) { value, pointer, keys throws(FaultRuleError) in
        switch value {
        case "alert": return .refuseTLS(.alert(handshakeFailure))
        case "close": return .refuseTLS(.close)
        case "reset": return .refuseTLS(.reset)
        case "certificate": return .refuseTLS(.certificate)
        case .object:
            let object = try ObjectReader(value, at: pointer, keys: keys)
            guard let code = try object.count("alert", from: 0, to: 255) else { fallthrough }
            return .refuseTLS(.alert(UInt8(code)))
        default:
            throw FaultRuleError(
                pointer: pointer, message: "this is no way to refuse TLS",
                hint: #"alert, close, reset, certificate, or {"alert": 42}"#)
        }
    } write: { action in
        guard case .refuseTLS(let refusal) = action else { return nil }
        switch refusal {
        case .alert(handshakeFailure): return "alert"
        case .alert(let code): return ["alert": .integer(Int64(code))]
        case .close: return "close"
        case .reset: return "reset"
        case .certificate: return "certificate"
        }
    }
}

// `{"goaway": "Shutdown"}` or `{"goaway": {"reason": "Shutdown", "last": "before", "then": "open"}}`: GOAWAY with the
// reason as compact JSON, as APNs sends it (docs/apns.md §2.3), or with any other debug data.

package import Basics
import Pushes

package struct GoAwayFault: Sendable, Equatable {
    /// The last stream that is promised an answer.
    package enum Last: Sendable, Equatable {
        /// The push's own: it is answered.
        case this
        /// The one before the push's: it is not processed.
        case before
        /// 0: nothing was processed.
        case none
        case stream(Int32)
    }

    /// At most 16,000 bytes.
    package var debug = ""
    package var code: UInt32 = 0
    /// Nil: `this` for a push, `none` for a connection.
    package var last: Last?
    /// Keeps the connection open and ignores what comes on it (pushy #567).
    package var staysOpen = false
    /// A second GOAWAY without debug data follows (observed in 2016).
    package var isTwice = false
    /// So long after the connection began. For connections only.
    package var wait: Interval?

    package init() {}

    /// The id on the wire. `stream` is the push's own, 0 for a connection.
    package func lastStream(of stream: Int32) -> Int32 {
        switch last {
        case nil, .this?: stream
        case .before?: max(0, stream - 2)
        case Last.none?: 0
        case .stream(let id)?: id
        }
    }
}

extension ActionRow {
    static let goAway = ActionRow(
        5, "goaway", "GOAWAY with a reason of APNs as its debug data, or with any other text.",
        """
        "goaway": true has no debug data, a reason alone stands for {"reason": …}. `debug` is plain text instead.
        `code` is NO_ERROR unless given. `last` is the last stream that is promised an answer: this (the push's own,
        the default), before, none (0) or an odd number; a push beyond it is not processed. `then`: close (once the
        open streams are done, the default) or open (the connection stays, and whatever comes on it is ignored).
        `twice`: a second GOAWAY without debug data. With "meets": "connection" it comes right after our SETTINGS, or
        after `wait`, with last stream 0.
        """,
        example: #""Shutdown""#,
        rule: #"{"action": {"goaway": {"reason": "Shutdown", "last": "before", "then": "open"}}, "times": 1}"#,
        keys: ["reason", "debug", "code", "last", "then", "twice", "wait"],
        targets: FaultTarget.allCases, stage: .connection, hearing: .end, endsConnection: true,
        fate: { action, stream in
            guard case .goAway(let fault) = action else { return .processed }
            return stream <= fault.lastStream(of: stream) ? .processed : .dropped
        },
        objection: { action, target in
            guard case .goAway(let fault) = action else { return nil }
            if target == .connection, fault.last == .this || fault.last == .before {
                return FaultObjection("goaway/last", "a connection has no push yet", hint: "none, or a number")
            }
            return FaultObjection(wait: fault.wait, of: "goaway", target)
        }
    ) { value, pointer, keys throws(FaultRuleError) in
        var fault = GoAwayFault()
        if value == true { return .goAway(fault) }
        if let word = value.string {
            let object = try ObjectReader(["reason": value], at: pointer, keys: ["reason"])
            fault.debug = try debug(word, object, pointer: pointer)
            return .goAway(fault)
        }
        let object = try ObjectReader(value, at: pointer, keys: keys)
        if let text = try object.anyText("debug", maxBytes: 16_000) {
            guard object["reason"] == nil else {
                throw object.error("debug", "give a reason or debug data, not both")
            }
            fault.debug = text
        } else if let word = try object.text("reason") {
            fault.debug = try debug(word, object, pointer: object.pointer("reason"))
        }
        fault.code = try object.errorCode("code") ?? 0
        fault.last = try last(object)
        fault.staysOpen = try object.word("then", of: ["close", "open"]) == "open"
        fault.isTwice = try object.flag("twice") ?? false
        fault.wait = try object.interval("wait", isPositive: true)
        return .goAway(fault)
    } write: { action in
        guard case .goAway(let fault) = action else { return nil }
        var object: JSONObject = ["debug": .string(fault.debug), "code": ErrorCode.json(fault.code)]
        switch fault.last {
        case .this?: object["last"] = "this"
        case .before?: object["last"] = "before"
        case GoAwayFault.Last.none?: object["last"] = "none"
        case .stream(let id)?: object["last"] = .integer(Int64(id))
        case nil: break
        }
        if fault.staysOpen { object["then"] = "open" }
        if fault.isTwice { object["twice"] = true }
        if let wait = fault.wait { object["wait"] = .string(wait.exactText) }
        return .object(object)
    }

    private static func debug(
        _ word: String, _ object: ObjectReader, pointer: String
    ) throws(FaultRuleError) -> String {
        guard let reason = NamedReason(word: word, in: .apns) else {
            throw FaultRuleError(
                pointer: pointer, message: "unknown reason \"\(word)\"",
                hint: Suggestion.nearest(to: word, among: ReasonList.apns.words)
                    .map { "did you mean `\($0)`?" } ?? #"other texts stand in {"debug": "…"}"#)
        }
        return #"{"reason":"\#(reason.word)"}"#
    }

    private static func last(_ object: ObjectReader) throws(FaultRuleError) -> GoAwayFault.Last? {
        switch object["last"] {
        case nil: return nil
        case "this": return .this
        case "before": return .before
        case "none", 0: return GoAwayFault.Last.none
        case .integer(let id):
            guard let id = Int32(exactly: id), id > 0, id % 2 == 1 else { fallthrough }
            return .stream(id)
        default:
            throw object.error("last", "this is no stream of a client", hint: "this, before, none, or an odd number")
        }
    }
}

// `{"respond": {"reason": "Unregistered", "timestamp": "before-registration"}}`: a refusal with any reason of
// docs/apns.md §6. `{"respond": {"status": 502, "body": "<html>", "headers": {"content-type": "text/html"}}}`: an answer
// that APNs never gives, such as a proxy's.

package import Basics
import Pushes

/// The `timestamp` of a scripted 410 in relation to the token's registration with the relay. A relay must drop the
/// token only if the death is younger than the registration (docs/apns.md §13).
package enum RelativeTimestamp: Sendable, Equatable {
    case beforeRegistration, afterRegistration
    case absolute(WallTime)

    /// The mock does not know when a relay's client registered, but it was within this run: a day ago is before, now is
    /// after. Milliseconds since 1970.
    package func milliseconds(now: WallTime) -> Int64 {
        switch self {
        case .beforeRegistration: now.milliseconds - 86_400_000
        case .afterRegistration: now.milliseconds
        case .absolute(let time): time.milliseconds
        }
    }
}

/// A status with any body and fields.
package struct LawlessAnswer: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String
    }

    /// 200 to 999.
    package var status: UInt16
    /// At most 64 KiB.
    package var body: String
    /// Besides `apns-id`; names in lower case.
    package var headers: [Field]
}

extension FaultAction {
    /// Whose reason it answers with; nil: it may meet each provider.
    var provider: Provider? {
        switch self {
        case .respond(let reason, _, _), .refuse(let reason): reason.list.provider
        default: nil
        }
    }
}

extension FaultAction {
    /// The provider's word that it answers with; nil: none.
    package var reason: String? {
        switch self {
        case .respond(let reason, _, _), .refuse(let reason): reason.word.description
        default: nil
        }
    }
}

extension FaultMatch {
    /// The same for pushes of that provider alone.
    func of(_ provider: Provider?) -> FaultMatch {
        var match = self
        match.provider = match.provider ?? provider
        return match
    }
}

extension ActionRow {
    private static let longestBody = 65_536

    static let respond = ActionRow(
        1, "respond", "Answers with a reason of APNs, or with any status, body and headers.",
        """
        A text alone is the `reason`. It is spelled as APNs does, or as `pushrig list reasons --provider fcm`, and gives the
        status; at the token endpoint it is an error of OAuth; `timestamp` of a 410 is before-registration (a day
        ago), after-registration (now, the default), a date, or Unix milliseconds. `status`, `body` and `headers` make
        an answer that APNs never gives, such as a proxy's. `delay` sends the refusal so much later, at most 24 hours:
        what the relay has learnt meanwhile counts.
        """,
        example: #"{"reason": "BadDeviceToken"}"#,
        rule: #"{"action": {"respond": {"reason": "Unregistered", "timestamp": "before-registration"}}, "times": 3}"#,
        keys: ["reason", "timestamp", "delay", "status", "body", "headers"],
        fate: { _, _ in .refused },
        meant: { action, target in
            guard case .respond(let reason, nil, .zero) = action, target == .broadcast else { return action }
            return reason.in(.apnsBroadcasts).map(FaultAction.refuse) ?? action
        },
        objection: { action, target in
            switch action {
            case .refuse(let reason) where target != .broadcast:
                FaultObjection(
                    "respond/reason", "\(reason.word) is a reason of broadcasts and channels",
                    hint: #"add "meets": "broadcast""#)
            case .respond(_, _, let delay) where target == .broadcast && delay > .zero:
                FaultObjection("respond/delay", "broadcasts are refused at once", hint: "strike it")
            case .respond(let reason, _, _) where target == .broadcast:
                FaultObjection(
                    "respond/reason", "\(reason.word) is no reason of broadcasts and channels",
                    hint: "`pushrig list broadcast-reasons` tells those there are")
            default: nil
            }
        }
    ) { value, pointer, keys throws(FaultRuleError) in
        // A text alone is the reason.
        let members: JSONValue = value.string.map { ["reason": .string($0)] } ?? value
        let object = try ObjectReader(members, at: pointer, keys: keys)
        let isLawless = ["status", "body", "headers"].contains { object[$0] != nil }
        guard !isLawless else { return .answer(try readLawless(object)) }
        guard let word = try object.text("reason") else {
            throw FaultRuleError(
                pointer: pointer, message: "a reason is missing", hint: #"such as {"reason": "BadDeviceToken"}"#)
        }
        let lists: [ReasonList] = [.apns, .fcm, .oauth]
        guard let reason = lists.lazy.compactMap({ NamedReason(word: word, in: $0) }).first else {
            if let reason = NamedReason(word: word, in: .apnsBroadcasts) {
                guard object["delay"] == nil else {
                    throw object.error("delay", "broadcasts are refused at once", hint: "strike it")
                }
                return .refuse(reason)
            }
            throw object.unknownWord("reason", word, among: lists.flatMap(\.words))
        }
        let timestamp = try readTimestamp(object)
        if timestamp != nil, !reason.hasTimestamp {
            throw object.error(
                "timestamp", "\(reason.word) carries no timestamp", hint: "only Unregistered and ExpiredToken do")
        }
        return .respond(reason, timestamp: timestamp, delay: try readDelay(object))
    } write: { action in
        switch action {
        case .respond(let reason, let timestamp, let delay):
            var object = JSONObject()
            object["reason"] = .string(reason.word.description)
            switch timestamp {
            case .beforeRegistration: object["timestamp"] = "before-registration"
            case .afterRegistration: object["timestamp"] = "after-registration"
            case .absolute(let time): object["timestamp"] = .integer(time.milliseconds)
            case nil: break
            }
            if delay > .zero { object["delay"] = .string(delay.exactText) }
            return .object(object)
        case .refuse(let reason): return ["reason": .string(reason.word.description)]
        case .answer(let answer):
            var object: JSONObject = ["status": .integer(Int64(answer.status)), "body": .string(answer.body)]
            var headers = JSONObject()
            for field in answer.headers { headers[field.name] = .string(field.value) }
            if !headers.isEmpty { object["headers"] = .object(headers) }
            return .object(object)
        default: return nil
        }
    }

    private static func readTimestamp(_ object: ObjectReader) throws(FaultRuleError) -> RelativeTimestamp? {
        switch object["timestamp"] {
        case nil: return nil
        case .string("before-registration"): return .beforeRegistration
        case .string("after-registration"): return .afterRegistration
        case .integer(let milliseconds) where milliseconds.magnitude < UInt64(Int64.max) / 1_000_000:
            return .absolute(WallTime(milliseconds: milliseconds))
        case .string(let text):
            if let time = WallTime(iso8601: text) { return .absolute(time) }
            fallthrough
        default:
            throw object.error(
                "timestamp", "this is no point in time",
                hint: "before-registration, after-registration, 2026-01-31T10:00:00Z, or milliseconds since 1970")
        }
    }

    private static func readDelay(_ object: ObjectReader) throws(FaultRuleError) -> Interval {
        guard let value = object["delay"] else { return .zero }
        guard let delay = value.string.flatMap({ Interval(parsing: $0) }), delay <= longestDelay else {
            throw object.error("delay", "this is no duration of at most 24 hours", hint: #"write it as "200ms""#)
        }
        return delay
    }

    /// A known reason gives the status; any other word needs one.
    private static func readLawless(_ object: ObjectReader) throws(FaultRuleError) -> LawlessAnswer {
        if object["timestamp"] != nil {
            throw object.error("timestamp", "an answer with its own status, body or headers takes no timestamp",
                hint: "write it into the body")
        }
        if object["delay"] != nil {
            throw object.error(
                "delay", "only the reasons of APNs come later", hint: "strike it, or give a known `reason` alone")
        }
        let word = try object.text("reason")
        guard let status = try object.count("status", from: 200, to: 999)
            ?? word.flatMap({ NamedReason(word: $0, in: .apns) }).map({ Int($0.status) })
        else {
            throw object.error("status", "a status is missing", hint: "200 to 999, or a known reason")
        }
        let written = try object.anyText("body", maxBytes: longestBody)
        let body = written ?? word.map { JSONValue.object(["reason": .string($0)]).text } ?? ""
        var headers: [LawlessAnswer.Field] = []
        if let value = object["headers"] {
            guard let fields = value.object, fields.count <= 32 else {
                throw object.error("headers", "an object of at most 32 texts is expected here")
            }
            for (name, value) in fields {
                guard let text = value.string, isFieldName(name), text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }),
                    text.utf8.count <= 1_024
                else {
                    throw object.errorBelow(
                        "headers/" + name, "this is no header field of HTTP/2", hint: "lower-case name, printable text")
                }
                headers.append(LawlessAnswer.Field(name: name, value: text))
            }
        }
        return LawlessAnswer(status: UInt16(status), body: body, headers: headers)
    }

    private static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy { 97...122 ~= $0 || 48...57 ~= $0 || $0 == 45 || $0 == 95 }
    }
}

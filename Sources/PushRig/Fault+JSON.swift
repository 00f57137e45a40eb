// A fault as JSON: the rule that stands in scenarios and the admin API.

import Basics

extension Fault {
    /// The rule as JSON; criteria that are nil are left out.
    var json: JSONValue {
        var match = JSONObject()
        match["endpoint"] = endpoint.map { .string($0.rawValue) }
        match["token"] = token.map(JSONValue.string)
        match["tokens"] = tokens.map { .array($0.map(JSONValue.string)) }
        match["topic"] = topic.map(JSONValue.string)
        match["pushType"] = pushType.map(JSONValue.string)
        match["event"] = event.map(JSONValue.string)
        match["priority"] = priority.map(integer)
        match["nth"] = nth?.json
        match["nthOfConnection"] = nthOfConnection?.json
        match["connection"] = connection?.json
        match["fraction"] = fraction.map(JSONValue.number)
        match["tokenFraction"] = tokenFraction.map(JSONValue.number)
        match["connectionFraction"] = connectionFraction.map(JSONValue.number)
        var rule = JSONObject()
        rule["meets"] = target.map { .string($0.rawValue) }
        if match.count > 0 { rule["match"] = .object(match) }
        rule["action"] = action.json
        rule["after"] = after.map(integer)
        rule["times"] = times.map(integer)
        if per != .all { rule["per"] = .string(per.rawValue) }
        rule["renew"] = renew.map(text)
        rule["for"] = duration.map(text)
        rule["until-heals"] = cure?.json
        rule["ttl"] = timeToLive.map(text)
        return .object(rule)
    }
}

extension Fault.Nth {
    fileprivate var json: JSONValue {
        switch self {
        case .only(let number): integer(number)
        case .range(let range): ["from": integer(range.lowerBound), "to": integer(range.upperBound)]
        case .from(let number): ["from": integer(number)]
        case .every(let number): ["every": integer(number)]
        }
    }
}

extension Fault.Cure {
    fileprivate var json: JSONValue {
        switch self {
        case .newConnection: "new-connection"
        case .newProviderToken: "new-provider-token"
        case .quiet(let rest): ["quiet": text(rest)]
        }
    }
}

extension Fault.Action {
    fileprivate var json: JSONValue {
        switch self {
        case .respond(let reason): ["respond": ["reason": .string(reason)]]
        case .respondUnregisteredBeforeRegistration:
            ["respond": ["reason": "Unregistered", "timestamp": "before-registration"]]
        case .answer(let status, let body, let headers): answer(status, body, headers)
        case .delay(let duration): ["delay": text(duration)]
        case .silence: ["silence": true]
        case .resetStream(let code, let afterHeaders): reset(code, afterHeaders)
        case .goAway(let reason, let last, let staysOpen): goAway(reason, last, staysOpen)
        case .maxStreams(let count, let isEnforced):
            ["max-streams": ["count": integer(count), "enforced": .bool(isEnforced)]]
        case .initialWindow(let bytes): ["window": ["initial": integer(bytes)]]
        case .withholdWindowUpdates(let wait): ["window": ["withhold": wait.map(text) ?? true]]
        case .close(let ending, let moment): ["close": ["how": .string(ending.rawValue), "when": .string(moment.rawValue)]]
        case .refuseTLS(let refusal): ["refuse-tls": .string(refusal.rawValue)]
        case .frames(let name): ["raw": .string(name)]
        case .raw(let hex, let place): ["raw": ["hex": .string(hex), "place": .string(place.rawValue)]]
        }
    }

    private func answer(_ status: Int, _ body: String, _ headers: [String: String]) -> JSONValue {
        var fields = JSONObject()
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { fields[name] = .string(value) }
        return ["respond": ["status": integer(status), "body": .string(body), "headers": .object(fields)]]
    }

    private func reset(_ code: String, _ afterHeaders: Bool) -> JSONValue {
        var object: JSONObject = ["code": .string(code)]
        if afterHeaders { object["after"] = "headers" }
        return ["reset-stream": .object(object)]
    }

    private func goAway(_ reason: String?, _ last: Fault.LastStream, _ staysOpen: Bool) -> JSONValue {
        var object = JSONObject()
        object["reason"] = reason.map(JSONValue.string)
        switch last {
        case .usual: break
        case .before: object["last"] = "before"
        case .none: object["last"] = "none"
        case .stream(let id): object["last"] = integer(id)
        }
        if staysOpen { object["then"] = "open" }
        return ["goaway": .object(object)]
    }
}

private func integer(_ number: Int) -> JSONValue { .integer(Int64(number)) }

private func text(_ duration: Duration) -> JSONValue { .string("\(Interval(duration).nanoseconds)ns") }

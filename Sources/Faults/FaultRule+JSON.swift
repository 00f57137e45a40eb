// A rule as JSON:
//
//     {"match": {"pushType": "liveactivity", "fraction": 0.1},
//      "action": {"respond": {"reason": "Unregistered", "timestamp": "after-registration"}},
//      "times": 3, "for": "10s", "after": 2, "at": "20s", "id": "f1"}

package import Basics
import Pushes

extension FaultRule {
    static let keys = [
        "id", "match", "action", "meets", "times", "for", "after", "at", "per", "renew", "windows", "until-heals", "ttl",
    ]

    /// `id`, when not empty, takes the place of the one in the text.
    package init(json: JSONValue, id: String = "") throws(FaultRuleError) {
        let object = try ObjectReader(json, at: "", keys: Self.keys)
        guard let value = object["action"] else {
            throw FaultRuleError(
                pointer: "", message: "a fault needs an action",
                hint: #"such as "action": {"respond": {"reason": "BadDeviceToken"}}"#)
        }
        var action = try FaultAction(json: value, at: "/action")
        let target = try object.word("meets", of: FaultTarget.allCases.map(\.rawValue))
            .flatMap { FaultTarget(rawValue: $0) } ?? action.row.targets[0]
        action = action.row.meant(action, target)
        self.init(
            id: id.isEmpty ? try object.text("id") ?? "" : id,
            target: target,
            match: try object["match"].map { value throws(FaultRuleError) in
                try FaultMatch(json: value, at: "/match", target: target)
            } ?? FaultMatch(),
            action: action,
            times: try object.count("times", atLeast: 1),
            duration: try object.interval("for", isPositive: true),
            after: try object.count("after", atLeast: 0),
            at: try object.interval("at", isPositive: false),
            per: try object.word("per", of: FaultScope.allCases.map(\.rawValue))
                .flatMap { FaultScope(rawValue: $0) } ?? .all,
            renew: try object.interval("renew", isPositive: true),
            windows: try object.windows("windows"),
            cure: try object.cure("until-heals"),
            timeToLive: try object.interval("ttl", isPositive: true))
        try check(object)
    }

    /// What the members mean together.
    private func check(_ object: ObjectReader) throws(FaultRuleError) {
        guard action.row.targets.contains(target) else {
            let targets = action.row.targets.map(\.rawValue)
            let why = target == .connection ? "a connection has no request yet" : "a \(target) comes after TLS"
            throw object.error(
                "meets", "\(action.word) is done to a \(targets.joined(separator: " or a ")), and \(why)",
                hint: "leave `meets` out, or write \(targets.joined(separator: " or "))")
        }
        if per != .all || renew != nil, times == nil, after == nil {
            throw object.error(
                per != .all ? "per" : "renew", "this says how `times` and `after` are counted, and neither is there",
                hint: #"such as "times": 3"#)
        }
        if target == .connection {
            if per != .all { throw object.error("per", "a rule that meets connections counts all of them alike") }
            switch cure {
            case .newConnection?, .newProviderToken?:
                throw object.error(
                    "until-heals", "a rule that meets connections heals by quiet only", hint: #"such as {"quiet": "5s"}"#)
            case .quiet?, nil: break
            }
        }
        if target == .broadcast, per == .token {
            throw object.error("per", "a broadcast goes to no token", hint: "all, or connection")
        }
        if target == .push, let endpoint = match.endpoint, endpoint != .send {
            try check(endpoint, object)
        }
        if let asked = match.provider, let own = action.provider, asked != own {
            throw object.errorBelow(
                "action/respond/reason", "this is a reason of \(own.word), and the rule meets \(asked.word)",
                hint: "leave `provider` out, or name a reason of \(asked.word)")
        }
        let misplaced = target == .push ? action.objection(at: match.endpoint ?? .send) : nil
        if let objection = action.row.objection(action, target) ?? misplaced {
            throw object.errorBelow("action/" + objection.path, objection.message, hint: objection.hint)
        }
    }

    /// What other endpoints than that of pushes have.
    private func check(_ endpoint: FaultEndpoint, _ object: ObjectReader) throws(FaultRuleError) {
        if let asked = match.provider, asked != endpoint.provider {
            throw object.errorBelow(
                "match/endpoint", "\(asked.word) has no endpoint \(endpoint.rawValue)",
                hint: "leave `provider` out, or write fcm")
        }
        guard endpoint == .token else { return }
        if per == .token {
            throw object.error("per", "\(endpoint.call) is about no registration", hint: "all, or connection")
        }
        if cure == .newProviderToken {
            throw object.error(
                "until-heals", "every request for an access token is signed anew", hint: #"such as {"quiet": "5s"}"#)
        }
    }

    /// What was read, in the same shape; absent members stay absent.
    package var json: JSONValue {
        var object = JSONObject()
        if !id.isEmpty { object["id"] = .string(id) }
        if target != .push { object["meets"] = .string(target.rawValue) }
        if match != FaultMatch() { object["match"] = match.json }
        object["action"] = action.json
        if let times { object["times"] = .integer(Int64(times)) }
        if let duration { object["for"] = .string(duration.exactText) }
        if let after { object["after"] = .integer(Int64(after)) }
        if let at { object["at"] = .string(at.exactText) }
        if per != .all { object["per"] = .string(per.rawValue) }
        if let renew { object["renew"] = .string(renew.exactText) }
        switch windows {
        case .periodic(let every, let duration)?:
            object["windows"] = ["every": .string(every.exactText), "for": .string(duration.exactText)]
        case .listed(let windows)?:
            object["windows"] = .array(
                windows.map { [.string($0.lowerBound.exactText), .string($0.upperBound.exactText)] })
        case nil: break
        }
        switch cure {
        case .newConnection?: object["until-heals"] = "new-connection"
        case .newProviderToken?: object["until-heals"] = "new-provider-token"
        case .quiet(let rest)?: object["until-heals"] = ["quiet": .string(rest.exactText)]
        case nil: break
        }
        if let timeToLive { object["ttl"] = .string(timeToLive.exactText) }
        return .object(object)
    }
}

extension ObjectReader {
    fileprivate func windows(_ key: String) throws(FaultRuleError) -> FaultWindows? {
        guard let value = self[key] else { return nil }
        let hint = #"such as {"every": "1m", "for": "5s"} or [["20s", "30s"], ["1m", "70s"]]"#
        if value.object != nil {
            let object = try ObjectReader(value, at: pointer(key), keys: ["every", "for"])
            guard let every = try object.interval("every", isPositive: true),
                let duration = try object.interval("for", isPositive: true), duration <= every
            else { throw error(key, "a window comes every so often and lasts no longer than that", hint: hint) }
            return .periodic(every: every, duration: duration)
        }
        guard let items = value.array, 1...1_000 ~= items.count else {
            throw error(key, "windows are one mapping or a list of pairs", hint: hint)
        }
        var windows: [Range<Interval>] = []
        for (index, item) in items.enumerated() {
            guard let pair = item.array, pair.count == 2, let from = pair[0].string.flatMap({ Interval(parsing: $0) }),
                let to = pair[1].string.flatMap({ Interval(parsing: $0) }), from >= .zero, from < to
            else { throw errorBelow(key + "/\(index)", "a window is a pair of durations, the earlier one first", hint: hint) }
            windows.append(from..<to)
        }
        return .listed(windows)
    }

    fileprivate func cure(_ key: String) throws(FaultRuleError) -> FaultCure? {
        switch self[key] {
        case nil: return nil
        case "new-connection": return .newConnection
        case "new-provider-token": return .newProviderToken
        case .object(let members)?:
            let object = try ObjectReader(.object(members), at: pointer(key), keys: ["quiet"])
            guard let rest = try object.interval("quiet", isPositive: true) else { fallthrough }
            return .quiet(rest)
        default:
            throw error(
                key, "nothing heals by this", hint: #"new-connection, new-provider-token, or {"quiet": "10s"}"#)
        }
    }
}

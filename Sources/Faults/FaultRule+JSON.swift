// A rule as JSON:
//
//     {"match": {"pushType": "liveactivity", "fraction": 0.1},
//      "action": {"respond": {"reason": "Unregistered", "timestamp": "after-registration"}},
//      "times": 3, "for": "10s", "after": 2, "at": "20s", "id": "f1"}

import APNs
package import Basics

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
            .flatMap { FaultTarget(rawValue: $0) } ?? action.form.targets[0]
        if target == .broadcast { action = action.forBroadcasts }
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
        guard action.form.targets.contains(target) else {
            let targets = action.form.targets.map(\.rawValue)
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
        try checkReason(object)
        try checkAction(object)
    }

    private func checkReason(_ object: ObjectReader) throws(FaultRuleError) {
        switch action {
        case .refuse(let reason) where target != .broadcast:
            throw object.errorBelow(
                "action/respond/reason", "\(reason.word) is a reason of broadcasts and channels",
                hint: #"add "meets": "broadcast""#)
        case .respond(let reason, _) where target == .broadcast:
            throw object.errorBelow(
                "action/respond/reason", "\(reason.word) is no reason of broadcasts and channels",
                hint: "`pushrig list broadcast-reasons` tells those there are")
        default: break
        }
    }

    private func checkAction(_ object: ObjectReader) throws(FaultRuleError) {
        let wait: Interval?
        switch action {
        case .goAway(let fault):
            wait = fault.wait
            switch fault.last {
            case .this?, .before?:
                if target == .connection {
                    throw object.errorBelow("action/goaway/last", "a connection has no push yet", hint: "none, or a number")
                }
            case GoAwayFault.Last.none?, .stream?, nil: break
            }
        case .close(let fault):
            wait = fault.wait
            if target == .connection, fault.moment != .beforeAnswer {
                throw object.errorBelow("action/close/when", "a connection has no answer yet", hint: #"use "wait": "2s""#)
            }
        case .raw(let fault):
            wait = nil
            let isKnown = LawlessFrames.all.first { $0.name == fault.name }?.isForConnections ?? !fault.bytes.hasAPNsID
            if target == .connection, !isKnown {
                throw object.errorBelow(
                    "action/raw", "these frames are about a push, and this rule meets connections",
                    hint: LawlessFrames.all.filter(\.isForConnections).map(\.name).joined(separator: ", ") + ", or hex")
            }
        default: wait = nil
        }
        if wait != nil, target != .connection {
            throw object.errorBelow(
                "action/\(action.word)/wait", "wait is counted from the beginning of a connection",
                hint: #"add "meets": "connection""#)
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

extension FaultAction {
    /// Words that stand for one thing at pushes and another at broadcasts mean that of what is met: reasons of both
    /// lists, and lawless frames.
    fileprivate var forBroadcasts: FaultAction {
        switch self {
        case .respond(let reason, nil): BroadcastReason(word: reason.word.description).map(FaultAction.refuse) ?? self
        case .raw(var fault):
            LawlessFrames.all.first { $0.name == fault.name }.map { frames in
                fault.bytes = frames.broadcastTemplate
                return .raw(fault)
            } ?? self
        default: self
        }
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

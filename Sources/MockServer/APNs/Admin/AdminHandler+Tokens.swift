// Device tokens and Live Activities through the admin API.

import APNs
import Basics
import Devices
import Pushes

extension AdminHandler {
    private static let members = [
        "kind", "topic", "environment", "state", "since", "device", "connection", "replacedBy", "frequentUpdates",
    ]

    func token(_ token: String) throws(AdminError) -> AdminAnswer {
        try refuseIfOnPhone(token)
        guard let record = shared.devices.record(of: token) else { throw noToken(token) }
        return AdminAnswer(record.json)
    }

    /// Members that are not given take their defaults.
    func putToken(_ token: String, _ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        try refuseIfOnPhone(token)
        let isNew = shared.devices.record(of: token) == nil
        return try set(TokenRecord(token: token), request, status: isNew ? 201 : 200)
    }

    /// Members that are not given stay as they are.
    func patchToken(_ token: String, _ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        try refuseIfOnPhone(token)
        guard let record = shared.devices.record(of: token) else { throw noToken(token) }
        return try set(record, request, status: 200)
    }

    func removeToken(_ token: String) throws(AdminError) -> AdminAnswer {
        guard shared.devices.remove(token: token) else { throw noToken(token) }
        shared.channels.unsubscribe(token)
        note("remove token", ["token": .string(token)])
        return .done
    }

    func activities(_ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let parameters = try request.parameters(["limit"])
        let limit = try number(parameters["limit"], named: "limit", in: 1...10_000) ?? 1_000
        return AdminAnswer([
            "activities": .array(shared.devices.activities(limit: limit, now: shared.clock.wall()).map(\.json))
        ])
    }

    func activity(_ token: String) throws(AdminError) -> AdminAnswer {
        try refuseIfOnPhone(token)
        guard let record = shared.devices.activity(token: token, now: shared.clock.wall()) else {
            throw AdminError(
                404, "no-such-activity", "no activity has this token", hint: "GET /v1/activities lists those there are")
        }
        return AdminAnswer(record.json)
    }

    /// The token in lower case, if it is hex digits of a length that APNs would look at.
    func hexToken(_ text: String) throws(AdminError) -> String {
        guard DeviceFleet.isToken(text) else {
            throw AdminError(
                400, "bad-token", "a device token is an even number of hex digits, at most 1024",
                hint: "send it as the device gave it, in hexadecimal")
        }
        return text.lowercased()
    }

    private func set(_ base: TokenRecord, _ request: AdminRequest, status: Int) throws(AdminError) -> AdminAnswer {
        let object = try request.object(Self.members)
        var record = base
        // A device stays as it can be reached, unless this says otherwise.
        record.connection = nil
        if let value = object["kind"] { record.kind = try word(value, "kind", TokenKind.allCases, \.word) }
        if let value = object["state"] {
            let state = try word(value, "state", TokenState.allCases, \.word)
            if state != record.state { record.since = nil }
            record.state = state
        }
        if let value = object["environment"] {
            record.environment = value.isNull ? nil : try word(value, "environment", PushEnvironment.allCases, \.word)
        }
        if let value = object["topic"] { record.topic = try topic(value) }
        if let value = object["since"] {
            let since = value.string.flatMap { WallTime(iso8601: $0) }
            guard value.isNull || since != nil else {
                throw AdminError(
                    400, "bad-member", "since is not a time",
                    hint: "write it as 2026-11-20T10:00:00Z, from 1678 to 2261")
            }
            record.since = since
        }
        if let value = object["device"] { record.device = try device(value) }
        if let value = object["connection"] {
            record.connection = try word(value, "connection", Connection.allCases, \.word)
        }
        if let value = object["frequentUpdates"] {
            guard let flag = value.bool else {
                throw AdminError(400, "bad-member", "frequentUpdates is not true or false", hint: "give true or false")
            }
            record.hasFrequentUpdates = flag
        }
        if record.state != .active, record.since == nil { record.since = shared.clock.wall() }
        if record.state == .active { record.replacedBy = nil }
        let now = shared.clock.wall()
        let isKept = shared.devices.set(record, now: now)
        if let value = object["replacedBy"], !value.isNull { try replace(record.token, by: value, now: now) }
        tellLate()
        guard isKept, let stored = shared.devices.record(of: record.token) else {
            throw AdminError(503, "full", "no further token can be kept", hint: "remove some, or POST /v1/reset")
        }
        note("set token", stored.json.object ?? JSONObject())
        return AdminAnswer(stored.json, status: status)
    }

    private func device(_ value: JSONValue) throws(AdminError) -> String? {
        if value.isNull { return nil }
        if let text = value.string, DeviceFleet.isDeviceName(text) { return text }
        throw AdminError(
            400, "bad-member", "device is not a name", hint: "use 1 to 64 letters, digits, '-', '_' and '.', or null")
    }

    private func replace(_ token: String, by value: JSONValue, now: WallTime) throws(AdminError) {
        if let text = value.string, shared.devices.replace(token: token, by: text.lowercased(), now: now) {
            return shared.channels.replace(token, by: text.lowercased())
        }
        throw AdminError(
            400, "bad-member", "replacedBy is no other device token", hint: "give the token that takes its place")
    }

    /// The bundle ID; a push type's suffix behind it is dropped, since pushes of several types may go to one token.
    private func topic(_ value: JSONValue) throws(AdminError) -> String? {
        if value.isNull { return nil }
        guard let text = value.string, withBytes(of: text, { TopicParts.isBundleID($0) }) else {
            throw AdminError(
                400, "bad-member", "topic is not a bundle ID", hint: "give one such as com.example.app, or null")
        }
        return withBytes(of: text) { $0.extracting(0..<TopicParts($0).bundleCount).text }
    }

    /// A phone's token is what its phone makes of it.
    private func refuseIfOnPhone(_ token: String) throws(AdminError) {
        guard let owner = shared.devices.phones.owner(ofToken: token) else { return }
        throw AdminError(
            409, "on-phone", "the token is of \(owner.app) on the phone \(owner.phone)",
            hint: "GET /v1/phones/\(owner.phone) tells what becomes of it, and PATCH changes that")
    }

    private func noToken(_ token: String) -> AdminError {
        AdminError(
            404, "no-such-token", "the token is not known", hint: "PUT /v1/tokens/\(token.prefix(8))… makes it known")
    }

    private func word<T>(
        _ value: JSONValue, _ member: String, _ cases: [T], _ word: (T) -> StaticString
    ) throws(AdminError) -> T {
        if let text = value.string, let found = cases.first(where: { word($0).description == text }) { return found }
        throw AdminError(
            400, "bad-member", "\(member) is not one of its words",
            hint: "there are: " + cases.map { word($0).description }.joined(separator: ", "))
    }

    /// A parameter that is a whole number in a range; nil when it is not given.
    func number(_ text: String?, named name: String, in range: ClosedRange<Int>) throws(AdminError) -> Int? {
        guard let text else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw AdminError(
                400, "bad-parameter", "\(name) is '\(text)'",
                hint: "give a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }
}

extension TokenRecord {
    var json: JSONValue {
        [
            "token": .string(token), "kind": .string(kind.word.description),
            "topic": topic.map(JSONValue.string) ?? .null,
            "environment": environment.map { .string($0.word.description) } ?? .null,
            "state": .string(state.word.description), "since": since.map { .string($0.iso8601) } ?? .null,
            "device": device.map(JSONValue.string) ?? .null,
            "connection": .string((connection ?? .online).word.description),
            "replacedBy": replacedBy.map(JSONValue.string) ?? .null, "frequentUpdates": .bool(hasFrequentUpdates),
        ]
    }
}

extension ActivityRecord {
    var json: JSONValue {
        [
            "token": .string(token), "topic": topic.map(JSONValue.string) ?? .null,
            "state": .string(state.word.description),
            "lastTimestamp": lastTimestamp.map(JSONValue.integer) ?? .null,
            "lastEvent": lastEvent.map { .string($0.word.description) } ?? .null,
            "startedAt": .string(startedAt.iso8601), "staleAt": staleAt.map { .string($0.iso8601) } ?? .null,
            "dismissedAt": dismissedAt.map { .string($0.iso8601) } ?? .null, "shown": .integer(Int64(shown)),
            "ignored": .integer(Int64(ignored)),
        ]
    }
}

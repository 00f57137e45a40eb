// Sendora Cloud's Live Activities and Live Updates: a row for each activity, which its caller updates and ends by its id, and
// which goes to APNs or to FCM (claims R3).

import Basics

struct SendoraDialect: Dialect {
    typealias Said = SendoraState
    typealias Shown = SendoraState

    /// Of a payload in bytes: APNs takes so many (R3.32), and FCM so many of data.
    static let payloadMax = 4_096

    let defects: Set<Defect>
    private let desk: SendoraDesk

    init(defects: Set<Defect>) {
        self.defects = defects
        desk = SendoraDesk(defects: defects)
    }

    private func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    /// No alerts of their own, no starts (R3.33), and one push for each update (R3.4).
    var policy: DialectPolicy {
        var policy = DialectPolicy(startsOnRequestOnly: true, tellsEachState: true)
        policy.webhooks = WebhookStyle(
            signature: "x-sendora-signature", isDated: true, pauses: [2, 8, 30, 90].map { .seconds($0) }, tellsTokens: false,
            isRegistered: true)
        return policy
    }

    var routes: [Route] { desk.routes }

    func begin(_ relay: RelayService) throws { try desk.begin(relay) }

    func reply(to ticket: EventTicket) -> Reply { SendoraReplies.done }

    func refusal(_ reason: Refusal) -> Reply { SendoraReplies.refusal(reason) }

    func content(stored: JSONValue) -> (any StateContent)? { SendoraState(stored: stored) }

    func timedOut(after latest: (any StateContent)?) -> any StateContent { latest ?? SendoraState(state: .object([:])) }

    // MARK: - What goes out

    /// Nothing is started by push.
    func start(_ state: SessionState, sessionID: String, stamp: Int64, alert event: RelayEvent) -> [UInt8] { [] }

    /// An end shows the last state for some minutes more (R3.13).
    func update(_ state: SessionState, stamp: Int64) -> [UInt8] {
        let stamp = has(.stampsByTheHour) ? stamp - stamp % 3_600 : stamp
        let shown = shown(in: state)
        var json = JSONBytes.activity(state.isFinal ? "end" : "update", stamp: stamp)
        json.value(shown.state)
        if let alert = shown.alert, !state.isFinal {
            json.raw(",\"alert\":")
            json.value(alert)
        } else if !state.isFinal, has(.soundsQuietUpdates) {
            json.raw(",\"sound\":\"default\"")
        }
        if state.isFinal {
            json.raw(",\"dismissal-date\":")
            json.integer(stamp + 240)
        }
        json.raw("}}")
        return json.bytes
    }

    /// Data alone, at priority high, in three texts (R3.6, R3.7). Of the states that wait for a device only the newest of an
    /// activity is kept, for the data does not say which is newer (R3.36).
    func message(_ state: SessionState, sessionID: String, token: String) -> [UInt8] {
        if let activity = desk.activityToken(of: sessionID) { return forApple(state, registration: token, activity: activity) }
        var data = Self.data(shown(in: state), isFinal: state.isFinal, id: sessionID)
        if has(.numbersInData) { data["attempt"] = .integer(1) }
        if has(.addsDataKey) { data["sentBy"] = .string("sendora") }
        if has(.reservedDataKey) { data["from"] = .string("sendora") }
        var android: JSONObject = [
            "priority": .string(has(.normalLiveUpdates) ? "NORMAL" : "HIGH"),
            "ttl": .string(has(.bareTTL) ? "3600" : "3600s"),
        ]
        if !has(.leavesOutCollapseKeys) { android["collapse_key"] = .string(has(.sharesCollapseKey) ? "order" : sessionID) }
        var message: JSONObject = ["token": .string(token), "data": .object(data), "android": .object(android)]
        if has(.twoTargets) { message["topic"] = .string("orders") }
        if has(.notifiesLiveUpdates) { message["notification"] = ["title": .string("Your order")] }
        var request: JSONObject = ["message": .object(message)]
        if has(.legacyFields) {
            request["to"] = .string(token)
            request["time_to_live"] = .integer(3_600)
        }
        if has(.dryRuns) { request["validate_only"] = .bool(true) }
        return JSONValue.object(request).encoded()
    }

    /// What an iPhone's activity is pushed, by way of FCM (docs/fcm.md §6).
    private func forApple(_ state: SessionState, registration: String, activity: String) -> [UInt8] {
        let payload = update(state, stamp: state.stamp ?? 0)
        var apns: JSONObject = [
            "headers": ["apns-priority": .string(state.eventType.isCalm ? "5" : "10")],
            "payload": (try? JSONValue(parsing: payload.span)) ?? [:],
        ]
        if !has(.leavesOutActivityTokens) { apns["live_activity_token"] = .string(activity) }
        return JSONValue.object(["message": ["token": .string(registration), "apns": .object(apns)]]).encoded()
    }

    private static func data(_ shown: SendoraState, isFinal: Bool, id: String) -> JSONObject {
        [
            "sendoraLiveActivityId": .string(id), "sendoraLiveActivityEvent": .string(isFinal ? "end" : "update"),
            "sendoraContentState": .string(shown.state.text),
        ]
    }

    /// Whether a push of it would be larger than its provider takes; of FCM keys and values count (docs/fcm.md §2).
    static func isTooLarge(_ state: SendoraState, of id: String, isMessage: Bool) -> Bool {
        if isMessage {
            let data = data(state, isFinal: false, id: id)
            return data.reduce(0) { $0 + $1.key.utf8.count + ($1.value.string?.utf8.count ?? 0) } > payloadMax
        }
        let session = SessionState(eventType: .message, content: state, sequence: 0)
        return SendoraDialect(defects: []).update(session, stamp: 9_999_999_999).count > payloadMax
    }
}

/// What a card shows: whatever its caller says, which replaces what was said before (R3.31), and how the phone is to sound.
struct SendoraState: StateContent, EventContent {
    var state: JSONValue
    /// Title and body.
    var alert: JSONValue?

    init(state: JSONValue, alert: JSONValue? = nil) {
        self.state = state
        self.alert = alert
    }

    init?(stored: JSONValue) { self.init(state: stored) }

    var stored: JSONValue { state }

    var marker: Substring {
        guard case .object(let members) = state else { return "" }
        let text = members.lazy.compactMap { $0.value.string }.first { $0.hasPrefix("pr.") || $0.contains(" pr.") }
        return (text ?? "").prefix { $0 != " " }
    }

    var altered: any StateContent { SendoraState(state: .object([:])) }

    func state(after latest: (any StateContent)?) -> any StateContent { self }
}

// The endpoints of Sendora, each in two shapes: with the organisation of the key, and with one in the path.
//
//     POST    …/push/live-activities/start-token    { pushToken, activityType, attributes, contentState, … } → id
//     GET     …/push/live-activities?externalId=&status=
//     PATCH   …/push/live-activities/<id>/update    { contentState, alert? }
//     DELETE  …/push/live-activities/<id>
//     POST    …/push/tokens                         { platform, token }
//     POST    …/webhooks                            { url } → id, secret
//     POST    …/webhooks/<id>/rotate                → secret
//     GET     /health
//
// An activity is the kit's session of that id, with an account of its own; its webhooks go out in order.

import Basics
import HTTP
import Net
import TLS

/// Confined to the relay's thread.
final class SendoraDesk {
    private typealias Work = (RelayService, ServerExchange, SendoraKey, _ id: String) throws -> Reply?

    private let defects: Set<Defect>
    /// From the beginning of service on.
    private var rows: SendoraRows!
    private var hooks: SendoraHooks!
    /// By activity.
    private var budgets: [String: SendoraBudget] = [:]
    private var meter = SendoraMeter()

    init(defects: Set<Defect>) { self.defects = defects }

    private func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    func begin(_ relay: RelayService) throws {
        rows = try SendoraRows(relay.storage.database)
        hooks = try SendoraHooks(relay.storage.database)
        relay.core.pruned = { [unowned self, unowned relay] lane, token, _ in
            relay.later {
                do { try self.invalidate(token, first: lane.session.id, relay) } catch {
                    relay.core.actions.append(.tell("a dead token's rows could not be written: \(error)"))
                }
            }
        }
        relay.core.aged = { [unowned self, unowned relay] session in
            relay.later {
                do { try self.expire(session.id, relay) } catch {
                    relay.core.actions.append(.tell("the row of an activity that grew too old could not be written: \(error)"))
                }
            }
        }
    }

    var routes: [Route] {
        let activities = "push/live-activities"
        return both("POST", activities + "/start-token", isPublic: true, register)
            + both("GET", activities, list) + both("PATCH", activities + "/*/update", update)
            + both("DELETE", activities + "/*", end)
            + both("POST", "push/tokens", isPublic: true, isPaid: false) { relay, _, _, _ in
                SendoraReplies.success(200, ["tokenId": .string(Self.newID(relay))])
            } + both("POST", "webhooks", isPaid: false, registerHook)
            + both("POST", "webhooks/*/rotate", isPaid: false, rotateHook) + [.health]
    }

    /// `isPublic`: apps may call it. `isPaid`: it wants the tier of Live Activities.
    private func both(
        _ method: String, _ path: String, isPublic: Bool = false, isPaid: Bool = true, _ work: @escaping Work
    ) -> [Route] {
        ["/api/v1/", "/api/v1/orgs/*/"].map { prefix in
            Route(method, prefix + path) { [self] relay, exchange, _ in
                do {
                    let segments = Route.segments(String((exchange.head.text(":path") ?? "").prefix { $0 != "?" }))
                    let id = path.contains("*/") ? segments[segments.count - 2] : segments.last ?? ""
                    let key = try key(exchange, of: String(id))
                    if let seconds = meter.take(key.organisation, at: relay.moment.wall) {
                        let said = has(.hidesRetryTime) ? nil : seconds
                        throw SendoraError(429, "RATE_LIMITED", "Too many calls in this minute", retryAfter: said)
                    }
                    if prefix.contains("*"), segments[4] != key.organisation, !has(.opensForeignRows) {
                        throw SendoraError(403, "FORBIDDEN", "The key is of another organisation")
                    }
                    if !isPublic, !key.isSecret, !has(.obeysPublicKeys) {
                        throw SendoraError(403, "FORBIDDEN", "A public key may register only")
                    }
                    if isPaid, !key.hasLiveActivities, !has(.servesAnyTier) {
                        throw SendoraError(402, "PAYMENT_REQUIRED", "tier_required: growth")
                    }
                    try work(relay, exchange, key, String(id))?.send(on: exchange)
                } catch let error as SendoraError {
                    error.reply.send(on: exchange)
                }
            }
        }
    }

    private func key(_ exchange: ServerExchange, of id: String) throws(SendoraError) -> SendoraKey {
        if has(.servesWithoutKeys), exchange.head.text("x-api-key") == nil, let row = rows.rows[id] {
            return SendoraKey(anybodyOf: row.organisation)
        }
        return try SendoraKey(exchange.head)
    }

    // MARK: - Rows

    private func register(_ relay: RelayService, _ exchange: ServerExchange, _ key: SendoraKey, _: String) throws -> Reply? {
        let body = try relay.body(of: exchange)
        let fields = try RequestFields(body.bytes)
        guard case .object(let attributes)? = fields.object["attributes"],
            case .object(let state)? = fields.object["contentState"]
        else { throw InvalidBody() }
        let platform = try fields.optionalText("platform") ?? "ios"
        guard ["ios", "android"].contains(platform) else { throw InvalidBody() }
        var row = SendoraRow(
            id: Self.newID(relay), organisation: key.organisation, isAndroid: platform == "android",
            activityType: try fields.id("activityType"), token: try fields.token("pushToken"),
            attributes: JSONValue.object(attributes).text, externalID: try fields.optionalID("externalId"),
            userID: try fields.optionalID("userId"), state: JSONValue.object(state).text)
        guard row.isAndroid == row.token.contains(":") else { throw InvalidBody() }
        // Not Sendora's own: an iPhone reached by way of FCM has a registration there beside its activity's token (F22).
        if !row.isAndroid, let registration = try fields.optionalToken("fcmToken") {
            guard registration.contains(":") else { throw InvalidBody() }
            (row.token, row.activityToken) = (registration, row.token)
        }
        let known = has(.makesSecondRow) && row.externalID == nil ? nil : rows.known(row)
        guard known != nil || rows.hasRoom else { return relay.dialect.refusal(.full) }
        if let known { row.id = known.id }
        if let refusal = relay.core.register(
            ActivityRegistration(
                secret: Self.secret(of: row.id), sessionID: row.id, token: row.token, bundleID: try fields.bundleID(),
                environment: key.environment), now: relay.moment)
        {
            return relay.dialect.refusal(refusal)
        }
        try rows.save(row)
        if known == nil { tell("started", row, relay) }
        if has(.startsByPush) { start(row, state, relay) }
        return SendoraReplies.success(known == nil ? 201 : 200, has(.answersWithoutID) ? [:] : ["id": .string(row.id)])
    }

    private func list(_ relay: RelayService, _ exchange: ServerExchange, _ key: SendoraKey, _: String) throws -> Reply? {
        let query = RowRequest.query(of: exchange)
        func asked(_ name: String) -> String? { query.first { $0.name == name }?.value }
        let found = rows.list(key.organisation, externalID: asked("externalId"), status: asked("status"))
        let now = relay.moment.wall
        let list = found.map { row in
            let count = budgets[row.id]?.count(at: now) ?? 0
            return row.json(updatesThisHour: count, isOverBudget: count >= SendoraBudget.warnsAt)
        }
        return .json(200, ["success": true, "data": .array(list)])
    }

    /// The row of that id, for whoever may see it.
    private func row(_ id: String, _ key: SendoraKey) throws(SendoraError) -> SendoraRow {
        guard let row = rows.rows[id], row.status != .ended || has(.endsAgain),
            row.organisation == key.organisation || has(.opensForeignRows)
        else {
            throw SendoraError(404, "NOT_FOUND", "There is no such activity")
        }
        return row
    }

    // MARK: - Webhooks

    private func registerHook(
        _ relay: RelayService, _ exchange: ServerExchange, _ key: SendoraKey, _: String
    ) throws -> Reply? {
        let body = try relay.body(of: exchange)
        let url = try RequestFields(body.bytes).object["url"]?.string ?? ""
        guard SendoraHooks.place(of: url) != nil else { throw InvalidBody() }
        guard hooks.hasRoom(for: key.organisation) else { return relay.dialect.refusal(.full) }
        let hook = try hooks.register(url, of: key.organisation, id: Self.newID(relay), secret: Self.newSecret())
        return SendoraReplies.success(201, ["id": .string(hook.id), "secret": .string(hook.secret)])
    }

    private func rotateHook(
        _ relay: RelayService, _ exchange: ServerExchange, _ key: SendoraKey, _ id: String
    ) throws -> Reply? {
        guard let hook = try hooks.rotate(id, of: key.organisation, to: Self.newSecret(), at: relay.moment.wall) else {
            throw SendoraError(404, "NOT_FOUND", "There is no such webhook")
        }
        return SendoraReplies.success(200, ["id": .string(hook.id), "secret": .string(hook.secret)])
    }

    // MARK: - What is said

    private func update(_ relay: RelayService, _ exchange: ServerExchange, _ key: SendoraKey, _ id: String) throws -> Reply? {
        let body = try relay.body(of: exchange)
        let fields = try RequestFields(body.bytes)
        guard case .object(let state)? = fields.object["contentState"] else { throw InvalidBody() }
        var content = SendoraState(state: .object(has(.writesNumbersAsTexts) ? Self.inTexts(state) : state))
        if let alert = fields.object["alert"] {
            guard alert["title"]?.string != nil, alert["body"]?.string != nil else { throw InvalidBody() }
            if !has(.dropsUpdateAlerts) { content.alert = alert }
        }
        var row = try row(id, key)
        if has(.mergesStates) { content.state = Self.merge(row.state, with: content.state) }
        if !has(row.isAndroid ? .measuresNoMessages : .measuresNoPayloads),
            SendoraDialect.isTooLarge(content, of: id, isMessage: row.isAndroid)
        {
            throw SendoraError(413, "PAYLOAD_TOO_LARGE", "A push of it would be larger than 4096 bytes")
        }
        let now = relay.moment.wall
        let wasInThisSecond = budgets[id]?.newest?.seconds == now.seconds
        let count = budgets[id, default: SendoraBudget()].add(at: now)
        if has(.refusesBeyondBudget), count >= SendoraBudget.warnsAt {
            throw SendoraError(429, "BUDGET_EXCEEDED", "The activity has had its updates of this hour")
        }
        row.state = content.state.text
        try rows.save(row)
        tell("updated", row, relay)
        if has(.keepsFirstOfSecond), wasInThisSecond { return SendoraReplies.done }
        // Its token is dead: there is nobody to push to until another registers (R3.17).
        guard row.status == .active else { return SendoraReplies.success(200, ["status": .string(row.status.rawValue)]) }
        // What makes no sound spends none of the phone's budget beyond its share of it (R3.21).
        let isCalm = count > SendoraBudget.urgent && content.alert == nil
        relay.core.handle(
            RelayEvent(secret: Self.secret(of: id), type: isCalm ? .background : .message, sessionID: id, content: content),
            ticket: EventTicket(context: exchange), now: relay.moment)
        return nil
    }

    private func end(_ relay: RelayService, _ exchange: ServerExchange, _ key: SendoraKey, _ id: String) throws -> Reply? {
        var row = try row(id, key)
        let wasActive = row.status == .active
        row.status = .ended
        try rows.save(row)
        guard wasActive || has(.endsAgain) else { return SendoraReplies.done }
        budgets[id] = nil
        tell("ended", row, relay)
        let state = SendoraState(state: (try? JSONValue(parsing: row.state)) ?? .object([:]))
        relay.core.handle(
            RelayEvent(secret: Self.secret(of: id), type: .complete, sessionID: id, content: state),
            ticket: EventTicket(context: exchange), now: relay.moment)
        return nil
    }

    /// Its provider calls the token dead: that goes for each row that has it (R3.17, R3.35).
    private func invalidate(_ token: String, first id: String, _ relay: RelayService) throws {
        // A row whose token has changed meanwhile lives on.
        let dead = rows.active(withToken: token)
        for var row in dead.filter({ $0.id == id }) + dead.filter({ $0.id != id }) {
            let session = relay.core.registry.accounts[Self.secret(of: row.id)]?.sessions[row.id]
            for lane in session?.lanes ?? [] where lane.token == token { relay.core.remove(lane, now: relay.moment) }
            row.status = .invalidated
            try rows.save(row)
            tell("invalidated", row, relay)
            if has(.endsDeadRows) { tell("ended", row, relay) }
        }
    }

    /// It has grown too old, and its end is on its way (R3.23).
    private func expire(_ id: String, _ relay: RelayService) throws {
        guard var row = rows.rows[id], row.status == .active else { return }
        row.status = .ended
        try rows.save(row)
        budgets[id] = nil
        tell("ended", row, relay)
    }

    private func tell(_ what: String, _ row: SendoraRow, _ relay: RelayService) {
        if what == "started" && has(.tellsNoStarts) || what == "ended" && has(.tellsNoEnds) { return }
        relay.webhooks?.post(
            [
                "type": .string("push.live_activity_" + what),
                "data": ["id": .string(row.id), "token": .string(row.token), "contentState": .string(row.state)],
            ], of: row.id,
            to: hooks.isRegistered(row.organisation)
                ? { [hooks] in hooks?.target(of: row.organisation, at: relay.moment.wall) } : nil)
    }

    private static func newSecret() -> String { "whsec_" + Hex.encode(secretBytes(count: 24).span) }

    private static func newID(_ relay: RelayService) -> String { UUIDBytes(using: &relay.core.chance).text() }

    /// Where an iPhone's activity is reached by way of FCM.
    func activityToken(of id: String) -> String? { rows?.rows[id]?.activityToken }

    /// Each activity is an account of the kit's.
    static func secret(of id: String) -> SecretHash { SecretHash(digest: withBytes(of: id) { sha256($0) }) }
}

// The endpoints of Epilogue's server, as a working one needs them (spec/relays.md §5.1), in the words of the app's manager
// and of servers that do the same:
//
//     POST /v1/register-device    { secret, deviceToken, pushToStartToken?, bundleId?, apnsEnv? }
//     POST /v1/start-session      { secret, sessionID, eventID?, startTime?, title?, body?, content… }
//     POST /v1/register-activity  { secret, sessionID, activityToken, deviceToken?, startTime?, bundleId?, apnsEnv? }
//     POST /v1/update-content     { secret, sessionID, eventID?, content… }
//     POST /v1/end-session        { secret, sessionID, eventID?, content… }
//     GET  /health
//
// content…: any of bookTitle, capturedCount, isListening, lastTranscript, pagesRead, coverAccentHex, nudgeMessage, nudgeIcon.
// A call that sets a nudge asks for the user's attention and is not coalesced. `startTime` is in seconds since 2001, that of
// `register-activity` the attribute of the activity that is registered. `eventID` comes back beside `aps` in each push that
// shows the event.

import Basics
import HTTP
import Net

struct EpilogueTransport {
    let defects: Set<Defect>

    var routes: [Route] {
        [
            Route("POST", "/v1/register-device", serve: registerDevice),
            Route("POST", "/v1/start-session") { try take(.start, $0, $1, $2) },
            Route("POST", "/v1/register-activity", serve: registerActivity),
            Route("POST", "/v1/update-content") { try take(.progress, $0, $1, $2) },
            Route("POST", "/v1/end-session") { try take(.complete, $0, $1, $2) },
            Route("GET", "/health", serve: health),
        ]
    }

    private func take(
        _ type: EventType, _ relay: RelayService, _ exchange: ServerExchange, _ isForwarded: Bool
    ) throws {
        let body = try relay.body(of: exchange)
        let event = try Self.event(type, body.bytes, at: relay.moment.wall)
        try relay.route(event.secret, exchange, isForwarded: isForwarded) {
            relay.core.handle(event, ticket: EventTicket(context: exchange), now: relay.moment)
        }
    }

    private func registerDevice(_ relay: RelayService, _ exchange: ServerExchange, _ isForwarded: Bool) throws {
        let body = try relay.body(of: exchange)
        let registration = try Requests.registerDevice(body.bytes)
        try relay.route(registration.secret, exchange, isForwarded: isForwarded, claims: true) {
            try relay.checkStorage()
            let refusal = relay.core.register(registration, now: relay.moment)
            (refusal.map(Replies.refusal) ?? Replies.done).send(on: exchange)
        }
    }

    private func registerActivity(_ relay: RelayService, _ exchange: ServerExchange, _ isForwarded: Bool) throws {
        let body = try relay.body(of: exchange)
        let registration = try Self.activity(body.bytes)
        try relay.route(registration.secret, exchange, isForwarded: isForwarded, claims: true) {
            try relay.checkStorage()
            let refusal = relay.core.register(registration, now: relay.moment)
            (refusal.map(Replies.refusal) ?? Replies.done).send(on: exchange)
        }
    }

    private func health(_ relay: RelayService, _ exchange: ServerExchange, _: Bool) throws {
        let devices = Int64(relay.core.registry.deviceCount)
        Replies.health(devices: devices, deliveries: relay.storage.deliveries).send(on: exchange)
    }

    // MARK: - Bodies

    static func activity(_ body: Span<UInt8>) throws(InvalidBody) -> ActivityRegistration {
        var registration = try Requests.registerActivity(body)
        if let time = try seconds(RequestFields(body)) {
            registration.bornAt = WallTime(seconds: EpilogueDialect.referenceDate) + .seconds(time)
        }
        return registration
    }

    static func event(_ type: EventType, _ body: Span<UInt8>, at wall: WallTime) throws(InvalidBody) -> RelayEvent {
        let fields = try RequestFields(body)
        var event = EpilogueEvent(type: type, at: wall.seconds, eventID: try fields.optionalID("eventID"))
        event.title = try fields.optionalText("title")
        event.body = try fields.optionalText("body")
        event.startTime = try seconds(fields)
        event.bookTitle = try clearable(fields.object["bookTitle"])
        event.coverAccentHex = try clearable(fields.object["coverAccentHex"])
        event.nudgeMessage = try clearable(fields.object["nudgeMessage"])
        event.nudgeIcon = try clearable(fields.object["nudgeIcon"])
        event.capturedCount = try count(fields.object["capturedCount"])
        event.pagesRead = try count(fields.object["pagesRead"])
        if let value = fields.object["lastTranscript"] {
            guard let text = value.string else { throw InvalidBody() }
            event.lastTranscript = text
        }
        if let value = fields.object["isListening"] {
            guard let flag = value.bool else { throw InvalidBody() }
            event.isListening = flag
        }
        if type == .progress, event.nudgeMessage.flatMap({ $0 }) != nil { event.type = .permission }
        return RelayEvent(
            secret: try fields.secret(), type: event.type, sessionID: try fields.id("sessionID"), content: event)
    }

    /// Since 2001, not before, and before 2318.
    private static func seconds(_ fields: RequestFields) throws(InvalidBody) -> Double? {
        guard let value = fields.object["startTime"] else { return nil }
        guard let number = value.double, (0...1e10).contains(number) else { throw InvalidBody() }
        return number
    }

    private static func clearable(_ value: JSONValue?) throws(InvalidBody) -> String?? {
        guard let value else { return nil }
        guard value.isNull || value.string != nil else { throw InvalidBody() }
        return .some(value.string)
    }

    private static func count(_ value: JSONValue?) throws(InvalidBody) -> Int64? {
        guard let value else { return nil }
        guard let count = value.int, count >= 0 else { throw InvalidBody() }
        return count
    }
}

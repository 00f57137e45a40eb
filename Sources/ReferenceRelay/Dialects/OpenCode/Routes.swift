// The seven endpoints of spec/relays.md §1.1. Relays that speak like OpenCode's read their events in their own way.

import Basics
import HTTP
import Net

struct OpenCodeTransport {
    /// Reads the body of `/v1/event`.
    let event: (Span<UInt8>) throws(InvalidBody) -> RelayEvent

    var routes: [Route] {
        [
            Route("POST", "/v1/event", serve: takeEvent),
            Route("POST", "/v1/device/register", serve: registerDevice),
            Route("POST", "/v1/device/unregister", serve: unregisterDevice),
            Route("POST", "/v1/activity/register", serve: registerActivity),
            Route("POST", "/v1/activity/unregister", serve: unregisterActivity),
            Route("GET", "/health", serve: health),
            Route("GET", "/", serve: dashboard),
        ]
    }

    private func takeEvent(_ relay: RelayService, _ exchange: ServerExchange, _ isForwarded: Bool) throws {
        let body = try relay.body(of: exchange)
        let event = try event(body.bytes)
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

    private func unregisterDevice(_ relay: RelayService, _ exchange: ServerExchange, _ isForwarded: Bool) throws {
        let body = try relay.body(of: exchange)
        let request = try Requests.unregisterDevice(body.bytes)
        try relay.route(request.secret, exchange, isForwarded: isForwarded) {
            try relay.checkStorage()
            relay.core.unregisterDevice(request.token, of: request.secret)
            Replies.done.send(on: exchange)
        }
    }

    private func registerActivity(_ relay: RelayService, _ exchange: ServerExchange, _ isForwarded: Bool) throws {
        let body = try relay.body(of: exchange)
        let registration = try Requests.registerActivity(body.bytes)
        try relay.route(registration.secret, exchange, isForwarded: isForwarded, claims: true) {
            try relay.checkStorage()
            let refusal = relay.core.register(registration, now: relay.moment)
            (refusal.map(Replies.refusal) ?? Replies.done).send(on: exchange)
        }
    }

    private func unregisterActivity(_ relay: RelayService, _ exchange: ServerExchange, _ isForwarded: Bool) throws {
        let body = try relay.body(of: exchange)
        let request = try Requests.unregisterActivity(body.bytes)
        try relay.route(request.secret, exchange, isForwarded: isForwarded) {
            try relay.checkStorage()
            relay.core.unregisterActivity(
                request.sessionID, token: request.token, of: request.secret, now: relay.moment)
            Replies.done.send(on: exchange)
        }
    }

    /// All processes count together (R0.45).
    private func health(_ relay: RelayService, _ exchange: ServerExchange, _: Bool) throws {
        let storage = relay.storage
        guard relay.router != nil else {
            let devices = Int64(relay.core.registry.deviceCount)
            return Replies.health(devices: devices, deliveries: storage.deliveries).send(on: exchange)
        }
        try storage.flush(force: true)
        Replies.health(devices: try storage.countDevices(), deliveries: try storage.countDeliveries())
            .send(on: exchange)
    }

    private func dashboard(_ relay: RelayService, _ exchange: ServerExchange, _: Bool) throws {
        try relay.storage.flush(force: true)
        let page = Dashboard.page(
            devices: try relay.storage.newestDevices(100), deliveries: try relay.storage.newestDeliveries(20))
        Reply(status: 200, contentType: "text/html; charset=utf-8", body: Array(page.utf8)).send(on: exchange)
    }
}

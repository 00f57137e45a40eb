// The seven endpoints of spec/relays.md §1.1, and to which process a request goes where there are several.

import Basics
import HTTP
import Net

extension RelayService {
    static let bodyBytesMax = 65_536

    func handle(_ exchange: ServerExchange) { handle(exchange, isForwarded: false) }

    /// `isForwarded`: a peer has handed it on, because this process works for its secret.
    func handle(_ exchange: ServerExchange, isForwarded: Bool) {
        count(exchange)
        let head = exchange.head
        let method = head.text(":method") ?? ""
        let path = String((head.text(":path") ?? "").prefix { $0 != "?" })
        orRefuse(exchange) {
            switch (method, path) {
            case ("POST", "/v1/event"): try event(exchange, isForwarded)
            case ("POST", "/v1/device/register"): try registerDevice(exchange, isForwarded)
            case ("POST", "/v1/device/unregister"): try unregisterDevice(exchange, isForwarded)
            case ("POST", "/v1/activity/register"): try registerActivity(exchange, isForwarded)
            case ("POST", "/v1/activity/unregister"): try unregisterActivity(exchange, isForwarded)
            case ("GET", "/health"), ("HEAD", "/health"): try health(exchange)
            case ("GET", "/"), ("HEAD", "/"): try dashboard(exchange)
            default: Replies.notFound.send(on: exchange)
            }
        }
        work()
    }

    private func orRefuse(_ exchange: ServerExchange, _ body: () throws -> Void) {
        do {
            try body()
        } catch is InvalidBody {
            (options.defects.contains(.acceptsBadRequests) ? Replies.done : Replies.invalidBody).send(on: exchange)
        } catch let failure as Failure {
            Replies.failure(failure.message).send(on: exchange)
        } catch {
            Replies.failure("internal error").send(on: exchange)
        }
    }

    // MARK: - Endpoints

    private func event(_ exchange: ServerExchange, _ isForwarded: Bool) throws {
        let body = try body(of: exchange)
        let event = try Requests.event(body.bytes)
        try route(event.secret, exchange, isForwarded: isForwarded) { [self] in
            core.handle(event, ticket: EventTicket(context: exchange), now: moment)
        }
    }

    private func registerDevice(_ exchange: ServerExchange, _ isForwarded: Bool) throws {
        let body = try body(of: exchange)
        let registration = try Requests.registerDevice(body.bytes)
        try route(registration.secret, exchange, isForwarded: isForwarded, claims: true) { [self] in
            try checkStorage()
            Replies.registration(core.register(registration, now: moment)).send(on: exchange)
        }
    }

    private func unregisterDevice(_ exchange: ServerExchange, _ isForwarded: Bool) throws {
        let body = try body(of: exchange)
        let request = try Requests.unregisterDevice(body.bytes)
        try route(request.secret, exchange, isForwarded: isForwarded) { [self] in
            try checkStorage()
            core.unregisterDevice(request.token, of: request.secret)
            Replies.done.send(on: exchange)
        }
    }

    private func registerActivity(_ exchange: ServerExchange, _ isForwarded: Bool) throws {
        let body = try body(of: exchange)
        let registration = try Requests.registerActivity(body.bytes)
        try route(registration.secret, exchange, isForwarded: isForwarded, claims: true) { [self] in
            try checkStorage()
            Replies.registration(core.register(registration, now: moment)).send(on: exchange)
        }
    }

    private func unregisterActivity(_ exchange: ServerExchange, _ isForwarded: Bool) throws {
        let body = try body(of: exchange)
        let request = try Requests.unregisterActivity(body.bytes)
        try route(request.secret, exchange, isForwarded: isForwarded) { [self] in
            try checkStorage()
            core.unregisterActivity(request.sessionID, token: request.token, of: request.secret, now: moment)
            Replies.done.send(on: exchange)
        }
    }

    /// All processes count together (R0.45).
    private func health(_ exchange: ServerExchange) throws {
        guard router != nil else {
            let devices = Int64(core.registry.deviceCount)
            return Replies.health(devices: devices, deliveries: storage.deliveries).send(on: exchange)
        }
        try storage.flush(force: true)
        Replies.health(devices: try storage.countDevices(), deliveries: try storage.countDeliveries())
            .send(on: exchange)
    }

    private func dashboard(_ exchange: ServerExchange) throws {
        try storage.flush(force: true)
        let page = Dashboard.page(
            devices: try storage.newestDevices(100), deliveries: try storage.newestDeliveries(20))
        Reply(status: 200, contentType: "text/html; charset=utf-8", body: Array(page.utf8)).send(on: exchange)
    }

    private func body(of exchange: ServerExchange) throws(InvalidBody) -> ByteBuffer {
        guard exchange.body.count <= Self.bodyBytesMax else { throw InvalidBody() }
        return exchange.body
    }

    // MARK: - Whose it is

    /// Runs `body` where this process works for the secret, and has its owner answer where another does.
    private func route(
        _ secret: SecretHash, _ exchange: ServerExchange, isForwarded: Bool, claims: Bool = false,
        _ body: @escaping () throws -> Void
    ) throws {
        guard let router else { return try body() }
        let place = try router.place(of: secret, claims: claims)
        try carryOut(place, secret, exchange, isForwarded: isForwarded, body)
    }

    private func carryOut(
        _ place: PeerRouter.Place, _ secret: SecretHash, _ exchange: ServerExchange, isForwarded: Bool,
        _ body: @escaping () throws -> Void
    ) throws {
        switch place {
        case .nowhere: try body()
        case .here(let rows):
            if let rows { core.restore(rows, takesIDs: false, now: moment) }
            try body()
        case .peer(let owner):
            guard !isForwarded else { throw Failure(.run, "another process is in charge") }
            router?.forward(exchange, to: owner) { [self] reply in
                if let reply { return reply.send(on: exchange) }
                orRefuse(exchange) {
                    guard let place = try router?.takeOver(secret, from: owner) else { return }
                    try carryOut(place, secret, exchange, isForwarded: isForwarded, body)
                }
                work()
            }
        }
    }
}

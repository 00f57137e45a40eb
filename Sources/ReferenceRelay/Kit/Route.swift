// Endpoints: what a dialect has of its own, and those that all relays have under one path or another.

import Basics
import HTTP
import Net

/// One endpoint. `isForwarded`: a peer has handed the request on, because this process works for its secret.
struct Route {
    var method: String
    var path: String
    var serve: (_ service: RelayService, _ exchange: ServerExchange, _ isForwarded: Bool) throws -> Void

    init(
        _ method: String, _ path: String,
        serve: @escaping (_ service: RelayService, _ exchange: ServerExchange, _ isForwarded: Bool) throws -> Void
    ) {
        self.method = method
        self.path = path
        self.serve = serve
    }

    /// What a GET answers, HEAD does without the body. A `*` in a route's path stands for any one segment.
    func answers(_ method: String, _ path: String) -> Bool {
        fits(path) && (self.method == method || self.method == "GET" && method == "HEAD")
    }
}

extension Route {
    private func fits(_ path: String) -> Bool {
        guard self.path.contains("*") else { return self.path == path }
        let (own, asked) = (Self.segments(self.path), Self.segments(path))
        return own.count == asked.count && zip(own, asked).allSatisfy { $0 == "*" ? !$1.isEmpty : $0 == $1 }
    }

    static func segments(_ path: String) -> [Substring] { path.split(separator: "/", omittingEmptySubsequences: false) }

    /// Reads a body and has the process in charge of its secret do the work: the answer is what comes of it. `claims`: a
    /// secret that nobody is in charge of becomes this process's.
    static func post<Request: Owned>(
        _ path: String, claims: Bool = false,
        _ read: @escaping (Span<UInt8>) throws(InvalidBody) -> Request,
        _ work: @escaping (RelayService, Request) -> Refusal?
    ) -> Route {
        Route("POST", path) { relay, exchange, isForwarded in
            let body = try relay.body(of: exchange)
            let request = try read(body.bytes)
            try relay.route(request.secret, exchange, isForwarded: isForwarded, claims: claims) {
                try relay.checkStorage()
                (work(relay, request).map(relay.dialect.refusal) ?? relay.dialect.done).send(on: exchange)
            }
        }
    }

    static func registerDevice(_ path: String) -> Route {
        post(path, claims: true, Requests.registerDevice) { $0.core.register($1, now: $0.moment) }
    }

    static func registerActivity(
        _ path: String,
        _ read: @escaping (Span<UInt8>) throws(InvalidBody) -> ActivityRegistration = Requests.registerActivity
    ) -> Route {
        post(path, claims: true, read) { $0.core.register($1, now: $0.moment) }
    }

    static func unregisterDevice(_ path: String) -> Route {
        post(path, Requests.unregisterDevice) { relay, request in
            relay.core.unregisterDevice(request.token, of: request.secret, now: relay.moment)
            return nil
        }
    }

    static func unregisterActivity(_ path: String) -> Route {
        post(path, Requests.unregisterActivity) { relay, request in
            let isRefused = relay.core.refusesGoodbye(request.sessionID, of: request.secret)
            relay.core.unregisterActivity(request.sessionID, token: request.token, of: request.secret, now: relay.moment)
            return isRefused ? .notFound : nil
        }
    }

    /// An event is answered when its pushes are, or as the options say.
    static func event(
        _ path: String, _ read: @escaping (Span<UInt8>, WallTime) throws(InvalidBody) -> RelayEvent
    ) -> Route {
        Route("POST", path) { relay, exchange, isForwarded in
            let body = try relay.body(of: exchange)
            let event = try read(body.bytes, relay.moment.wall)
            let text = relay.webhooks == nil ? nil : try? RequestFields(body.bytes).object["body"]?.string
            try relay.route(event.secret, exchange, isForwarded: isForwarded) {
                relay.core.handle(event, ticket: EventTicket(context: exchange), now: relay.moment)
                relay.webhooks?.happened(event, text: text)
            }
        }
    }

    /// All processes count together (R0.45).
    static var health: Route {
        Route("GET", "/health") { relay, exchange, _ in
            let storage = relay.storage
            guard relay.router != nil else {
                let devices = Int64(relay.core.registry.deviceCount)
                return Replies.health(devices: devices, deliveries: storage.deliveries).send(on: exchange)
            }
            try storage.flush(force: true)
            Replies.health(devices: try storage.countDevices(), deliveries: try storage.countDeliveries())
                .send(on: exchange)
        }
    }
}

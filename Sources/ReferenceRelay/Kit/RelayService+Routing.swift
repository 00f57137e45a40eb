// From a request to its endpoint, and to which process it goes where there are several.

import Basics
import Glibc
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
        if let route = routes.first(where: { $0.answers(method, path) }) {
            orRefuse(exchange) { try route.serve(self, exchange, isForwarded) }
        } else {
            dialect.refusal(.notFound).send(on: exchange)
        }
        work()
    }

    private func orRefuse(_ exchange: ServerExchange, _ body: () throws -> Void) {
        do {
            try body()
        } catch is InvalidBody {
            if options.defects.contains(.failsOnLongIDs), Self.hasLongText(exchange.body) {
                return dialect.refusal(.internalError("value too long for its column")).send(on: exchange)
            }
            if options.defects.contains(.failsOnMalformed), Self.isMalformed(exchange.body) {
                return dialect.refusal(.internalError("Unexpected end of JSON input")).send(on: exchange)
            }
            if options.defects.contains(.diesOfMalformed), Self.isMalformed(exchange.body) { _exit(70) }
            let isTaken = options.defects.contains(.acceptsBadRequests)
                || options.defects.contains(.acceptsEmptyTitles) && Self.hasEmptyTitle(exchange.body)
            (isTaken ? dialect.done : dialect.refusal(.invalidBody)).send(on: exchange)
        } catch let failure as Failure {
            dialect.refusal(.internalError(failure.message)).send(on: exchange)
        } catch {
            dialect.refusal(.internalError("internal error")).send(on: exchange)
        }
    }

    /// Defect `fails-on-long-ids`: whether more stands between two quotes than a column holds.
    private static func hasLongText(_ body: ByteBuffer) -> Bool {
        var length = 0
        let body = body.bytes
        for index in body.indices {
            length = body[index] == UInt8(ascii: "\"") ? 0 : length + 1
            if length > RelayLimits.idCharacters { return true }
        }
        return false
    }

    /// Defects `fails-on-malformed` and `dies-of-malformed`.
    private static func isMalformed(_ body: ByteBuffer) -> Bool { (try? RequestFields(body.bytes))?.object == nil }

    /// Defect `accepts-empty-titles`.
    private static func hasEmptyTitle(_ body: ByteBuffer) -> Bool {
        (try? RequestFields(body.bytes))?.object["title"] == .string("")
    }

    /// At most `bodyBytesMax`.
    func body(of exchange: ServerExchange) throws(InvalidBody) -> ByteBuffer {
        guard exchange.body.count <= Self.bodyBytesMax else { throw InvalidBody() }
        return exchange.body
    }

    // MARK: - Whose it is

    /// Runs `body` where this process works for the secret, and has its owner answer where another does.
    func route(
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

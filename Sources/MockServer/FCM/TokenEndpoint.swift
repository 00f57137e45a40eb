// The token endpoint of the mock: OAuth 2.0 with a signed assertion (spec/fcm.md §1.3).

import Basics
import FCM
import HTTP
import Journal
import Net

/// Confined to its loop.
final class TokenEndpoint {
    private let core: PipelineCore
    private let shared: FCMShared

    init(core: PipelineCore, shared: FCMShared) {
        self.core = core
        self.shared = shared
    }

    static func isPath(_ path: Span<UInt8>) -> Bool { path.equals("/token") || path.equals("/oauth2/v4/token") }

    /// What google-auth asks of iamcredentials beside its work (spec/fcm.md §0).
    static func isBackgroundCall(_ path: Span<UInt8>) -> Bool { path.hasPrefix("/v1/projects/-/serviceAccounts/") }

    /// 404, which does no harm.
    func answerBackgroundCall(_ exchange: ServerExchange) {
        GoogleFields.append(to: exchange)
        exchange.responseHead.append("content-type", ErrorBody.contentType(of: .notFound).description)
        exchange.respond(status: 404, body: Array(ErrorBody.text(of: .notFound).utf8))
        core.finish()
    }

    /// Each request is on record, for who asks for a token with every message is to be told.
    func answer(_ exchange: ServerExchange, now: WallTime) {
        let body = exchange.body
        let head = exchange.head
        let authority = head.index(of: ":authority").map { head.value(at: $0).text } ?? ""
        let reader = shared.reader(audiences: ["https://\(authority)/token", "http://\(authority)/token"])
        exchange.responseHead.append("content-type", "application/json; charset=UTF-8")
        GoogleFields.append(to: exchange)
        do throws(TokenRefusal) {
            let grant = try reader.read(body.bytes, now: now)
            let token = shared.access.issue(grant, now: now)
            note(exchange, 200, ["account": .string(grant.account)])
            let seconds = AccessTokens.lifetime.wholeSeconds - 1
            exchange.respond(status: 200, body: Array(tokenAnswer(accessToken: token, expiresIn: seconds).utf8))
        } catch {
            note(exchange, error.status, ["error": .string(error.error), "description": .string(error.description)])
            exchange.respond(status: error.status, body: Array(error.body.utf8))
        }
        core.finish()
    }

    private func note(_ exchange: ServerExchange, _ status: Int, _ facts: JSONObject) {
        var facts = facts
        facts["status"] = .integer(Int64(status))
        core.note(.accessToken, exchange.connection, facts)
    }
}

/// The fields that every answer of Google's front end has.
enum GoogleFields {
    static func append(to exchange: ServerExchange) {
        let fields = exchange.responseHead
        fields.append("vary", "X-Origin, Referer, Origin,Accept-Encoding")
        fields.append("server", "scaffolding on HTTPServer2")
        fields.append("x-xss-protection", "0")
        fields.append("x-frame-options", "SAMEORIGIN")
        fields.append("x-content-type-options", "nosniff")
        fields.append("accept-ranges", "none")
    }
}

// The token endpoint of the mock: OAuth 2.0 with a signed assertion (docs/fcm.md §1.3). Each request is on record, for who asks
// for a token with every message is to be told.

import Basics
import FCM
import Faults
import HTTP
import Journal
import Net
import Pushes

/// A request for an access token.
struct TokenCall: EndpointCall {
    private let shared: FCMShared
    private let now: WallTime
    private let grant: TokenGrant?
    let refusal: GoogleAnswer?

    init(_ exchange: ServerExchange, _ shared: FCMShared, now: WallTime) {
        self.shared = shared
        self.now = now
        let body = exchange.body
        let head = exchange.head
        let path = head.index(of: ":path").map { head.value(at: $0).text } ?? ""
        guard let method = head.index(of: ":method"), head.value(at: method).equals("POST") else {
            (grant, refusal) = (nil, .notFound(path))
            return
        }
        let authority = head.index(of: ":authority").map { head.value(at: $0).text } ?? ""
        let reader = shared.reader(audiences: ["https://\(authority)/token", "http://\(authority)/token"])
        do throws(TokenRefusal) {
            guard body.count <= FCMValidator.largestBody else { throw .tooLarge(FCMValidator.largestBody) }
            guard let type = head.index(of: "content-type"), TokenRequestReader.isForm(head.value(at: type)) else {
                throw .noForm
            }
            grant = try reader.read(body.bytes, now: now)
            refusal = nil
        } catch {
            grant = nil
            refusal = GoogleAnswer(error)
        }
    }

    /// With a query or without.
    static func isPath(_ path: Span<UInt8>) -> Bool {
        var end = 0
        while end < path.count, path[end] != UInt8(ascii: "?") { end += 1 }
        let plain = path.extracting(0..<end)
        return plain.equals("/token") || plain.equals("/oauth2/v4/token")
    }

    /// What google-auth asks of iamcredentials beside its work (docs/fcm.md §1); 404 does no harm.
    static func isBackgroundCall(_ path: Span<UInt8>) -> Bool { path.hasPrefix("/v1/projects/-/serviceAccounts/") }

    var endpoint: FaultEndpoint { .token }
    var kind: NoteKind { .accessToken }
    var record: JSONObject { [:] }
    var registration: String { "" }
    var topic: String { "" }

    func act() -> GoogleAnswer {
        guard let grant else { preconditionFailure("what is refused gets no token") }
        let token = shared.access.issue(grant, now: now)
        let seconds = AccessTokens.lifetime.wholeSeconds - 1
        var answer = GoogleAnswer(200, body: tokenAnswer(accessToken: token, expiresIn: seconds))
        answer.record = ["account": .string(grant.account)]
        return answer
    }

    func refuse(_ reason: NamedReason) -> GoogleAnswer { GoogleAnswer(TokenRefusal(reason)) }
}

extension GoogleAnswer {
    fileprivate init(_ refusal: TokenRefusal) {
        self.init(refusal.status, body: refusal.body)
        record = ["error": .string(refusal.error), "description": .string(refusal.description)]
    }
}

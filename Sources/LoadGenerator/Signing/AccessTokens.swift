// Access tokens of one loop (RFC 6749 §4.4): one for each client, fetched before the first call that needs it, again before
// it ends, and for all calls that wait for it at once.

import Basics
import EventLoop
import HTTP
import Net
import Planning
import Scenarios

/// Why there is no access token.
struct NoToken: Error {
    /// Holds nothing of what was sent or answered but a word of RFC 6749 §5.2.
    var words: String
    /// The relay itself did not answer.
    var failure: ClientFailure?
}

/// Confined to its loop. As many requests are under way as there are clients, and who waits takes a place in the window of
/// unanswered events, so all of it is bounded.
final class AccessTokens {
    fileprivate final class Grant {
        let spec: OAuth2Spec
        let path: String
        let pool: ClientPool
        let request = OutgoingRequest()
        var token: [UInt8] = []
        /// Of the token; 0 before the first.
        var number = 0
        var isUsable = false
        var freshUntil = Instant.distantFuture
        var waiting: [(NoToken?) -> Void] = []
        /// What came of the last try, until when nothing is tried again.
        var refusal: NoToken?
        var nextTry = Instant(nanoseconds: 0)

        init(_ spec: OAuth2Spec, path: String, pool: ClientPool) {
            self.spec = spec
            self.path = path
            self.pool = pool
        }
    }

    private let loop: EventLoop
    private var grants: [OAuth2Spec: Grant] = [:]

    /// After a refusal the next call that needs a token asks again no sooner than this.
    private static let pause = Interval.seconds(1)
    private static let longest = 8_192

    /// `client`: how the relay is spoken to. `targets`: the checked origins of token URLs that are none of the relay's paths;
    /// each is there. Throws when the certificate authorities cannot be read.
    init(
        _ workload: Workload, loop: EventLoop, relay: CheckedOrigin, client: ClientConfiguration,
        targets: [String: CheckedOrigin]
    ) throws {
        self.loop = loop
        for spec in workload.profile.tokenSpecs {
            var client = client
            client.maxConnections = 1
            if !spec.isOfRelay { (client.version, client.tls) = (.http1, TLSClientSettings()) }
            guard let target = spec.isOfRelay ? relay : targets[spec.tokenURL] else {
                throw Failure(.run, "nobody has checked \(spec.tokenURL)")
            }
            let path = spec.isOfRelay ? spec.tokenURL : try Origin.withPath(parsing: spec.tokenURL).path
            grants[spec] = Grant(spec, path: path, pool: try ClientPool(loop: loop, target: target, configuration: client))
        }
    }

    /// The token and its number; nil where there is none.
    func token(_ spec: OAuth2Spec) -> (bytes: [UInt8], number: Int)? {
        grants[spec].flatMap { $0.number > 0 ? ($0.token, $0.number) : nil }
    }

    /// A call may go with the token that is there.
    func isFresh(_ spec: OAuth2Spec) -> Bool {
        grants[spec].map { $0.isUsable && loop.clockNow() < $0.freshUntil } ?? false
    }

    /// The relay did not take the token of that number.
    func refuse(_ spec: OAuth2Spec, number: Int) {
        if let grant = grants[spec], grant.number == number { grant.isUsable = false }
    }

    /// Fetches a token, and then says whether it is there: later, or at once where the last try is too recent. `give`
    /// is called once.
    func fetch(_ spec: OAuth2Spec, _ give: @escaping (NoToken?) -> Void) {
        guard let grant = grants[spec] else { preconditionFailure("each spec of the profile has its grant") }
        if let refusal = grant.refusal, loop.clockNow() < grant.nextTry { return give(refusal) }
        grant.waiting.append(give)
        guard grant.waiting.count == 1 else { return }
        grant.write()
        grant.pool.send(grant.request) { [weak self, unowned grant] outcome in self?.settle(grant, outcome) }
    }

    /// What waits is told that the pool is closed.
    func close() { for grant in grants.values { grant.pool.close() } }

    private func settle(_ grant: Grant, _ outcome: ClientOutcome) {
        let now = loop.clockNow()
        do throws(NoToken) {
            let (token, seconds) = try Self.token(in: outcome, ofRelay: grant.spec.isOfRelay)
            grant.token = token
            grant.number += 1
            grant.isUsable = true
            // Not used in its last fifth, or its last half minute where that is less.
            grant.freshUntil = seconds.map { now + .seconds($0 - min(30, $0 / 5)) } ?? .distantFuture
            grant.refusal = nil
        } catch {
            grant.refusal = error
            grant.nextTry = now + Self.pause
        }
        let waiting = grant.waiting
        grant.waiting = []
        for give in waiting { give(grant.refusal) }
    }

    private static func token(
        in outcome: ClientOutcome, ofRelay: Bool
    ) throws(NoToken) -> (token: [UInt8], seconds: Double?) {
        let response: ClientResponse
        switch outcome {
        case .failed(let failure):
            throw NoToken(words: "no access token: no answer from the token URL", failure: ofRelay ? failure : nil)
        case .response(let answer): response = answer
        }
        func none(_ words: String) -> NoToken { NoToken(words: "no access token: the token URL answered " + words) }
        let isJSON = response.head.text("content-type")?.lowercased().contains("json") ?? false
        let answer = isJSON ? try? JSONValue(parsing: response.body.text) : nil
        guard response.status == 200 else {
            let word = answer?["error"]?.string.flatMap { errors.contains($0) ? ", \($0)" : nil } ?? ""
            throw none("\(response.status)\(word)")
        }
        guard let answer, answer.object != nil else { throw none("with what is no JSON") }
        if let word = answer["error"]?.string { throw none(errors.contains(word) ? "200, but \(word)" : "200 with an error") }
        guard let token = answer["access_token"]?.string, !token.isEmpty, token.utf8.count <= longest,
            token.utf8.allSatisfy({ 33...126 ~= $0 })
        else { throw none("200 without an `access_token`") }
        if let type = answer["token_type"]?.string, type.lowercased() != "bearer" {
            throw none("200 with a token that is no bearer token")
        }
        let seconds = answer["expires_in"].flatMap { $0.double ?? $0.string.flatMap(Double.init) }
        return (Array(token.utf8), seconds.flatMap { 0...1e9 ~= $0 ? $0 : nil })
    }

    /// RFC 6749 §5.2, and RFC 8707 §2.
    private static let errors: Set<String> = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
        "server_error", "temporarily_unavailable", "invalid_target",
    ]
}

extension AccessTokens.Grant {
    /// The request for a token, RFC 6749 §4.4.2.
    fileprivate func write() {
        let (head, body, encoding) = (request.head, request.body, TemplateEncoding.url)
        head.clear()
        head.append(":method", "POST")
        head.append(":path", path)
        head.append("content-type", "application/x-www-form-urlencoded")
        head.append("accept", "application/json")
        body.clear()
        body.append("grant_type=client_credentials")
        let (id, secret) = (Array(spec.clientID.utf8), spec.clientSecret.bytes)
        var fields = [("scope", spec.scope), ("audience", spec.audience)].compactMap { field in
            field.1.map { (field.0, Array($0.utf8)) }
        }
        switch spec.style {
        case .post: fields += [("client_id", id), ("client_secret", secret)]
        case .basic:
            let pair = ByteBuffer()
            encoding.append(id.span, into: pair)
            pair.append(58)
            encoding.append(secret.span, into: pair)
            let value = Array(("Basic " + Base64.encode(pair.bytes)).utf8)
            head.append(name: Array("authorization".utf8).span, value: value.span, neverIndexed: true)
        }
        for (name, value) in fields {
            body.append("&\(name)=")
            encoding.append(value.span, into: body)
        }
    }
}

extension Profile {
    /// Of all calls, each once.
    var tokenSpecs: Set<OAuth2Spec> { Set(calls.compactMap { $0.auth?.oauth2 }) }
}

extension Plan {
    /// Whole token URLs of its calls, which the load may call only when they were checked.
    package var tokenURLs: Set<String> {
        Set(workload.profile.tokenSpecs.filter { !$0.isOfRelay }.map(\.tokenURL))
    }
}

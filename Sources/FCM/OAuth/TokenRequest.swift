// What is asked of the token endpoint: the grant with a signed assertion (RFC 7523; docs/fcm.md §1.3), and why it is refused.

package import Basics
package import Pushes

/// An account that signs assertions.
package struct ServiceAccount: Sendable {
    package var email: String
    package var project: String
    /// `kid` of assertions; clients that send none are served too.
    package var keyID: String
    package var verifier: any AssertionVerifier

    package init(email: String, project: String, keyID: String, verifier: any AssertionVerifier) {
        self.email = email
        self.project = project
        self.keyID = keyID
        self.verifier = verifier
    }
}

/// Checks an RS256 signature (RSASSA-PKCS1-v1_5 with SHA-256).
package protocol AssertionVerifier: Sendable {
    func verify(_ message: Span<UInt8>, signature: Span<UInt8>) -> Bool
}

/// Why no access token is given: OAuth's error word with a sentence (RFC 6749 §5.2).
package struct TokenRefusal: Error, Hashable, Sendable {
    package var error: String
    /// Empty: only the word is told.
    package var description: String

    /// As the reasons of the token endpoint have it.
    package var status: Int { Int(NamedReason(word: error, in: .oauth)?.status ?? 400) }
    package var body: String {
        var object: JSONObject = ["error": .string(error)]
        if !description.isEmpty { object["error_description"] = .string(description) }
        return String(decoding: JSONValue.object(object).encoded(pretty: true), as: UTF8.self)
    }

    init(error: String, description: String) {
        self.error = error
        self.description = description
    }

    /// That reason of the token endpoint, with the sentence of its most frequent cause where one is known.
    package init(_ reason: NamedReason) {
        let word = reason.word.description
        let known = [Self.badSignature, .badScope].first { $0.error == word }
        self = known ?? TokenRefusal(error: word, description: "")
    }

    static let badSignature = TokenRefusal(error: "invalid_grant", description: "Invalid JWT Signature.")
    static let badTimes = TokenRefusal(
        error: "invalid_grant",
        description: "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
            + "Check your iat and exp values in the JWT claim.")
    static let noAccount = TokenRefusal(error: "invalid_grant", description: "Invalid grant: account not found")
    static let badAudience = TokenRefusal(error: "invalid_grant", description: "Invalid JWT: Failed audience check.")
    static let badScope = TokenRefusal(
        error: "invalid_scope", description: "Invalid OAuth scope or ID token audience provided.")
    static let badGrant = TokenRefusal(error: "unsupported_grant_type", description: "Invalid grant_type: ")
    static let noJWT = TokenRefusal(error: "invalid_grant", description: "Invalid JWT: not a signed token.")
    /// Of a body longer than so many bytes.
    package static func tooLarge(_ limit: Int) -> TokenRefusal {
        TokenRefusal(
            error: "invalid_request", description: "Request payload size exceeds the limit: \(limit) bytes.")
    }
    /// Of a body that is no form: it has no parameters.
    package static let noForm = missing("grant_type")
    static func missing(_ name: String) -> TokenRefusal {
        TokenRefusal(error: "invalid_request", description: "Missing required parameter: \(name)")
    }
}

/// What an assertion is good for.
package struct TokenGrant: Hashable, Sendable {
    package var account: String
    package var project: String
    /// With these one may send.
    package var maySend: Bool
}

/// Reads requests of a token endpoint. Pure.
package struct TokenRequestReader: Sendable {
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let google = ["https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token"]
    private static let sending = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]
    /// An assertion lives an hour; Google's documents allow five minutes more.
    private static let longestLife: Int64 = 3_900
    private static let skew: Int64 = 300
    private static let longestAssertion = 16_384

    private let accounts: [ServiceAccount]
    private let audiences: [String]

    /// `audiences`: the endpoint's own addresses, beside Google's, which most clients say whatever they were told (§1.3).
    package init(accounts: [ServiceAccount], audiences: [String]) {
        self.accounts = accounts
        self.audiences = audiences + Self.google
    }

    /// What says to be anything else than a form is read as none.
    package static func isForm(_ contentType: Span<UInt8>) -> Bool {
        let type = contentType.text.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "application/x-www-form-urlencoded"
    }

    package func read(_ body: Span<UInt8>, now: WallTime) throws(TokenRefusal) -> TokenGrant {
        guard let form = FormFields(body), let grant = form["grant_type"] else { throw .missing("grant_type") }
        guard grant == Self.grantType else {
            throw TokenRefusal(error: TokenRefusal.badGrant.error, description: TokenRefusal.badGrant.description + grant)
        }
        guard let assertion = form["assertion"] else { throw .missing("assertion") }
        return try read(assertion: assertion, now: now)
    }

    private func read(assertion: String, now: WallTime) throws(TokenRefusal) -> TokenGrant {
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard assertion.utf8.count <= Self.longestAssertion, parts.count == 3, let head = Self.object(parts[0]),
            let claims = Self.object(parts[1]), let signature = Base64URL.decode(parts[2])
        else { throw .noJWT }
        guard let issuer = claims["iss"]?.string, let account = accounts.first(where: { $0.email == issuer }) else {
            throw .noAccount
        }
        // An extension that must be understood is none that we do (RFC 7515 §4.1.11).
        guard head["crit"] == nil, head["alg"]?.string == "RS256",
            head["kid"]?.string.map({ $0 == account.keyID }) ?? true
        else { throw .badSignature }
        let signed = "\(parts[0]).\(parts[1])"
        guard withBytes(of: signed, { account.verifier.verify($0, signature: signature.span) }) else { throw .badSignature }
        guard let audience = claims["aud"]?.string, audiences.contains(audience) else { throw .badAudience }
        guard let issuedAt = claims["iat"]?.double, let expiresAt = claims["exp"]?.double else { throw .badTimes }
        let time = Double(now.seconds)
        guard issuedAt <= time + Double(Self.skew), expiresAt >= time, expiresAt - issuedAt <= Double(Self.longestLife),
            expiresAt > issuedAt
        else { throw .badTimes }
        let scopes = claims["scope"]?.string?.split(separator: " ").map(String.init) ?? []
        let areKnown = scopes.allSatisfy { scope in
            scope.hasPrefix("https://www.googleapis.com/auth/") || scope == "openid" || scope == "email"
        }
        guard !scopes.isEmpty, areKnown else { throw .badScope }
        return TokenGrant(
            account: account.email, project: account.project, maySend: scopes.contains(where: Self.sending.contains))
    }

    private static func object(_ part: String) -> JSONValue? {
        guard let bytes = Base64URL.decode(part) else { return nil }
        let value = try? JSONValue(parsing: bytes.span, maxDepth: 8)
        return value?.object == nil ? nil : value
    }
}

/// The answer with an access token (§1.3).
package func tokenAnswer(accessToken: String, expiresIn seconds: Int64) -> String {
    let object: JSONValue = [
        "access_token": .string(accessToken), "expires_in": .integer(seconds), "token_type": "Bearer",
    ]
    return object.text
}

// How a call proves from whom it comes: a credential in a header, or a signature over the request.

package import Basics
package import TLS

/// Of one call, with the templates of that call.
package struct AuthSpec: Sendable {
    package enum Kind: Sendable {
        /// A header with the secret behind `prefix`; a bearer token is one (RFC 6750).
        case plain(header: [UInt8], prefix: [UInt8], SecretValue)
        /// `authorization: Basic …` (RFC 7617).
        case basic(user: Template, password: SecretValue)
        case hmac(HMACSpec)
        case jwt(JWTSpec)
        case sigv4(SigV4Spec)
        /// `authorization: Bearer …` with a token that is fetched for all calls (RFC 6749 §4.4).
        case oauth2(OAuth2Spec)
    }

    package var kind: Kind
    /// The credential is made wrong on purpose.
    package var isSpoilt = false
    /// It is right, but as of so long ago, as whoever sends a request again would have it. Such a one is wrong on purpose, too.
    package var age: Interval?

    package init(kind: Kind) { self.kind = kind }

    /// Names of the headers it writes, in lower case.
    package var headers: [String] {
        let names: [[UInt8]] =
            switch kind {
            case .plain(let header, _, _): [header]
            case .basic, .oauth2: [Array("authorization".utf8)]
            case .hmac(let spec): spec.headers
            case .jwt(let spec): [spec.header]
            case .sigv4: SigV4Spec.headers
            }
        return names.map { String(decoding: $0, as: UTF8.self) }
    }

    /// All that it is rendered from.
    package var templates: [Template] {
        switch kind {
        case .plain(_, _, let secret): secret.templates
        case .basic(let user, let password): [user] + password.templates
        case .hmac(let spec):
            spec.key.templates
                + spec.over.compactMap { part in
                    if case .text(let template) = part { return template }
                    return nil
                } + (spec.parameters.map { [$0] } ?? [])
        case .jwt(let spec): (spec.claims.map { [$0] } ?? []) + spec.signing.templates
        case .sigv4(let spec):
            [spec.accessKeyID] + spec.secretAccessKey.templates + (spec.sessionToken?.templates ?? [])
        case .oauth2: []
        }
    }

    /// Why it is as good at any other time, or nil where it tells of its time.
    var timeless: String? {
        switch kind {
        case .plain, .basic, .oauth2: "has no time"
        case .hmac(let spec): spec.timestamp == nil ? "without `timestamp` has no time" : nil
        case .jwt, .sigv4: nil
        }
    }

    /// Secrets that are the same for all calls.
    package var kept: [KeptSecret] {
        switch kind {
        case .plain(_, _, let secret), .basic(_, let secret): secret.kept
        case .hmac(let spec): spec.key.kept
        case .jwt(let spec): if case .hs256(let key) = spec.signing { key.kept } else { [] }
        case .sigv4(let spec): spec.secretAccessKey.kept + (spec.sessionToken?.kept ?? [])
        case .oauth2(let spec): [spec.clientSecret]
        }
    }

    /// Where it needs an access token that is fetched.
    package var oauth2: OAuth2Spec? { if case .oauth2(let spec) = kind { spec } else { nil } }

    /// The field of the query that holds the signature.
    package var secretParameter: [UInt8]? {
        if case .hmac(let spec) = kind { spec.place.parameter } else { nil }
    }
}

/// A JSON Web Token (RFC 7519) that is minted for each call.
package struct JWTSpec: Sendable {
    package enum Algorithm: String, CaseIterable, Sendable {
        case hs256 = "HS256"
        case es256 = "ES256"
        case rs256 = "RS256"
        case rs384 = "RS384"
        case rs512 = "RS512"
    }

    package enum Signing: Sendable {
        case hs256(SecretValue)
        /// Nil where a saved run is read again, which signs nothing.
        case es256(P256PrivateKey?)
        case rsa(RSAPrivateKey?, RSAHash)

        var templates: [Template] { if case .hs256(let key) = self { key.templates } else { [] } }
    }

    package var signing: Signing
    /// The first part with the dot behind it.
    package var head: [UInt8]
    /// A JSON object, beside `iat` and `exp`; nil: those alone.
    package var claims: Template?
    /// Of `exp`, whole seconds.
    package var seconds: Int64
    package var header: [UInt8]
    package var prefix: [UInt8]
}

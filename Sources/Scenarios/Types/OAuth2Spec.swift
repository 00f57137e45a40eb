// OAuth 2.0 client credentials (RFC 6749 §4.4): one access token for all calls of the same client.

package struct OAuth2Spec: Hashable, Sendable {
    /// Where the client's name and secret stand in the request for a token (RFC 6749 §2.3.1).
    package enum Style: String, CaseIterable, Hashable, Sendable {
        /// In `authorization: Basic …`.
        case basic
        /// As `client_id` and `client_secret` in the form.
        case post
    }

    /// A path of the relay, or a whole URL.
    package var tokenURL: String
    package var clientID: String
    package var clientSecret: KeptSecret
    package var scope: String?
    package var audience: String?
    package var style = Style.basic

    package init(tokenURL: String, clientID: String, clientSecret: KeptSecret) {
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.clientSecret = clientSecret
    }

    /// The relay gives the tokens itself.
    package var isOfRelay: Bool { tokenURL.hasPrefix("/") }
}

extension KeptSecret: Hashable {
    package static func == (a: KeptSecret, b: KeptSecret) -> Bool { a.bytes == b.bytes }
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

// Whom the relay is to FCM: an address, and a service account's file as Google gives it.

package import Basics
import Net
import TLS

package struct FCMTarget: Sendable {
    let messages: CheckedOrigin
    let grants: CheckedOrigin
    let grantPath: String
    let tokenURL: String
    let project: String
    let email: String
    let keyID: String
    let key: RSAPrivateKey

    /// `account`: the text of `file`, which errors name. Throws what is wrong with it, and where a host may not be
    /// called (`TargetPolicy`).
    package init(url: String, account text: String, file: String, allowHosts: Set<String>) throws(Failure) {
        func wrong(_ what: String) -> Failure {
            Failure(.usage, what, hint: "give the file of a service account, as `pushrig mock --fcm` names one", place: file)
        }
        guard let json = try? JSONValue(parsing: text) else { throw wrong("the service account's file is no JSON") }
        func member(_ name: String) throws(Failure) -> String {
            guard let text = json[name]?.string, !text.isEmpty else { throw wrong("the service account has no `\(name)`") }
            return text
        }
        project = try member("project_id")
        email = try member("client_email")
        keyID = try member("private_key_id")
        key = try RSAPrivateKey(pem: try member("private_key"))
        tokenURL = try member("token_uri")
        let (origin, path) = try Origin.withPath(parsing: tokenURL)
        grantPath = path
        grants = try TargetPolicy.check(origin, allowHosts: allowHosts)
        messages = try TargetPolicy.check(try Origin(parsing: url), allowHosts: allowHosts)
    }

    /// What is posted for an access token (RFC 7523): good for messaging, for an hour.
    func grantRequest(at now: WallTime) -> OutgoingRequest {
        func encoded(_ value: JSONValue) -> String { Base64URL.encode(value.encoded().span) }
        let claims: JSONValue = [
            "iss": .string(email), "scope": "https://www.googleapis.com/auth/firebase.messaging", "aud": .string(tokenURL),
            "iat": .integer(now.seconds), "exp": .integer(now.seconds + 3_600),
        ]
        let message = encoded(["alg": "RS256", "typ": "JWT", "kid": .string(keyID)]) + "." + encoded(claims)
        let signature = withBytes(of: message) { key.sign($0, .sha256) }
        let body = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(message)."
            + Base64URL.encode(signature.span)
        return OutgoingRequest(
            method: "POST", path: grantPath, fields: [("content-type", "application/x-www-form-urlencoded")],
            body: Array(body.utf8))
    }
}

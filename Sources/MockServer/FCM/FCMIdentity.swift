// The service account that a mock FCM is made with: its key in the state directory, and the file that clients are given.

import Basics
import FCM
import TLS

extension RSAPublicKey: AssertionVerifier {}

struct FCMIdentity: Sendable {
    static let project = "pushrig-mock"

    let account: ServiceAccount
    private let keyPEM: String
    /// Absolute.
    let file: String

    /// Reads the key that is there, or makes one.
    init(in directory: borrowing StateDirectory, seed: Seed) throws(Failure) {
        let name = "service-account.key"
        let key: RSAPrivateKey
        if let pem = try directory.read(name) {
            do { key = try RSAPrivateKey(pem: pem) } catch {
                throw Failure(
                    error.kind, error.message, hint: "remove the file, and a new key is made", place: directory.path(of: name))
            }
        } else {
            key = RSAPrivateKey()
            try directory.write(name, key.pem, secret: true)
        }
        keyPEM = key.pem
        account = ServiceAccount(
            email: "relay@\(Self.project).iam.gserviceaccount.com", project: Self.project,
            keyID: String(Hex.encode(sha256(Array(keyPEM.utf8).span).span).prefix(40)), verifier: key.publicKey)
        file = directory.path(of: "service-account.json")
    }

    /// Writes the file as Google's console gives it, with the mock's own token endpoint.
    func write(to directory: borrowing StateDirectory, tokenURL: String) throws(Failure) {
        let value: JSONValue = [
            "type": "service_account", "project_id": .string(Self.project), "private_key_id": .string(account.keyID),
            "private_key": .string(keyPEM), "client_email": .string(account.email), "client_id": "100000000000000000001",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": .string(tokenURL),
            "auth_provider_x509_cert_url": "https://www.googleapis.com/oauth2/v1/certs",
            "universe_domain": "googleapis.com",
        ]
        let text = String(decoding: value.encoded(pretty: true), as: UTF8.self) + "\n"
        try directory.write("service-account.json", text, secret: true)
    }
}

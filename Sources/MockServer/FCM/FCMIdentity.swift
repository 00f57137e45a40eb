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
            keyID: ServiceAccountFile.keyID(of: keyPEM), verifier: key.publicKey)
        file = directory.path(of: "service-account.json")
    }

    /// Writes the file as Google's console gives it, with the mock's own token endpoint.
    func write(to directory: borrowing StateDirectory, tokenURL: String) throws(Failure) {
        let text = ServiceAccountFile.text(
            email: account.email, project: Self.project, keyID: account.keyID, keyPEM: keyPEM, tokenURL: tokenURL)
        try directory.write("service-account.json", text, secret: true)
    }
}

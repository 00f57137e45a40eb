// Who the mock is towards its clients: the authority they trust, the certificate it shows, and the provider key they
// sign with. All of it is made once per state directory and found again at the next start.

import Basics
import TLS

struct MockIdentity {
    /// Names that Apple's and Google's clients ask for, so that a hosts override leads them here.
    static let serverNames = [
        "localhost", "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
        "api-broadcast.push.apple.com", "api-broadcast.sandbox.push.apple.com",
        "api-manage-broadcast.push.apple.com", "api-manage-broadcast.sandbox.push.apple.com",
        "fcm.googleapis.com", "fcm.mtls.googleapis.com", "oauth2.googleapis.com", "www.googleapis.com",
        "iid.googleapis.com", "iamcredentials.googleapis.com",
    ]
    static let serverAddresses = ["127.0.0.1", "::1"]

    /// Absolute paths.
    let caFile: String
    /// Whose client certificates are trusted: our own authority, and those that a user put into `client-ca.pem`.
    let clientAuthorityFiles: [String]
    let certificateFile: String
    let keyFile: String
    let providerKeyFile: String
    let providerKey: P256PublicKey
    /// Ten characters each, like Apple's.
    let keyID: String
    let teamID: String

    /// Reads what is there and makes what is missing. A server certificate that lacks a name or is about to expire is
    /// issued anew by the same authority; a broken authority or provider key is the user's to mend.
    init(
        in directory: borrowing StateDirectory, seed: Seed, extraNames: [String], extraAddresses: [String]
    ) throws(Failure) {
        let authority = try Self.authority(in: directory)
        let names = Self.serverNames + extraNames
        let addresses = Self.serverAddresses + extraAddresses
        var serves = false
        if let certificate = try directory.read("server.pem"), let key = try directory.read("server.key") {
            serves = authority.stillServes(
                certificatePEM: certificate, keyPEM: key, dnsNames: names, addresses: addresses)
        }
        if !serves {
            let issued = authority.issue(commonName: "localhost", dnsNames: names, addresses: addresses)
            try directory.write("server.key", issued.keyPEM, secret: true)
            try directory.write("server.pem", issued.certificatePEM, secret: false)
        }
        (keyID, teamID) = try Self.names(in: directory, seed: seed)
        let keyName = "AuthKey_\(keyID).p8"
        if let pem = try directory.read(keyName) {
            providerKey = try Self.locating(directory.path(of: keyName)) { () throws(Failure) in
                try P256PrivateKey(pem: pem)
            }.publicKey
        } else {
            let key = P256PrivateKey()
            try directory.write(keyName, key.pem, secret: true)
            providerKey = key.publicKey
        }
        caFile = directory.path(of: "ca.pem")
        let others = try directory.read("client-ca.pem") == nil ? [] : [directory.path(of: "client-ca.pem")]
        clientAuthorityFiles = [directory.path(of: "ca.pem")] + others
        certificateFile = directory.path(of: "server.pem")
        keyFile = directory.path(of: "server.key")
        providerKeyFile = directory.path(of: keyName)
    }

    static func authority(in directory: borrowing StateDirectory) throws(Failure) -> CertificateAuthority {
        let certificate = try directory.read("ca.pem")
        let key = try directory.read("ca.key")
        if let certificate, let key {
            return try locating(directory.path(of: "ca.pem")) { () throws(Failure) in
                try CertificateAuthority(pem: certificate, keyPEM: key)
            }
        }
        guard certificate == nil, key == nil else {
            throw Failure(
                .usage, "\(directory.path) has only one of ca.pem and ca.key",
                hint: "remove it, and a new authority is made")
        }
        let authority = CertificateAuthority(commonName: "PushRig mock authority")
        try directory.write("ca.key", authority.keyPEM, secret: true)
        try directory.write("ca.pem", authority.certificatePEM, secret: false)
        return authority
    }

    private static func names(
        in directory: borrowing StateDirectory, seed: Seed
    ) throws(Failure) -> (keyID: String, teamID: String) {
        if let text = try directory.read("identity.json") {
            if let value = try? JSONValue(parsing: text), let keyID = value["keyId"]?.string,
                let teamID = value["teamId"]?.string, isIdentifier(keyID), isIdentifier(teamID)
            {
                return (keyID, teamID)
            }
            throw Failure(
                .usage, "identity.json does not name a key and a team", hint: "remove it, and new names are made",
                place: directory.path(of: "identity.json"))
        }
        let keyID = identifier(seed.child("key id"))
        let teamID = identifier(seed.child("team id"))
        let value: JSONValue = ["keyId": .string(keyID), "teamId": .string(teamID)]
        try directory.write("identity.json", value.text + "\n", secret: false)
        return (keyID, teamID)
    }

    /// Ten capital letters and digits, the first a letter.
    static func identifier(_ seed: Seed) -> String {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
        var generator = seed.generator()
        let characters = (0..<10).map { index in
            alphabet[Int(generator.next() % UInt64(index == 0 ? 24 : alphabet.count))]
        }
        return String(decoding: characters, as: UTF8.self)
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 }
    }

    /// Says in which file the trouble is.
    private static func locating<R>(_ place: String, _ body: () throws(Failure) -> R) throws(Failure) -> R {
        do { return try body() } catch {
            throw Failure(
                error.kind, error.message, hint: "remove the file and its partner, and new ones are made", place: place)
        }
    }
}

// Makes credentials and keeps them in a state directory, whether a mock runs on it or not.

package import APNs
package import Basics
import OperatingSystem
import Pushes
import TLS

/// The credentials of one state directory. Several processes may use it at once: each change is made under a lock of
/// its own file, and files appear whole.
package struct CredentialStore: Sendable {
    /// Absolute.
    package let directory: String
    static let file = "credentials.json"
    /// Bytes of it: some teams' 400 topic-specific keys of 400 topics each.
    private static let fileLimit = 64 << 20

    init(state: borrowing StateDirectory) { directory = state.path }

    /// A directory that may be absent: then it is made, with the authority and the first key, as a mock makes it.
    package init(directory given: String, seed: Seed = Seed(1)) throws(Failure) {
        let path = try StateDirectory.absolute(given)
        directory = path
        // A mock that runs there holds the lock, and has made all of it.
        if try StateDirectory.readWhole(path + "/ca.key") != nil, try StateDirectory.readWhole(path + "/identity.json") != nil
        {
            return
        }
        let state = try StateDirectory(path: path)
        _ = try MockIdentity(in: state, seed: seed, extraNames: [], extraAddresses: [])
    }

    /// One that a mock or `pushrig keys` has made: whoever only looks makes none by a slip of the pen.
    package init(existing given: String) throws(Failure) {
        directory = try StateDirectory.absolute(given)
        _ = try identity()
    }

    package func path(of name: String) -> String { name.hasPrefix("/") ? name : directory + "/" + name }

    package func list() throws(Failure) -> CredentialList {
        guard let text = try StateDirectory.readWhole(path(of: Self.file), limit: Self.fileLimit)
        else { return CredentialList() }
        do throws(Failure) {
            guard let json = try? JSONValue(parsing: text), json.object != nil else {
                throw Failure(.usage, "it is no JSON object", hint: "remove it, and credentials are made anew")
            }
            return try CredentialList(json: json)
        } catch {
            throw Failure(error.kind, error.message, hint: error.hint, place: path(of: Self.file))
        }
    }

    /// A new key, in force as soon as the mock has read of it. `teamID` nil: the team of the mock's first key.
    package func makeKey(_ scope: KeyScope, teamID: String? = nil, keyID: String? = nil) throws(Failure)
        -> CredentialList.Key
    {
        let first = try identity()
        let record = KeyRecord(
            keyID: keyID ?? Self.newIdentifier(), teamID: teamID ?? first.teamID, scope: scope)
        guard record.keyID != first.keyID else {
            throw Failure(.usage, "\(record.keyID) is the mock's first key", hint: "choose another ID")
        }
        let key = CredentialList.Key(record: record, file: "AuthKey_\(record.keyID).p8")
        try change { list throws(Failure) in
            // The limits of the portal are those of the register.
            let register = ProviderKeys()
            try register.add(first, verifier: NoVerifier())
            for other in list.keys where other.record.keyID != record.keyID {
                try register.add(other.record, verifier: NoVerifier())
            }
            try register.add(record, verifier: NoVerifier())
            try StateDirectory.writeWhole(path(of: key.file), Array(P256PrivateKey().pem.utf8), mode: 0o600)
            list.keys.removeAll { $0.record.keyID == record.keyID }
            list.keys.append(key)
        }
        return key
    }

    /// Replaces what a key is for; the key itself stays. For a topic that is added to a key later.
    package func changeKey(_ keyID: String, to scope: KeyScope) throws(Failure) {
        try change { list throws(Failure) in
            guard let index = list.keys.firstIndex(where: { $0.record.keyID == keyID }) else {
                throw Failure(.usage, "there is no key \(keyID)", hint: "`pushrig keys list` tells those there are")
            }
            list.keys[index].record.scope = scope
        }
    }

    package func makeCertificate(_ request: CertificateRequest) throws(Failure) -> CredentialList.Certificate {
        try request.check()
        guard let pem = try StateDirectory.readWhole(path(of: "ca.pem")),
            let key = try StateDirectory.readWhole(path(of: "ca.key"))
        else { throw Failure(.usage, "\(directory) has no authority", hint: "start a mock on it once") }
        let issued = request.issue(by: try CertificateAuthority(pem: pem, keyPEM: key))
        let certificate = CredentialList.Certificate(
            name: request.fileName, topics: request.topics,
            environments: PushEnvironment.allCases.filter(request.environments.contains), defect: request.defect,
            fingerprint: PeerCertificate(pem: issued.certificatePEM)?.fingerprint ?? "")
        try change { list throws(Failure) in
            for (name, content) in [
                (certificate.keyFile, Array(issued.keyPEM.utf8)), (certificate.pkcs12File, issued.pkcs12),
                (certificate.file, Array(issued.certificatePEM.utf8)),
            ] {
                try StateDirectory.writeWhole(path(of: name), content, mode: 0o600)
            }
            list.certificates.removeAll { $0.name == certificate.name }
            list.certificates.append(certificate)
        }
        return certificate
    }

    /// Takes a key out of the list, or marks a certificate; false when there is none of that ID or name.
    @discardableResult
    package func revoke(_ name: String) throws(Failure) -> Bool {
        var found = false
        try change { list throws(Failure) in
            let count = list.keys.count
            list.keys.removeAll { $0.record.keyID == name }
            found = list.keys.count != count
            for index in list.certificates.indices where list.certificates[index].name == name {
                list.certificates[index].isRevoked = true
                found = true
            }
        }
        return found
    }

    /// The first key, which every state directory has.
    package func identity() throws(Failure) -> KeyRecord {
        guard let text = try StateDirectory.readWhole(path(of: "identity.json")), let json = try? JSONValue(parsing: text),
            let keyID = json["keyId"]?.string, let teamID = json["teamId"]?.string
        else { throw Failure(.usage, "\(directory) has no identity.json", hint: "start a mock on it once") }
        return KeyRecord(keyID: keyID, teamID: teamID, scope: .team)
    }

    private func change(_ body: (inout CredentialList) throws(Failure) -> Void) throws(Failure) {
        let lock = try lock()
        defer { lock.release() }
        var list = try list()
        try body(&list)
        try StateDirectory.writeWhole(path(of: Self.file), list.json.encoded() + [0x0A], mode: 0o600)
    }

    private func lock() throws(Failure) -> FileLock {
        do { return try FileLock(path(of: "credentials.lock"), waits: true) } catch {
            throw Failure(.run, "cannot write in \(directory): \(error.words)", hint: "check its owner")
        }
    }

    private static func newIdentifier() -> String {
        let value = secretBytes(count: 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return MockIdentity.identifier(Seed(value))
    }
}

/// For a register that only counts.
private struct NoVerifier: SignatureVerifier {
    func verify(_ message: Span<UInt8>, signature: Span<UInt8>) -> Bool { false }
}

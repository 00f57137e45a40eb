// The credentials of a running mock: the register of keys that the rules ask, kept in step with `credentials.json`.

package import APNs
package import Basics
import OperatingSystem
import Synchronization
import TLS

extension P256PublicKey: SignatureVerifier {}

/// Usable from any thread.
package final class LiveCredentials: Sendable {
    package let store: CredentialStore
    let keys: ProviderKeys
    private let state = Mutex(State())
    private let changes = Atomic<UInt64>(0)

    private struct State {
        var list = CredentialList()
        var revoked: Set<String> = []
        /// Of the file that was last read.
        var status: FileStatus?
        var trouble: Failure?
    }

    /// Throws when the file names a key that cannot be taken: a start is the moment to say so.
    init(_ store: CredentialStore, identity: MockIdentity, keys: ProviderKeys) throws(Failure) {
        self.store = store
        self.keys = keys
        try keys.add(
            KeyRecord(keyID: identity.keyID, teamID: identity.teamID, scope: .team), verifier: identity.providerKey)
        refresh()
        if let trouble { throw trouble }
    }

    package var list: CredentialList { state.withLock { $0.list } }

    /// Why the last change of the file was not taken over; the credentials before it are still in force.
    package var trouble: Failure? { state.withLock { $0.trouble } }

    /// Reads the file again if it has changed.
    package func refresh() {
        let status = FileStatus(store.path(of: CredentialStore.file))
        state.withLock { state in
            guard status != state.status else { return }
            state.status = status
            do throws(Failure) {
                let fresh = try store.list()
                try adopt(fresh, in: &state)
                state.trouble = nil
            } catch {
                state.trouble = error
            }
        }
    }

    package func makeKey(_ scope: KeyScope, teamID: String? = nil, keyID: String? = nil) throws(Failure)
        -> CredentialList.Key
    {
        let key = try store.makeKey(scope, teamID: teamID, keyID: keyID)
        refresh()
        return key
    }

    package func changeKey(_ keyID: String, to scope: KeyScope) throws(Failure) {
        try store.changeKey(keyID, to: scope)
        refresh()
        if let trouble { throw trouble }
    }

    package func makeCertificate(_ request: CertificateRequest) throws(Failure) -> CredentialList.Certificate {
        let certificate = try store.makeCertificate(request)
        refresh()
        return certificate
    }

    /// Also the mock's first key, until the next start. False when there is no such key or certificate.
    package func revoke(_ name: String) throws(Failure) -> Bool {
        let isStored = try store.revoke(name)
        refresh()
        return keys.remove(keyID: name) || isStored
    }

    /// A peer's certificate with what the rules want to know of it.
    func judge(_ shown: PeerCertificate) -> ClientCertificate {
        ClientCertificate(
            subjectUID: shown.userID, extensions: shown.extensions.map { ($0.id, $0.content) },
            notBefore: shown.notBefore, notAfter: shown.notAfter,
            isTrusted: shown.isTrusted && !isRevoked(shown.fingerprint))
    }

    /// Counts changes of the revoked certificates: who has asked about one need not ask again before the next.
    var revocations: UInt64 { changes.load(ordering: .acquiring) }

    func isRevoked(_ fingerprint: String) -> Bool { state.withLock { $0.revoked.contains(fingerprint) } }

    /// Keys that are gone first, so that they do not count against those that come; a key's relative before the key.
    private func adopt(_ fresh: CredentialList, in state: inout State) throws(Failure) {
        let known = Dictionary(state.list.keys.map { ($0.record.keyID, $0) }, uniquingKeysWith: { $1 })
        let ids = Set(fresh.keys.map(\.record.keyID))
        for id in known.keys where !ids.contains(id) { keys.remove(keyID: id) }
        state.list.keys.removeAll { !ids.contains($0.record.keyID) }
        state.list.certificates = fresh.certificates
        let revoked = Set(fresh.certificates.filter(\.isRevoked).map(\.fingerprint))
        if revoked != state.revoked {
            state.revoked = revoked
            changes.wrappingAdd(1, ordering: .releasing)
        }
        for key in fresh.keys where known[key.record.keyID] != key {
            try keys.add(key.record, verifier: try verifier(key))
            state.list.keys.removeAll { $0.record.keyID == key.record.keyID }
            state.list.keys.append(key)
        }
    }

    private func verifier(_ key: CredentialList.Key) throws(Failure) -> P256PublicKey {
        let path = store.path(of: key.file)
        guard let pem = try StateDirectory.readWhole(path) else {
            throw Failure(
                .usage, "there is no file of key \(key.record.keyID)", hint: "put it there, or revoke the key", place: path)
        }
        do throws(Failure) {
            if pem.contains("PUBLIC KEY") { return try P256PublicKey(pem: pem) }
            return try P256PrivateKey(pem: pem).publicKey
        } catch {
            throw Failure(error.kind, error.message, hint: error.hint, place: path)
        }
    }
}

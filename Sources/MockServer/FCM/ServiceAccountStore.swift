// Service accounts beside the mock's own, as `pushrig keys service-account` makes them: one file each in the folder
// `service-accounts` of the state directory, in the form in which Google's console gives them.

package import Basics
import FCM
import OperatingSystem
import Synchronization
import TLS

/// Makes them and takes them back, whether a mock runs there or not.
package struct ServiceAccountStore: Sendable {
    package static let folder = "service-accounts"
    /// More are not read.
    static let mostAccounts = 1_000
    static let domain = ".iam.gserviceaccount.com"
    /// That of a mock on its usual address.
    static let usualTokenURL = "https://127.0.0.1:2198/token"

    let directory: String

    /// `state` is a state directory that is there.
    package init(state: String) throws(Failure) { directory = try StateDirectory.absolute(state) + "/" + Self.folder }

    /// One account, with its address and file.
    package struct Account: Hashable, Sendable {
        package var email: String
        package var project: String
        package var keyID: String
        /// Absolute.
        package var file: String
    }

    /// A new account of the project, or a new key of one that is there. `name` stands before the @ of its address.
    package func make(project: String, name: String, tokenURL: String?) throws(Failure) -> Account {
        try Self.check(project, 4...64, "project")
        try Self.check(name, 1...64, "name")
        do { try FileSystem.makeFolder(directory, mode: 0o700) } catch {
            throw Failure(.run, "cannot write in \(directory): \(error.words)", hint: "check its owner")
        }
        let email = "\(name)@\(project)\(Self.domain)"
        let pem = RSAPrivateKey().pem
        let file = "\(directory)/\(name)@\(project).json"
        let keyID = ServiceAccountFile.keyID(of: pem)
        let text = ServiceAccountFile.text(
            email: email, project: project, keyID: keyID, keyPEM: pem, tokenURL: tokenURL ?? Self.usualTokenURL)
        try StateDirectory.writeWhole(file, Array(text.utf8), mode: 0o600)
        return Account(email: email, project: project, keyID: keyID, file: file)
    }

    /// In the order of their addresses.
    package func list() throws(Failure) -> [Account] { try read().map(\.account) }

    /// False: there is none of that address.
    package func revoke(_ email: String) throws(Failure) -> Bool {
        guard let account = try list().first(where: { $0.email == email }) else { return false }
        FileSystem.remove(account.file)
        return true
    }

    /// As the token endpoint knows them.
    func accounts() throws(Failure) -> [ServiceAccount] {
        try read().map { found throws(Failure) in
            do throws(Failure) {
                let key = try RSAPrivateKey(pem: found.keyPEM)
                return ServiceAccount(
                    email: found.account.email, project: found.account.project, keyID: found.account.keyID,
                    verifier: key.publicKey)
            } catch {
                throw Failure(
                    error.kind, error.message, hint: "remove the file, or make the account anew", place: found.account.file)
            }
        }
    }

    private func read() throws(Failure) -> [(account: Account, keyPEM: String)] {
        let names = ((try? FileSystem.names(in: directory)) ?? []).filter { $0.hasSuffix(".json") }.sorted()
        guard names.count <= Self.mostAccounts else {
            throw Failure(.usage, "there are more than \(Self.mostAccounts) service accounts", place: directory)
        }
        return try names.map { name throws(Failure) in
            let file = directory + "/" + name
            guard let text = try StateDirectory.readWhole(file), let json = try? JSONValue(parsing: text),
                let email = json["client_email"]?.string, let project = json["project_id"]?.string,
                let keyID = json["private_key_id"]?.string, let pem = json["private_key"]?.string
            else {
                throw Failure(
                    .usage, "this is no service account", hint: "remove the file, or make the account anew", place: file)
            }
            return (Account(email: email, project: project, keyID: keyID, file: file), pem)
        }
    }

    private static func check(_ text: String, _ length: ClosedRange<Int>, _ what: String) throws(Failure) {
        let isRight = length ~= text.utf8.count
            && text.utf8.allSatisfy { 48...57 ~= $0 || 97...122 ~= $0 || $0 == 45 } && text.utf8.first != 45
        guard isRight else {
            throw Failure(
                .usage, "'\(text)' is no \(what) of a service account",
                hint: "\(length.lowerBound) to \(length.upperBound) small letters, digits and hyphens")
        }
    }
}

/// The accounts of a running mock, kept in step with the folder. Safe to use from any thread.
final class ServiceAccounts: Sendable {
    private struct State {
        var accounts: [ServiceAccount] = []
        /// Of the folder that was last read.
        var status: FileStatus?
    }

    private let store: ServiceAccountStore
    private let own: ServiceAccount
    private let state = Mutex(State())

    /// Throws when a file cannot be taken: a start is the moment to say so.
    init(own: ServiceAccount, store: ServiceAccountStore) throws(Failure) {
        self.own = own
        self.store = store
        let (status, found) = (FileStatus(store.directory), try store.accounts())
        state.withLock { state in
            state.status = status
            state.accounts = found
        }
    }

    /// The mock's own first. Looks at the folder; while a file there cannot be read, those before it are in force.
    var current: [ServiceAccount] {
        let status = FileStatus(store.directory)
        return state.withLock { state in
            if status != state.status {
                state.status = status
                if let found = try? store.accounts() { state.accounts = found }
            }
            return [own] + state.accounts
        }
    }
}

/// The file of a service account, as Google's console gives it.
enum ServiceAccountFile {
    static func text(email: String, project: String, keyID: String, keyPEM: String, tokenURL: String) -> String {
        let value: JSONValue = [
            "type": "service_account", "project_id": .string(project), "private_key_id": .string(keyID),
            "private_key": .string(keyPEM), "client_email": .string(email), "client_id": "100000000000000000001",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": .string(tokenURL),
            "auth_provider_x509_cert_url": "https://www.googleapis.com/oauth2/v1/certs",
            "universe_domain": "googleapis.com",
        ]
        return String(decoding: value.encoded(pretty: true), as: UTF8.self) + "\n"
    }

    /// 40 hex digits.
    static func keyID(of pem: String) -> String { String(Hex.encode(sha256(Array(pem.utf8).span).span).prefix(40)) }
}

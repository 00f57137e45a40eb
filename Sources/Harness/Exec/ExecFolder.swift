// The files that a program is shown instead of the system's, in a folder that goes when it ends.

import Basics
import OperatingSystem
import TLS

/// Everybody may read it, for a program may give up its rights; nothing in it is secret.
final class ExecFolder {
    let path: String
    private(set) var layers: [(file: String, place: String)] = []

    /// Where distributions keep the authorities that programs trust, all of them in one file. What is not there is passed over.
    static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem", "/usr/lib/ssl/cert.pem", "/etc/ssl/ca-bundle.pem",
        "/etc/pki/tls/certs/ca-bundle.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    ]
    /// A daemon that answers for the C library before it reads any file, by its sockets.
    static let nameCaches = ["/run/nscd/socket", "/var/run/nscd/socket"]

    init() throws(Failure) {
        do { path = try FileSystem.makeTemporaryFolder() } catch {
            throw Failure(.run, "cannot make a folder in \(error.path): \(error.words)", hint: "see to TMPDIR")
        }
        FileSystem.allow(path, mode: 0o755)
    }

    deinit { FileSystem.removeAll(path) }

    /// Writes a file under this name, and lays it over `places`, each once.
    @discardableResult
    func add(_ name: String, _ bytes: [UInt8], over places: [String] = []) throws(Failure) -> String {
        let file = path + "/" + name
        do { try FileSystem.replace(file, with: bytes.span, mode: 0o644) } catch {
            throw Failure(.run, "cannot write \(error.path): \(error.words)", hint: "see to TMPDIR")
        }
        for place in places {
            guard let real = FileSystem.realPath(place), !layers.contains(where: { $0.place == real }) else { continue }
            layers.append((file, real))
        }
        return file
    }

    /// Names lead to these addresses.
    func addNames(_ entries: [(address: String, name: String)]) throws(Failure) {
        guard let own = FileSystem.text(of: "/etc/hosts") else {
            throw Failure(
                .run, "there is no /etc/hosts that could be overlaid", hint: "make an empty one: touch /etc/hosts")
        }
        try add("hosts", Array(NameFiles.hosts(entries, beside: own).utf8), over: ["/etc/hosts"])
        if let own = FileSystem.text(of: "/etc/nsswitch.conf") {
            try add("nsswitch.conf", Array(NameFiles.nsswitch(own).utf8), over: ["/etc/nsswitch.conf"])
        }
        try add("no-socket", [], over: Self.nameCaches)
    }

    /// The authority in the file `authority` is trusted beside the system's and those of `own`, the user's `SSL_CERT_FILE`.
    func addAuthority(_ authority: String, own: String?) throws(Failure) -> ExecEnvironment {
        guard let pem = FileSystem.text(of: authority) else {
            throw Failure(.run, "cannot read the mock's authority \(authority)")
        }
        let known = Self.bundles.lazy.compactMap { FileSystem.text(of: $0) }.first ?? ""
        let extra = own.flatMap { FileSystem.text(of: $0) } ?? ""
        let all = [known, extra == known ? "" : extra, pem].filter { !$0.isEmpty }.joined(separator: "\n")
        let store = try add("trust.p12", try TrustStore.pkcs12(pem: all))
        return ExecEnvironment(
            bundle: try add("authorities.pem", Array(all.utf8), over: Self.bundles),
            authority: try add("mock.pem", Array(pem.utf8)), trustStore: store, trustPassword: TrustStore.password)
    }
}

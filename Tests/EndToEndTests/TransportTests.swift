// How the load reaches a relay: over TLS with an authority of the relay's own, with a certificate to show, by a socket in the
// file system, and by HTTP/2; each with real sockets, and each refused where the one thing that it needs is not so.

import Basics
import Foundation
import TLS
import Testing

@Suite("Transport to the relay")
struct TransportTests {
    /// A stand-in that is told how to listen, called as `relay` says beside its `launch`.
    private func run(
        _ folder: String, listen: String = "{{relay.listen}}", options: [String] = [], relay: [String],
        http: Int = 1
    ) throws -> (run: Rig.Output, delivered: Int64) {
        let words = ["/usr/bin/python3", "Tests/StandIns/relay.py", "gorush", listen] + options
        let run = try Rig.run(
            Rig.pushrig,
            [
                "run", "Scenarios/relays-of-others/gorush.yaml", "--quiet", "--out", folder + "/run", "--set", "latenessBudget=5s",
                "--set", "relay.launch=" + JSONValue.array(words.map { .string($0) }).text, "--set",
                "relay.with={ http: \(http), deadlines: { default: 3s } }", "--set", "relay.ready.timeout=4s",
            ] + relay.flatMap { ["--set", "relay." + $0] })
        let record = try? Rig.json(folder + "/run/run.json")
        return (run, record?["correlation"]?["totals"]?["delivered"]?.int ?? 0)
    }

    /// Writes `ca.pem`, `other.pem`, and certificates with their keys for the relay and for who calls it.
    private func write(into folder: String) throws {
        let (own, other) = (CertificateAuthority(commonName: "Relay's own"), CertificateAuthority(commonName: "Another"))
        let server = own.issue(commonName: "relay", dnsNames: ["relay.internal"], addresses: [])
        let client = own.issueClient(commonName: "rig", userID: nil, extensions: [], password: "rig")
        for (name, text) in [
            ("ca.pem", own.certificatePEM), ("other.pem", other.certificatePEM), ("server.pem", server.certificatePEM),
            ("server.key", server.keyPEM), ("client.pem", client.certificatePEM), ("client.key", client.keyPEM),
        ] { try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8) }
    }

    private static func secured(_ folder: String) -> [String] { ["--tls", folder + "/server.pem", folder + "/server.key"] }

    @Test("a private authority and another name than the address", arguments: [
        ("ca.pem", "relay.internal", true), ("other.pem", "relay.internal", false), ("ca.pem", "relay.external", false),
    ])
    func privateAuthority(ca: String, name: String, isTrusted: Bool) throws {
        try Rig.withFolder { folder in
            try write(into: folder)
            let (run, delivered) = try run(
                folder, options: Self.secured(folder),
                relay: ["url=https://{{relay.listen}}", "tls={ ca: \(folder)/\(ca), serverName: \(name) }"])
            #expect(run.code == (isTrusted ? 0 : 1) && (delivered >= 32) == isTrusted, "\(run.out)\(run.error)")
        }
    }

    @Test("a client certificate", arguments: [true, false])
    func clientCertificate(isShown: Bool) throws {
        try Rig.withFolder { folder in
            try write(into: folder)
            let shown = isShown ? ", certificate: \(folder)/client.pem, key: \(folder)/client.key" : ""
            let (run, delivered) = try run(
                folder, options: Self.secured(folder) + ["--client-ca", folder + "/ca.pem"],
                relay: ["url=https://{{relay.listen}}", "tls={ ca: \(folder)/ca.pem, serverName: relay.internal\(shown) }"])
            #expect(run.code == (isShown ? 0 : 1) && (delivered >= 32) == isShown, "\(run.out)\(run.error)")
        }
    }

    @Test("a socket in the file system", arguments: [true, false])
    func unixSocket(isThere: Bool) throws {
        try Rig.withFolder { folder in
            let path = folder + "/r.sock"
            let (run, delivered) = try run(
                folder, listen: isThere ? "unix:" + path : "{{relay.listen}}", relay: ["url=unix:" + path])
            #expect(run.code == (isThere ? 0 : 1) && (delivered >= 32) == isThere, "\(run.out)\(run.error)")
        }
    }

    @Test("HTTP/2, with prior knowledge and by ALPN", arguments: [(2, false), (2, true), (1, false)])
    func http2(version: Int, isTLS: Bool) throws {
        try Rig.withFolder { folder in
            try write(into: folder)
            let (run, delivered) = try run(
                folder, options: ["--http2"] + (isTLS ? Self.secured(folder) : []),
                relay: isTLS
                    ? ["url=https://{{relay.listen}}", "tls={ ca: \(folder)/ca.pem, serverName: relay.internal }"] : [],
                http: version)
            #expect((run.code == 0) == (version == 2) && (delivered >= 32) == (version == 2), "\(run.out)\(run.error)")
        }
    }
}

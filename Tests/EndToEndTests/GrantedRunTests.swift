// A relay behind OAuth2 whose devices stand in PostgreSQL, and that tells over a WebSocket what it pushes, in the clear and over TLS
// with an authority of its own (Tests/GrantedRelay).

import Basics
import Foundation
import Journal
import TLS
import Testing

/// A Python that has httpx with HTTP/2, and a PostgreSQL for the relay.
private let isThere =
    (try? Rig.run("/usr/bin/python3", ["-c", "import httpx, h2"], seconds: 20).code) == 0
    && !((try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []).isEmpty

@Suite("pushrig run with a relay behind OAuth2 and PostgreSQL", .serialized, .enabled(if: isThere))
struct GrantedRunTests {
    private static let secret = "hush client 5190"
    private static let password = "hush-database-7731"

    /// The database of the relay stands in a folder of its own, beside the run's: a socket's path is short.
    private func run(
        _ folder: String, _ options: [String] = [], password: String = password, secret: String = secret, relay: [String] = []
    ) throws -> (run: Rig.Output, record: JSONValue) {
        // Where a server that is not root's must get in.
        let database = "/tmp/pushrig-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: database) }
        let words = [
            "/usr/bin/python3", "Tests/GrantedRelay/relay.py", "--listen", "{{relay.listen}}", "--apns", "{{mock.apns}}", "--ca",
            "{{mock.ca}}", "--key", "{{mock.key}}", "--key-id", "{{mock.keyId}}", "--team-id", "{{mock.teamId}}", "--topic",
            "{{mock.topic}}",
        ]
        let place = database.replacingOccurrences(of: "/", with: "%2F")
        func url(_ password: String) -> String { "postgresql://rig:\(password)@\(place)/postgres" }
        let environment = JSONValue.object(["GRANTED_DATABASE": .string(url(Self.password)), "GRANTED_SECRET": .string(Self.secret)])
        let run = try Rig.run(
            "env",
            [
                "GRANTED_SECRET=" + secret, "GRANTED_DATABASE=" + url(password), Rig.pushrig, "run",
                "Tests/GrantedRelay/scenario.yaml", "--out", folder + "/run", "--set", "latenessBudget=5s", "--set",
                "relay.launch=" + JSONValue.array((words + options).map { .string($0) }).text,
            ]
                // The record holds what `--set` says, so the relay has its own secrets from us only where ours are wrong ones.
                + (password == Self.password && secret == Self.secret ? [] : ["--set", "relay.environment=" + environment.text])
                + relay.flatMap { ["--set", "relay." + $0] })
        return (run, (try? Rig.json(folder + "/run/run.json")) ?? .null)
    }

    private func verdict(_ record: JSONValue, _ id: String) -> String? {
        record["verdicts"]?.array?.first { $0["id"]?.string == id }?["verdict"]?.string
    }

    private func total(_ record: JSONValue, _ word: String) -> Int64 {
        record["correlation"]?["totals"]?[word]?.int ?? 0
    }

    @Test("is green, through tokens that end, and no file of the run holds a secret")
    func green() throws {
        try Rig.withFolder { folder in
            let (run, record) = try run(folder)
            #expect(run.code == 0, "\(run.out)\(run.error)")
            #expect(total(record, "delivered") >= 20 && total(record, "excused") > 0)
            for id in ["dead-token-forgotten", "broadcasts-told", "broadcasts-readable", "states-delivered"] {
                #expect(verdict(record, id) == "kept", "\(id)")
            }
            var seen: [String] = []
            for file in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                guard let bytes = FileManager.default.contents(atPath: folder + "/" + file) else { continue }
                let secrets = [Self.password, Self.secret, "hush%20client%205190"]
                if secrets.contains(where: { bytes.range(of: Data($0.utf8)) != nil }) { seen.append(file) }
            }
            #expect(seen == [])
            // The relay did drop rows, and was seen to.
            var removed = 0
            _ = try JournalReader(directory: folder + "/run/journal").forEach(since: nil) { entry in
                if case .note(let note) = entry, let state = note.state { removed += state.removed["device"]?.count ?? 0 }
                return true
            }
            #expect(removed > 0)
        }
    }

    @Test("is red where a row stays whose token is dead, and where nobody is told", arguments: [
        ("--keeps-dead", "dead-token-forgotten"), ("--mute", "broadcasts-told"),
    ])
    func red(option: String, rule: String) throws {
        try Rig.withFolder { folder in
            let (run, record) = try run(folder, [option])
            #expect(run.code == 4 && verdict(record, rule) == "broken", "\(run.out)\(run.error)")
        }
    }

    @Test("listens over TLS with an authority of the relay's own, and not with another", arguments: [true, false])
    func secured(isOwn: Bool) throws {
        try Rig.withFolder { folder in
            let (own, other) = (CertificateAuthority(commonName: "Relay's own"), CertificateAuthority(commonName: "Another"))
            let server = own.issue(commonName: "relay", dnsNames: ["relay.internal"], addresses: [])
            for (name, text) in [
                ("ca.pem", (isOwn ? own : other).certificatePEM), ("server.pem", server.certificatePEM), ("server.key", server.keyPEM),
            ] { try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8) }
            let (run, record) = try run(
                folder, ["--tls", folder + "/server.pem", folder + "/server.key"],
                relay: [
                    "url=https://{{relay.listen}}", "tls={ ca: \(folder)/ca.pem, serverName: relay.internal }", "ready.timeout=20s",
                ])
            #expect(run.code == (isOwn ? 0 : 1), "\(run.out)\(run.error)")
            if isOwn { #expect(verdict(record, "broadcasts-told") == "kept") }
        }
    }

    @Test("is not green where the client's secret is wrong, and says so once in a line that does not hold it")
    func wrongSecret() throws {
        try Rig.withFolder { folder in
            let (run, record) = try run(folder, secret: "another secret")
            #expect(run.code == 5 && total(record, "delivered") == 0, "\(run.out)\(run.error)")
            #expect(run.out.contains("no access token: the token URL answered 401, invalid_client"), "\(run.out)")
            #expect(!run.out.contains("another secret") && !run.error.contains("another secret"))
        }
    }

    @Test("does not judge rows that it may not read")
    func wrongPassword() throws {
        try Rig.withFolder { folder in
            let (run, record) = try run(folder, password: "wrong-7731")
            #expect(run.code == 5 && verdict(record, "dead-token-forgotten") == "not exercised", "\(run.out)\(run.error)")
            #expect(!run.out.contains("wrong-7731") && !run.error.contains("wrong-7731"))
        }
    }
}

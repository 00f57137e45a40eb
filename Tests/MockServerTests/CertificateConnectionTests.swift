// Client certificates over real connections (docs/apns.md §2.1, §2.3, §9).

import APNs
import Basics
import EventLoop
import Journal
import MockServer
import Net
import Pushes
import Testing
import WireClient

@Suite struct CertificateConnectionTests {
    private let path = "/3/device/" + TestMock.device

    private func make(
        _ mock: TestMock, _ topics: [String] = ["com.example.app"], turn: (inout CertificateRequest) -> Void = { _ in }
    ) throws -> CredentialList.Certificate {
        var request = CertificateRequest(topics: topics)
        turn(&request)
        return try mock.service.credentials.makeCertificate(request)
    }

    /// What the mock sends until it closes, but for the acknowledgement of our SETTINGS. A frame that is an error ends a
    /// connection that would go on.
    private func frames(
        _ mock: TestMock, _ certificate: CredentialList.Certificate?, in directory: String? = nil
    ) throws -> [Frame] {
        let client = try wire(mock, certificate, in: directory)
        client.send(Frame(FrameType.settings, stream: 1))
        while try client.next() != nil {}
        return client.received.filter { !($0.type == FrameType.settings && $0.has(FrameFlag.acknowledge)) }
    }

    private func wire(
        _ mock: TestMock, _ certificate: CredentialList.Certificate?, in directory: String? = nil
    ) throws -> WireClient {
        let coordinates = mock.service.coordinates
        let path = (directory ?? mock.directory) + "/"
        return try WireClient(
            port: coordinates.apns.port, trusting: coordinates.ca,
            identity: certificate.map { (path + $0.file, path + $0.keyFile) })
    }

    private func text(_ frame: Frame) -> String { String(decoding: frame.payload, as: UTF8.self) }

    /// MAX_CONCURRENT_STREAMS of a SETTINGS frame.
    private func streams(_ frame: Frame?) -> Int? {
        guard let payload = frame?.payload, frame?.type == FrameType.settings else { return nil }
        for entry in stride(from: 0, to: payload.count, by: 6) where payload[entry + 1] == 3 {
            return payload[entry + 2..<entry + 6].reduce(0) { $0 << 8 | Int($1) }
        }
        return nil
    }

    @Test func `a push with a good certificate needs neither token nor topic`() throws {
        try withMock { mock in
            let client = try mock.provider(certificate: try make(mock))
            for fields in [[], [("apns-topic", "com.example.app")], [("authorization", "bearer of.no.use")]] {
                let reply = try client.ask("POST", path, fields, body: alert)
                #expect(reply.status == 200 && reply.fields.map(\.name) == ["apns-id"], "\(fields) \(reply.text)")
            }
            #expect(try mock.journal().map(\.topic) == Array(repeating: "com.example.app", count: 3))
            // The token has been told its topic by the certificate.
            let token = try client.ask("POST", path, [("apns-topic", "com.example.other")], body: alert)
            #expect(token.text == #"{"reason":"TopicDisallowed"}"#)
        }
    }

    @Test(.enabled(if: has("curl")), arguments: ["1.2", "1.3"])
    func `curl pushes with its certificate over TLS`(version: String) throws {
        try withMock { mock in
            let made = try make(mock, ["com.example.app", "com.example.app.voip"])
            let coordinates = mock.service.coordinates
            func curl(_ arguments: String) throws -> String {
                try #require(
                    run(
                        """
                        curl -sS -i --http2-prior-knowledge --tlsv\(version) --tls-max \(version) \
                          --cacert '\(coordinates.ca)' \(arguments) -d '\(alert)' \
                          https://localhost:\(coordinates.apns.port)\(path)
                        """))
            }
            let pem = "--cert '\(mock.directory)/\(made.file)' --key '\(mock.directory)/\(made.keyFile)'"
            let p12 = "--cert-type P12 --cert '\(mock.directory)/\(made.pkcs12File):pushrig'"
            #expect(try curl(pem + " -H 'apns-topic: com.example.app'").hasPrefix("HTTP/2 200"))
            #expect(try curl(p12 + " -H 'apns-topic: com.example.app'").hasPrefix("HTTP/2 200"))
            #expect(try curl(pem).hasSuffix(#"{"reason":"MissingTopic"}"#))
            let voip = " -H 'apns-push-type: voip' -H 'apns-topic: com.example.app.voip'"
            let other = String(TestMock.device.reversed())
            #expect(try curl(pem + voip + " https://localhost:\(coordinates.apns.port)/3/device/\(other)").contains("200"))
            #expect(try curl("-H 'apns-topic: com.example.app'").hasSuffix(#"{"reason":"MissingProviderToken"}"#))
        }
    }

    /// Readers of relays know the old algorithms only: Go's golang.org/x/crypto/pkcs12 takes 3DES with SHA-1, and that MAC.
    @Test(.enabled(if: has("openssl")))
    func `its p12 is of algorithms that old readers know, and new readers take it`() throws {
        try withMock { mock in
            let made = try make(mock, ["com.example.app", "com.example.app.voip"])
            let file = "\(mock.directory)/\(made.pkcs12File)"
            let info = try #require(run("openssl pkcs12 -in '\(file)' -passin pass:pushrig -info -nodes"))
            #expect(info.contains("MAC: sha1, Iteration 2048"), "\(info)")
            #expect(info.contains("BEGIN CERTIFICATE") && info.contains("BEGIN PRIVATE KEY"))
            let ciphers = info.split(separator: "\n").filter { $0.lowercased().contains("pbe") }
            #expect(ciphers.count == 2 && ciphers.allSatisfy { $0.contains("pbeWithSHA1And3-KeyTripleDES-CBC") }, "\(ciphers)")
            let wrong = run("openssl pkcs12 -in '\(file)' -passin pass:other -nodes") ?? ""
            #expect(!wrong.contains("BEGIN"), "the password counts")
            let python = run(
                "python3 -c \"from cryptography.hazmat.primitives.serialization import pkcs12 as p; "
                    + "k, c, more = p.load_key_and_certificates(open('\(file)','rb').read(), b'pushrig'); "
                    + "print(k.key_size, k.public_key() == c.public_key(), len(more))\"")
            if let python, !python.contains("ModuleNotFoundError") { #expect(python == "256 True 0\n") }
            if let java = run("keytool -list -storetype PKCS12 -keystore '\(file)' -storepass pushrig") {
                #expect(java.contains("PrivateKeyEntry"), "\(java)")
            }
        }
    }

    @Test func `a certificate connection is granted 1000 streams in the first SETTINGS, and no second ones follow`() throws {
        try withMock { mock in
            #expect(try streams(frames(mock, nil).first) == 1)
            let frames = try frames(mock, try make(mock))
            #expect(streams(frames.first) == 1_000)
            #expect(frames.filter { $0.type == FrameType.settings }.count == 1)
        }
    }

    /// What is wrong, and what the GOAWAY says.
    struct Bad: Sendable, CustomTestStringConvertible {
        var name: String
        var reason: String
        var turn: @Sendable (inout CertificateRequest) -> Void
        var testDescription: String { name }
    }

    static let bad = [
        Bad(name: "environment", reason: "BadCertificateEnvironment") { $0.environments = [.sandbox] },
        Bad(name: "expired", reason: "BadCertificate") { $0.defect = .expired },
        Bad(name: "unknown issuer", reason: "BadCertificate") { $0.defect = .unknownIssuer },
        Bad(name: "no provider's", reason: "BadCertificate") { $0.defect = .notAProvider },
        Bad(name: "malformed", reason: "BadCertificate") { $0.defect = .malformedTopics },
    ]

    @Test(arguments: bad)
    func `a bad certificate passes the handshake and is told to go, to the byte`(bad: Bad) throws {
        try withMock { mock in
            let frames = try frames(mock, try make(mock, turn: bad.turn))
            #expect(frames.map(\.type) == [FrameType.settings, FrameType.goAway])
            #expect(streams(frames.first) == 1_000)
            let json = Array(#"{"reason":"\#(bad.reason)"}"#.utf8)
            #expect(frames.last?.payload == [0, 0, 0, 0, 0, 0, 0, 0] + json)
            if bad.reason == "BadCertificateEnvironment" { #expect(frames.last?.payload.count == 46) }
            let pushes = try mock.journal().count
            #expect(pushes == 0)
        }
    }

    @Test func `no stream of a bad certificate is answered or reaches a device`() throws {
        try withMock { mock in
            let client = try mock.provider(certificate: try make(mock, turn: { $0.environments = [.sandbox] }))
            let outcome = client.send("POST", path, mock.fields(), body: alert, timeout: .seconds(2)).take()
            #expect(throws: (any Error).self) { try outcome.get() }
            let statistics = mock.service.statistics()
            #expect(statistics.pushes == 0 && statistics.byStatus.isEmpty)
            #expect(try mock.admin.ask("GET", "/v1/tokens/" + TestMock.device).status == 404)
        }
    }

    @Test func `the same certificate is good on the other environment's address`() throws {
        try withMock({ $0.sandbox = SocketAddress(host: "127.0.0.1", port: 0) }) { mock in
            let made = try make(mock, turn: { $0.environments = [.sandbox] })
            let sandbox = try mock.provider(at: mock.service.coordinates.sandbox, certificate: made)
            let reply = try sandbox.ask("POST", path, body: alert)
            #expect(reply.status == 200 && reply.field("apns-unique-id") != nil)
        }
    }

    @Test func `a revoked certificate is BadCertificate on its next connection`() throws {
        try withMock { mock in
            let made = try make(mock)
            #expect(try mock.provider(certificate: made).ask("POST", path, body: alert).status == 200)
            let reply = try mock.admin.ask("DELETE", "/v1/keys/" + made.name)
            #expect(reply.status == 204)
            let last = try frames(mock, made).last
            #expect(last?.payload.dropFirst(8) == Array(#"{"reason":"BadCertificate"}"#.utf8)[...])
        }
    }

    @Test func `a certificate revoked meanwhile is told to go at its next push, which is not processed`() throws {
        try withMock { mock in
            let (made, other) = try (make(mock), make(mock) { $0.name = "other" })
            let (client, witness) = try (wire(mock, made), wire(mock, other))
            let block = mock.block(authorized: false)
            for one in [client, witness] { #expect(try one.ask(1, block).status == 200) }
            #expect(try mock.admin.ask("DELETE", "/v1/keys/" + made.name).status == 204)
            client.push(3, block)
            client.push(5, block)
            while try client.next() != nil {}
            let json = Array(#"{"reason":"BadCertificate"}"#.utf8)
            #expect(client.received.last == Frame(FrameType.goAway, [0, 0, 0, 1, 0, 0, 0, 0] + json))
            #expect(!client.received.contains { $0.stream > 1 })
            for stream: UInt32 in [3, 5] { #expect(try witness.ask(stream, block).status == 200) }
            #expect(try mock.journal().map(\.stream).sorted() == [1, 1, 3, 5])
        }
    }

    @Test func `dates are judged by the mock's clock`() throws {
        let later = Interval.seconds(366 * 86_400)
        try withMock({ $0.clockSkew = later }) { mock in
            let last = try frames(mock, try make(mock)).last
            #expect(last?.payload.dropFirst(8) == Array(#"{"reason":"BadCertificate"}"#.utf8)[...])
        }
    }

    @Test func `with certificates overlooked the provider token counts`() throws {
        try withMock({ $0.rules.judgesCertificates = false }) { mock in
            let client = try mock.provider(certificate: try make(mock, turn: { $0.defect = .expired }))
            #expect(try client.ask("POST", path, body: alert).text == #"{"reason":"MissingProviderToken"}"#)
            #expect(try client.ask("POST", path, mock.fields(), body: alert).status == 200)
        }
    }

    @Test func `an authority in client-ca.pem is trusted too`() throws {
        try withDirectory { directory in
            let other = try TestMock(directory + "/other", { _ in })
            let made = try make(other)
            defer { other.stop() }
            let mock = try TestMock(directory + "/state", { _ in })
            mock.stop()
            try write(readText(other.service.coordinates.ca) ?? "", to: directory + "/state/client-ca.pem")
            let again = try TestMock(directory + "/state", { _ in })
            defer { again.stop() }
            let last = try frames(again, made, in: directory + "/other").last
            #expect(last?.type == FrameType.goAway && last.map { !text($0).contains("BadCertificate") } == true)
        }
    }
}

// What Apple was seen to put up with, connection by connection and request by request (docs/apns.md §2.2, §2.4, §3), and the
// TLS that it speaks (§1, beside HostTests).

import APNs
import Basics
import MockServer
import Net
import Testing
import WireClient

@Suite struct ConnectionOddityTests {
    // MARK: TLS and ALPN

    @Test func `ALPN settles on h2, whatever else is offered`() throws {
        try withMock { mock in
            for offered in [["h2"], ["http/1.1", "h2"], ["h2", "http/1.1"]] {
                let client = try mock.wire(protocols: offered)
                #expect(client.socket.negotiatedProtocol == "h2")
                #expect(try client.ask(1, mock.block()).status == 200)
            }
        }
    }

    @Test(.enabled(if: has("openssl")), arguments: ["-tls1_2", "-tls1_3"])
    func `a CertificateRequest is always sent, and no certificate is fine`(version: String) throws {
        try withMock { mock in
            let output = try #require(run(handshake(mock, version + " -msg")))
            #expect(output.contains("CertificateRequest"), "\(output)")
            #expect(output.contains("Verification: OK"), "\(output)")
            #expect(output.contains("ALPN protocol: h2"))
        }
    }

    @Test(
        .enabled(if: has("openssl")),
        arguments: [
            "-tls1_2 -cipher ECDHE-ECDSA-AES256-GCM-SHA384", "-tls1_2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256",
            "-tls1_3 -ciphersuites TLS_CHACHA20_POLY1305_SHA256",
        ])
    func `TLS 1.2 and 1.3 are spoken, with the ciphers that were seen`(options: String) throws {
        try withMock { mock in
            let output = try #require(run(handshake(mock, options)))
            #expect(output.contains("Verification: OK"), "\(output)")
            #expect(output.contains(options.split(separator: " ")[2]))
        }
    }

    @Test(.enabled(if: has("python3")), arguments: ["TLSv1_2", "TLSv1_3"], [true, false])
    func `a session is resumed where the setting says so, with another loop as well`(version: String, resumes: Bool) throws {
        try withMock({ $0.rules.resumesTLS = resumes; $0.loops = 2 }) { mock in
            let coordinates = mock.service.coordinates
            // What follows a ticket is read, so that the ticket is as well: the server's SETTINGS.
            let script = """
                import socket, ssl
                context = ssl.create_default_context(cafile='\(coordinates.ca)')
                context.minimum_version = context.maximum_version = ssl.TLSVersion.\(version)
                context.set_alpn_protocols(['h2'])
                session = None
                for turn in range(8):
                    raw = socket.create_connection(('127.0.0.1', \(coordinates.apns.port)), timeout=10)
                    with context.wrap_socket(raw, server_hostname='localhost', session=session) as peer:
                        assert peer.recv(9)
                        print(peer.session_reused, peer.selected_alpn_protocol())
                        session = peer.session
                """
            let output = try #require(run("python3 -c \"\(script)\""))
            let expected = ["False h2"] + Array(repeating: resumes ? "True h2" : "False h2", count: 7)
            #expect(output.split(separator: "\n").map(String.init) == expected, "\(output)")
        }
    }

    private func handshake(_ mock: TestMock, _ options: String) -> String {
        let coordinates = mock.service.coordinates
        return """
            timeout 10 openssl s_client -connect 127.0.0.1:\(coordinates.apns.port) -servername localhost -alpn h2 \
              -CAfile '\(coordinates.ca)' \(options) < /dev/null
            """
    }

    // MARK: A connection's life

    @Test func `PINGs are answered, also many in a row, and push goes on`() throws {
        try withMock { mock in
            let client = try mock.wire()
            for number in 100..<400 {
                let opaque = "ping-\(number)"
                client.send(.ping(opaque))
                #expect(try client.next() == .ping(opaque, acknowledges: true))
            }
            #expect(try client.ask(1, mock.block()).status == 200)
        }
    }

    @Test func `PRIORITY is ignored`() throws {
        try withMock { mock in
            let client = try mock.wire()
            client.send(.priority(3, dependsOn: 1), .priority(1, dependsOn: 3, weight: 255))
            client.send(Frame.headers(1, mock.block()).prioritised(dependsOn: 9), .data(1, WireClient.alertBody))
            #expect(try client.answer(on: 1)?.status == 200)
        }
    }

    @Test func `many short connections are all served`() throws {
        try withMock { mock in
            for _ in 0..<50 {
                let status = try mock.wire().ask(1, mock.block()).status
                #expect(status == 200)
            }
        }
    }

    @Test func `the connection's window is granted again at half, with no word for less`() throws {
        try withMock { mock in
            let client = try mock.wire()
            let body = Array(("{\"x\":\"" + String(repeating: "y", count: 3_992) + "\"}").utf8)
            for stream in stride(from: UInt32(1), through: 33, by: 2) {
                client.send(.headers(stream, mock.block()), .data(stream, body))
                #expect(try client.answer(on: stream)?.status == 200)
            }
            #expect(try client.awaitPing())
            let grants = client.received.filter { $0.type == FrameType.windowUpdate }
            // 17 bodies of 4,000 bytes: two halves of 65,535 were used up.
            #expect(grants.allSatisfy { $0.stream == 0 && 32_767...36_768 ~= $0.number(at: 0) }, "\(grants)")
            #expect(grants.count == 1 || grants.count == 2)
        }
    }

    // MARK: Requests

    @Test func `ten HEAD requests are 405 on one connection, which stays usable`() throws {
        try withMock { mock in
            let client = try mock.wire()
            let head = HPACK.block([(":method", "HEAD"), (":scheme", "https"), (":path", "/"), (":authority", "localhost")])
            for stream in stride(from: UInt32(1), through: 19, by: 2) {
                client.send(.headers(stream, head, end: true))
                #expect(try client.answer(on: stream)?.status == 405)
            }
            #expect(try client.ask(21, mock.block()).status == 200)
        }
    }

    @Test func `host in place of :authority is accepted`() throws {
        try withMock { mock in
            let client = try mock.wire()
            let fields = TestMock.pseudo().dropLast() + [("host", "api.push.apple.com")] + mock.fields()
            #expect(try client.ask(1, HPACK.block(Array(fields))).status == 200)
        }
    }

    /// nghttp2 wants :authority or host, and :scheme; Apple took requests without them long ago (docs/apns.md).
    @Test(arguments: [":authority", ":scheme"])
    func `a request without it is reset, and the connection stays usable`(name: String) throws {
        try withMock { mock in
            let client = try mock.wire()
            client.push(1, HPACK.block(TestMock.pseudo().filter { $0.0 != name } + mock.fields()))
            #expect(try client.answer(on: 1) == nil)
            #expect(client.received.contains { $0.type == FrameType.reset && $0.number(at: 0) == ErrorCode.protocolError })
            #expect(try client.ask(3, mock.block()).status == 200)
        }
    }

    @Test func `unknown fields and the usual ones of HTTP are ignored`() throws {
        try withMock { mock in
            let client = try mock.wire()
            let more = [
                ("content-type", "text/plain"), ("content-length", "\(alert.utf8.count)"), ("user-agent", "x/1"),
                ("accept", "*/*"), ("apns-unheard-of", "1"), ("x-trace", "a b"), ("cookie", "a=b"),
            ]
            #expect(try client.ask(1, mock.block(more)).status == 200)
            #expect(try client.ask(3, mock.block([("content-type", "a/b"), ("content-type", "c/d")])).status == 200)
        }
    }

    @Test func `a client that indexes what it should not is served`() throws {
        try withMock { mock in
            let client = try mock.wire()
            let fields = TestMock.pseudo() + mock.fields([("apns-id", "4084a6e4-9ea8-6d2a-ca49-9a344a152da7")])
            let taught = fields.flatMap { HPACK.literal(.incremental, $0.0, $0.1, huffman: true) }
            #expect(try client.ask(1, taught).status == 200)
            let indexed = fields.indices.reversed().flatMap { HPACK.indexed(62 + $0) }
            #expect(try client.ask(3, indexed).status == 200)
            #expect(try client.ask(5, indexed).status == 200)
        }
    }

    @Test func `a compressed body is a body that is no JSON`() throws {
        let gzip: [UInt8] = [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3, 0xAB, 0xAE, 5, 0, 0x43, 0xBF, 0xA6, 0xA3, 2, 0, 0, 0]
        for (rule, status) in [(APNsSettings.MalformedPayload.accept, 200), (.payloadEmpty, 400)] {
            try withMock({ $0.rules.malformedPayload = rule }) { mock in
                let client = try mock.wire()
                client.send(.headers(1, mock.block([("content-encoding", "gzip")])), .data(1, gzip))
                #expect(try client.answer(on: 1)?.status == status)
            }
        }
    }

    @Test(arguments: [64, 108, 160]) func `tokens of every size that was seen, in either case, are one token each`(
        digits: Int
    ) throws {
        try withMock({ $0.registration = .registered }) { mock in
            let token = String((String(repeating: "0a1b2c3d", count: 20)).prefix(digits))
            _ = try mock.admin.ask(
                "PUT", "/v1/tokens/" + token, [("content-type", "application/json")], body: #"{"topic":"com.example.app"}"#)
            let client = try mock.wire()
            #expect(try client.ask(1, mock.block(token: token)).status == 200)
            #expect(try client.ask(3, mock.block(token: token.uppercased())).status == 200)
            #expect(try client.ask(5, mock.block(token: String(token.dropLast(2)))).status == 400)
        }
    }
}

// How clients reach the mock (docs/apns.md §1): names, TLS, ALPN.

import Basics
import MockServer
import Net
import Testing
import WireClient

@Suite struct HostTests {
    @Test(arguments: [
        "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
        "api-broadcast.push.apple.com", "api-broadcast.sandbox.push.apple.com", "localhost",
    ])
    func `the certificate is good for Apple's names, and none of them chooses an environment`(name: String) throws {
        try withMock { mock in
            let reply = try mock.provider(name: name).ask(
                "POST", "/3/device/" + TestMock.device, mock.fields(), body: alert)
            #expect(reply.status == 200 && reply.field("apns-unique-id") == nil)
        }
    }

    @Test func `a client without ALPN that speaks HTTP/2 is served`() throws {
        try withMock { mock in
            let coordinates = mock.service.coordinates
            let client = try WireClient(port: coordinates.apns.port, trusting: coordinates.ca, protocols: [])
            #expect(client.socket.negotiatedProtocol == nil)
            // HEADERS that end stream 1: GET https / from the static table, and an authority.
            client.send(
                Frame(
                    FrameType.headers, flags: FrameFlag.endHeaders | FrameFlag.endStream, stream: 1,
                    [0x82, 0x87, 0x84, 0x01, 0x01, 0x61]))
            #expect(try client.answer(on: 1)?.text == #"{"reason":"MethodNotAllowed"}"#)
        }
    }

    @Test func `a client that only speaks HTTP/1.1 receives HTTP/2 frames`() throws {
        try withMock { mock in
            let request = Array("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".utf8)
            for protocols in [["http/1.1"], []] {
                let coordinates = mock.service.coordinates
                let client = try WireClient(
                    port: coordinates.apns.port, trusting: coordinates.ca, protocols: protocols, hello: nil)
                client.send(bytes: request)
                while try client.next() != nil {}
                let types = client.received.map(\.type)
                #expect(types.first == FrameType.settings)
                #expect(types.allSatisfy { $0 == FrameType.settings || $0 == FrameType.goAway })
            }
        }
    }

    @Test(.enabled(if: has("openssl"))) func `TLS older than 1.2 is refused`() throws {
        try withMock { mock in
            for (version, isGood) in [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)] {
                let output = try #require(
                    run(
                        """
                        openssl s_client -connect \(mock.service.coordinates.apns) -CAfile '\(mock.service.coordinates.ca)' \
                          \(version) -cipher DEFAULT@SECLEVEL=0 -alpn h2 </dev/null
                        """))
                #expect(output.contains("ALPN protocol: h2") == isGood, "\(version) \(output)")
                #expect(output.contains("alert protocol version") == !isGood, "\(version) \(output)")
                // Whether a client certificate is asked for.
                if isGood { #expect(output.contains("Requested Signature Algorithms"), "\(output)") }
            }
        }
    }
}

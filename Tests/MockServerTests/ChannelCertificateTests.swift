// Channels and broadcasts with a client certificate in place of a provider token (docs/apns.md §9, §11).

import APNs
import Basics
import MockServer
import Net
import Pushes
import Testing
import WireClient

@Suite(.enabled(if: has("curl") && has("nghttp"))) struct ChannelCertificateTests {
    /// The options that make curl and nghttp show it.
    private func show(
        _ mock: TestMock, _ turn: (inout CertificateRequest) -> Void = { _ in }
    ) throws -> (certificate: String, key: String) {
        var request = CertificateRequest(topics: [bundle])
        turn(&request)
        let made = try mock.service.credentials.makeCertificate(request)
        return (mock.directory + "/" + made.file, mock.directory + "/" + made.keyFile)
    }

    private func curl(_ mock: TestMock, _ credential: (certificate: String, key: String), _ rest: String) -> String {
        run(
            """
            curl -sS -i --http2 --cacert '\(mock.service.coordinates.ca)' --cert '\(credential.certificate)' \
              --key '\(credential.key)' --max-time 10 \(rest)
            """) ?? ""
    }

    @Test func `a certificate that lists the app manages its channels and sends`() throws {
        try withChannelMock { mock in
            let manage = "https://127.0.0.1:\(try #require(mock.service.coordinates.channels).port)/1/apps/"
            let send = "https://127.0.0.1:\(mock.service.coordinates.apns.port)/4/broadcasts/apps/"
            let credential = try show(mock)
            let channel = try mock.createChannel(policy: 0)
            #expect(curl(mock, credential, manage + bundle + "/all-channels").hasSuffix(#"{"channels":["\#(channel)"]}"#))
            let message =
                "-H 'apns-channel-id: \(channel)' -H 'apns-push-type: liveactivity' -H 'apns-expiration: 0' "
                + "-H 'apns-priority: 10' -d '\(Broadcast.body("update"))' "
            #expect(curl(mock, credential, message + send + bundle).hasPrefix("HTTP/2 200"))
            let other = "com.example.other"
            #expect(curl(mock, credential, manage + other + "/all-channels").hasSuffix(#"{"reason":"TopicMismatch"}"#))
            #expect(curl(mock, credential, message + send + other).hasSuffix(#"{"reason":"TopicMismatch"}"#))
        }
    }

    @Test func `a certificate revoked meanwhile is told to go at its next request`() throws {
        try withChannelMock { mock in
            let client = try WireClient(
                port: try #require(mock.service.coordinates.channels).port, trusting: mock.service.coordinates.ca,
                identity: try show(mock))
            let list = HPACK.block([
                (":method", "GET"), (":scheme", "https"), (":path", "/1/apps/\(bundle)/all-channels"),
                (":authority", "localhost"),
            ])
            client.send(.headers(1, list, end: true))
            #expect(try client.answer(on: 1)?.status == 200)
            #expect(try mock.service.credentials.revoke(mock.service.credentials.list.certificates[0].name))
            client.send(.headers(3, list, end: true))
            #expect(try client.answer(on: 3) == nil)
            let goAway = try #require(client.received.last { $0.type == FrameType.goAway })
            #expect(goAway.payload.dropFirst(8) == Array(#"{"reason":"BadCertificate"}"#.utf8)[...])
        }
    }

    @Test(arguments: [BroadcastReason.badCertificate, .badCertificateEnvironment])
    func `a bad certificate is told to go, and no stream of its is answered`(reason: BroadcastReason) throws {
        try withChannelMock { mock in
            let credential = try show(mock) { request in
                if reason == .badCertificate { request.defect = .expired } else { request.environments = [.sandbox] }
            }
            let port = try #require(mock.service.coordinates.channels).port
            let output = try #require(
                run(
                    """
                    nghttp -nv --no-dep --cert '\(credential.certificate)' --key '\(credential.key)' \
                      https://127.0.0.1:\(port)/1/apps/\(bundle)/all-channels
                    """))
            #expect(output.contains(#"{"reason":"\#(reason.word)"}"#) && output.contains("GOAWAY"), "\(output)")
            #expect(output.contains("last_stream_id=0, error_code=NO_ERROR") && !output.contains(":status"))
        }
    }
}

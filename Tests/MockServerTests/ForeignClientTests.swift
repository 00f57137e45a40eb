// Clients that are not ours must find the mock as they find Apple: curl, and nghttp for the frames themselves.

import Basics
import MockServer
import Net
import Testing

@Suite struct ForeignClientTests {
    @Test(.enabled(if: has("curl"))) func `curl pushes over HTTP/2 and trusts the mock's authority`() throws {
        try withMock { mock in
            let coordinates = mock.service.coordinates
            let output = try #require(
                run(
                    """
                    curl -sS -D - --http2-prior-knowledge --cacert '\(coordinates.ca)' \
                      --resolve api.push.apple.com:\(coordinates.apns.port):127.0.0.1 \
                      -H 'authorization: \(mock.authorization)' -H 'apns-topic: com.example.app' \
                      -H 'apns-push-type: alert' -d '\(alert)' \
                      https://api.push.apple.com:\(coordinates.apns.port)/3/device/\(TestMock.device)
                    """))
            #expect(output.hasPrefix("HTTP/2 200"), "\(output)")
            #expect(output.contains("apns-id: "))
        }
    }

    @Test(.enabled(if: has("curl"))) func `the admin API speaks HTTP/1.1 and HTTP/2 to curl`() throws {
        try withMock { mock in
            let url = try #require(mock.service.coordinates.adminURL)
            for version in ["--http1.1", "--http2-prior-knowledge"] {
                #expect(run("curl -sS \(version) \(url)/v1/health") == "{\"status\":\"ok\"}\n")
            }
        }
    }

    @Test(.enabled(if: has("nghttp")))
    func `the first SETTINGS are Apple's, and the thousand streams come before the first answer`() throws {
        try withMock { mock in
            let coordinates = mock.service.coordinates
            try write(alert, to: mock.directory + "/body.json")
            let output = try #require(
                run(
                    """
                    nghttp -nv --no-dep -d '\(mock.directory)/body.json' -H ':method: POST' \
                      -H 'authorization: \(mock.authorization)' -H 'apns-topic: com.example.app' \
                      https://127.0.0.1:\(coordinates.apns.port)/3/device/\(TestMock.device)
                    """))
            // Lines of what the mock sent: a frame's first line says recv, its details are indented.
            var received: [String] = []
            var isReceived = false
            for line in output.split(separator: "\n") {
                if line.contains(" frame <") || line.contains("recv (") { isReceived = line.contains("recv") }
                if isReceived, let start = line.firstIndex(of: "["), line.contains("SETTINGS_") {
                    received.append(String(line[start...].dropFirst().dropLast()))
                }
                if line.contains(":status: 200") { received.append("200") }
            }
            #expect(
                received == [
                    "SETTINGS_HEADER_TABLE_SIZE(0x01):4096", "SETTINGS_MAX_CONCURRENT_STREAMS(0x03):1",
                    "SETTINGS_INITIAL_WINDOW_SIZE(0x04):65535", "SETTINGS_MAX_FRAME_SIZE(0x05):16384",
                    "SETTINGS_MAX_HEADER_LIST_SIZE(0x06):8000", "SETTINGS_MAX_CONCURRENT_STREAMS(0x03):1000", "200",
                ], "\(output)")
        }
    }
}

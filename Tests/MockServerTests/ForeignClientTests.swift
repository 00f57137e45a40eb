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

    /// One connection, as httpx makes it: HEADERS of h2, its own HPACK, its own idea of flow control.
    private static let httpx = """
        import sys, httpx
        url, ca, token, topic = sys.argv[1:5]
        good = {"authorization": token, "apns-topic": topic, "apns-push-type": "alert"}
        body = '{"aps":{"alert":"hello"}}'
        with httpx.Client(http2=True, http1=False, verify=ca) as client:
            for _ in range(50):
                answer = client.post(url + "a1" * 32, content=body, headers=good)
                assert answer.status_code == 200 and answer.content == b"", answer
                assert list(answer.headers) == ["apns-id"], answer.headers
            bad = client.post(url + "zz", content=body, headers=good)
            gone = client.post(url + "a1" * 32, content=body)
            large = client.post(url + "a1" * 32, content="x" * 100000, headers=good)
        print(answer.http_version, bad.status_code, bad.json(), gone.status_code, gone.json(), large.json())
        """

    @Test(.enabled(if: ForeignClientTests.python != nil)) func `httpx pushes over HTTP/2, and is refused in its turn`() throws {
        try withMock { mock in
            let coordinates = mock.service.coordinates
            let (script, python) = (mock.directory + "/push.py", try #require(Self.python))
            try write(Self.httpx, to: script)
            let output = run(
                """
                timeout 60 \(python) '\(script)' \
                  'https://localhost:\(coordinates.apns.port)/3/device/' '\(coordinates.ca)' '\(mock.authorization)' \
                  com.example.app
                """)
            let refused = "400 {'reason': 'BadDeviceToken'} 403 {'reason': 'MissingProviderToken'}"
            #expect(output == "HTTP/2 \(refused) {'reason': 'PayloadTooLarge'}\n")
            #expect(mock.service.statistics().connectionsOpened == 1)
        }
    }

    /// A Python that has httpx with HTTP/2: the Debian packages belong to the system's own.
    private static let python = ["python3", "/usr/bin/python3"].first { run("\($0) -c 'import httpx, h2'") == "" }

    @Test(.enabled(if: has("h2load"))) func `h2load opens a hundred streams before it has read of any limit, and is served`() throws {
        try withMock { mock in
            let coordinates = mock.service.coordinates
            try write(alert, to: mock.directory + "/body.json")
            let output = try #require(
                run(
                    """
                    timeout 60 h2load -n 5000 -c 5 -m 100 -d '\(mock.directory)/body.json' \
                      -H 'authorization: \(mock.authorization)' -H 'apns-topic: com.example.app' \
                      https://127.0.0.1:\(coordinates.apns.port)/3/device/\(TestMock.device)
                    """))
            #expect(output.contains("5000 succeeded, 0 failed, 0 errored, 0 timeout"), "\(output)")
            #expect(output.contains("status codes: 5000 2xx"), "\(output)")
        }
    }
}

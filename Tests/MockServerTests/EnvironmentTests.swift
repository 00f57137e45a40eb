// Production and sandbox in one mock (docs/apns.md §1): two listeners and their twins, nothing shared between them.

import APNs
import Basics
import MockServer
import Net
import Pushes
import Testing

@Suite struct EnvironmentTests {
    private static let port = SocketAddress(host: "127.0.0.1", port: 0)

    private func withBoth(_ body: (TestMock) throws -> Void) throws {
        try withMock({ options in
            options.apnsTwin = Self.port
            options.sandbox = Self.port
            options.sandboxTwin = Self.port
            options.loops = 2
        }) { try body($0) }
    }

    private func push(_ client: TestClient, _ mock: TestMock, token: String = TestMock.device) throws -> Reply {
        try client.ask("POST", "/3/device/" + token, mock.fields(), body: alert)
    }

    @Test func `each environment answers on its address and its twin, and says which it is`() throws {
        try withBoth { mock in
            let coordinates = mock.service.coordinates
            let addresses = [
                coordinates.apns, try #require(coordinates.apnsTwin), try #require(coordinates.sandbox),
                try #require(coordinates.sandboxTwin),
            ]
            #expect(Set(addresses.map(\.port)).count == 4)
            for (index, address) in addresses.enumerated() {
                let token = String(repeating: "\(index)a", count: 32)
                let reply = try push(mock.provider(at: address), mock, token: token)
                #expect(reply.status == 200)
                #expect((reply.field("apns-unique-id") != nil) == (index >= 2))
            }
            let pushes = try mock.admin.ask("GET", "/v1/pushes").json["pushes"]?.array ?? []
            #expect(
                pushes.map { $0["environment"]?.string } == ["production", "production", "sandbox", "sandbox"])
            let info = try mock.admin.ask("GET", "/v1/info").json
            #expect(info["sandbox"]?.string == coordinates.sandbox?.description)
            #expect(info["environment"] == "production" && info["loops"] == 2)
            #expect(mock.service.statistics().pushes == 4)
        }
    }

    @Test func `a token of one environment is BadDeviceToken in the other`() throws {
        try withBoth { mock in
            let production = try mock.provider()
            let sandbox = try mock.provider(at: mock.service.coordinates.sandbox)
            #expect(try push(production, mock).status == 200)
            #expect(try push(sandbox, mock).text == #"{"reason":"BadDeviceToken"}"#)
            let other = String(TestMock.device.reversed())
            _ = try mock.admin.ask(
                "PUT", "/v1/tokens/" + other, [("content-type", "application/json")], body: #"{"environment":"sandbox"}"#)
            #expect(try push(production, mock, token: other).text == #"{"reason":"BadDeviceToken"}"#)
            #expect(try push(sandbox, mock, token: other).status == 200)
        }
    }

    @Test func `a name in SNI does not choose the environment`() throws {
        try withBoth { mock in
            let name = "api.push.apple.com"
            let client = try mock.provider(at: mock.service.coordinates.sandbox, name: name)
            #expect(try push(client, mock).field("apns-unique-id") != nil)
        }
    }

    @Test func `contradictions are told`() throws {
        try withDirectory { directory in
            let twice = #expect(throws: Failure.self) {
                try TestMock(directory) {
                    $0.environment = .sandbox
                    $0.sandbox = Self.port
                }
            }
            #expect(twice?.message == "sandbox is played twice")
            let lonely = #expect(throws: Failure.self) { try TestMock(directory) { $0.sandboxTwin = Self.port } }
            #expect(lonely?.hint?.contains("--sandbox") == true)
        }
    }
}

// A mock that lets another one have its place for a while.

import Basics
import MockServer
import Net
import Testing

@Suite struct AsideTests {
    private let path = "/3/device/" + TestMock.device

    @Test func `another mock takes the place, and what the first one knows stays`() throws {
        try withMock({ $0.registration = .registered }) { mock in
            let place = mock.service.coordinates
            let token = #"{"kind":"device","topic":"com.example.app"}"#
            #expect(try mock.admin.ask("PUT", "/v1/tokens/" + TestMock.device, body: token).status < 300)
            #expect(try mock.provider().ask("POST", path, mock.fields(), body: alert).status == 200)

            mock.service.standAside()
            var options = MockOptions(stateDirectory: mock.directory)
            options.apns = place.apns
            options.admin = nil
            options.journalDirectory = mock.directory + "-journal"
            options.tellsPlace = false
            let other = try MockService(options: options)
            #expect(other.coordinates.keyID == place.keyID && other.coordinates.ca == place.ca)
            #expect(try mock.provider().ask("POST", path, mock.fields(), body: alert).status == 200)
            #expect(try mock.journal().count == 1, "what the other one sees is not ours")
            #expect(try !mock.service.comeBack(), "the other one is still there")
            other.drainAndStop()
            #expect(readText(mock.directory + "/mock.json") == place.readyLine + "\n")

            #expect(try mock.service.comeBack())
            #expect(try mock.provider().ask("POST", path, mock.fields(), body: alert).status == 200, "it is still registered")
            #expect(try mock.journal().count == 2)
        }
    }

    /// Closing what has not ended by the limit is for those connections, not for those of afterwards.
    @Test func `what is opened after it came back outlives the limit of the drain`() throws {
        try withMock({ $0.drainLimit = .milliseconds(300) }) { mock in
            let before = try mock.provider()
            #expect(try before.ask("POST", path, mock.fields(), body: alert).status == 200)
            mock.service.standAside()
            #expect(try mock.service.comeBack())
            try mock.slow(by: "600ms")
            let after = try mock.provider()
            #expect(try after.ask("POST", path, mock.fields(), body: alert).status == 200)
        }
    }

    @Test func `where its address was taken meanwhile, it says so and leaves the state directory`() throws {
        try withMock { mock in
            mock.service.standAside()
            let thief = try ListeningSocket(mock.service.coordinates.apns)
            let failure = #expect(throws: Failure.self) { try mock.service.comeBack() }
            #expect(failure?.message.contains("cannot listen on \(thief.boundAddress)") == true)
            let other = try MockService(options: { var o = MockOptions(stateDirectory: mock.directory); o.admin = nil
                o.apns = SocketAddress(host: "127.0.0.1", port: 0); return o }())
            other.drainAndStop()
        }
    }
}

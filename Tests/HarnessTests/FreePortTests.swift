// Where a relay is told to listen.

import Basics
import Net
import Testing

@testable import Harness

@Suite("A free port for a relay")
struct FreePortTests {
    private let loopback = SocketAddress(host: "127.0.0.1", port: 0)

    @Test("lies where no outgoing connection takes it, and is another one for each process", arguments: [1, 77, 32_767, Int32.max])
    func range(process: Int32) throws {
        let port = try FreePort.on(loopback, process: process).port
        #expect(FreePort.range.contains(Int(port)))
        #expect(try FreePort.on(loopback, process: process - 1).port != port)
    }

    @Test("one that somebody listens on is passed over")
    func taken() throws {
        let first = try FreePort.on(loopback, process: 4_242)
        let socket = try ListeningSocket(first)
        let second = try FreePort.on(loopback, process: 4_242)
        #expect(second.port != first.port && FreePort.range.contains(Int(second.port)))
        _ = socket
    }
}

// A relay of forty lines: it answers as told, or not at all, and remembers what it was sent.

import Basics
import EventLoop
import Glibc
import HTTP
import Net
import Synchronization

@testable import LoadGenerator

final class TinyRelay: Sendable {
    enum Manner: Sendable { case answer(Int), silence, late(Interval) }

    private final class Service: ServerHandler {
        let manner: Manner
        let loop: EventLoop
        let seen: Seen
        /// Kept until their connection ends, never answered.
        var silent: [ServerExchange] = []

        init(_ manner: Manner, loop: EventLoop, seen: Seen) {
            self.manner = manner
            self.loop = loop
            self.seen = seen
        }

        func handle(_ exchange: ServerExchange) {
            let path = exchange.head.text(":path") ?? ""
            let body = exchange.body.text
            seen.requests.withLock { $0.append((path: path, body: body)) }
            switch manner {
            case .answer(let status): exchange.respond(status: status, body: Array("{}".utf8))
            case .silence: silent.append(exchange)
            case .late(let delay): _ = loop.after(delay) { exchange.respond(status: 200) }
            }
        }

        func abandoned(_ exchange: ServerExchange) { silent.removeAll { $0 === exchange } }
    }

    private final class Seen: Sendable {
        let requests = Mutex<[(path: String, body: String)]>([])
    }

    private let seen = Seen()
    private let thread: LoopThread<Server>
    let origin: Origin

    init(_ manner: Manner = .answer(200)) throws {
        let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        origin = Origin(isTLS: false, host: "127.0.0.1", port: socket.boundAddress.port)
        let seen = seen
        thread = try LoopThread(name: "tiny-relay") { loop in
            let service = Service(manner, loop: loop, seen: seen)
            let server = try Server(loop: loop, configuration: ServerConfiguration(), handler: service)
            server.listen(on: socket)
            return server
        }
    }

    var requests: [(path: String, body: String)] { seen.requests.withLock { $0 } }

    func stop() { thread.stop() }

    deinit { thread.stop() }

    /// A port where nobody listens.
    static func nowhere() throws -> Origin {
        let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        return Origin(isTLS: false, host: "127.0.0.1", port: socket.boundAddress.port)
    }
}

/// Runs `body` with a folder that is gone afterwards.
func withFolder<R>(_ body: (String) throws -> R) throws -> R {
    var template = Array("/tmp/pushrig-load-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(.run, "cannot make a folder") }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
        if let listing = opendir(path) {
            while let entry = readdir(listing) {
                let name = withUnsafePointer(to: entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { unlink(path + "/" + name) }
            }
            closedir(listing)
        }
        rmdir(path)
    }
    return try body(path)
}

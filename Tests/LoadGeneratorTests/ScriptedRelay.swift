// A relay that answers each request as a closure says, and remembers them.

import Basics
import EventLoop
import Foundation
import HTTP
import Net
@testable import Planning
import Scenarios
import Synchronization

final class ScriptedRelay: Sendable {
    struct Request: Sendable {
        var path: String
        var authorization: String
        var body: String
        var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
    }

    struct Answer: Sendable {
        var status = 200
        var body = "{}"
        var type = "application/json"
        var headers: [(name: String, value: String)] = []
        var after = Interval.zero
    }

    private final class Service: ServerHandler {
        let loop: EventLoop
        let seen: Seen
        let answer: @Sendable (Request, Int) -> Answer

        init(_ loop: EventLoop, _ seen: Seen, _ answer: @escaping @Sendable (Request, Int) -> Answer) {
            self.loop = loop
            self.seen = seen
            self.answer = answer
        }

        func handle(_ exchange: ServerExchange) {
            let request = Request(
                path: exchange.head.text(":path") ?? "", authorization: exchange.head.text("authorization") ?? "",
                body: exchange.body.text)
            let count = seen.requests.withLock { requests in
                requests.append(request)
                return requests.count { $0.path == request.path }
            }
            let answer = answer(request, count)
            exchange.responseHead.append("content-type", answer.type)
            for (name, value) in answer.headers { exchange.responseHead.append(name: name, value: value) }
            guard answer.after > .zero else {
                return exchange.respond(status: answer.status, body: Array(answer.body.utf8))
            }
            _ = loop.after(answer.after) { exchange.respond(status: answer.status, body: Array(answer.body.utf8)) }
        }

        func abandoned(_ exchange: ServerExchange) {}
    }

    private final class Seen: Sendable { let requests = Mutex<[Request]>([]) }

    private let seen = Seen()
    private let thread: LoopThread<Server>
    let origin: Origin

    /// `answer` gets the request and how many there were to its path, this one included.
    init(_ answer: @escaping @Sendable (Request, Int) -> Answer) throws {
        let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        origin = Origin(isTLS: false, host: "127.0.0.1", port: socket.boundAddress.port)
        let seen = seen
        thread = try LoopThread(name: "scripted-relay") { loop in
            let server = try Server(
                loop: loop, configuration: ServerConfiguration(), handler: Service(loop, seen, answer))
            server.listen(on: socket)
            return server
        }
    }

    func requests(to path: String) -> [Request] { seen.requests.withLock { $0.filter { $0.path == path } } }

    func stop() { thread.stop() }

    deinit { thread.stop() }

    /// A plan of sessions that begin within 50 ms and make the call `one` so often, each time after that long. `SECRET` stands for
    /// a secret that is "s e&cret"; `profile` stands above `calls`, `call` within `one`.
    static func plan(
        profile: String = "settle: 2s", call: String, sessions: Int = 10, steps: Int = 1, every: String = "1ms"
    ) throws -> Plan {
        try withFolder { folder in
            let key = folder + "/key"
            try "s e&cret\n".write(toFile: key, atomically: true, encoding: .utf8)
            func filled(_ text: String) -> String {
                text.split(separator: "SECRET", omittingEmptySubsequences: false).joined(separator: "{ file: \(key) }")
            }
            let text = """
                relay:
                  url: http://127.0.0.1:1
                  profile:
                    topic: com.example.app
                    retries: { wait: 1ms }
                    \(filled(profile))
                    calls:
                      one:
                        path: /one
                        \(filled(call))
                workload:
                  requestTimeout: 5s
                  arrivals: [{ rate: \(sessions * 20), for: 50ms }]
                  scripts: [{ script: { steps: [{ call: one, every: \(every), count: \(steps) }] } }]
                """
            return Plan(scenario: try Scenario.parse(text: text, path: "t.yaml"), seed: Seed(1), run: 7, shard: .whole)
        }
    }
}

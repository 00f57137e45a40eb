// The tokens that a relay holds, as an endpoint of its own says: what is put on record of it.

import Basics
import EventLoop
import Glibc
import HTTP
import Journal
import LoadGenerator
import Net
import Planning
import SQLite
import Scenarios
import Synchronization
import Testing

@testable import Harness

@Suite struct `Who asks a relay for its tokens` {
    /// Gives one answer after the other, and the last one for ever.
    private final class Teller: ServerHandler {
        private let answers: [(status: Int, body: String)]
        private let asked: Asked

        final class Asked: Sendable { let paths = Mutex<[String]>([]) }

        init(_ answers: [(status: Int, body: String)], _ asked: Asked) { (self.answers, self.asked) = (answers, asked) }

        func handle(_ exchange: ServerExchange) {
            let number = asked.paths.withLock { paths in
                paths.append("\(exchange.head.text(":path") ?? "") \(exchange.head.text("authorization") ?? "-")")
                return min(paths.count, answers.count) - 1
            }
            exchange.respond(status: answers[number].status, body: Array(answers[number].body.utf8))
        }
    }

    /// Looks at least so often.
    private func look(
        _ answers: [(status: Int, body: String)], times: Int = 1, _ keys: String = "kind: /kind"
    ) throws -> (looks: [StateNote], told: [String], asked: [String]) {
        try Place.withFolder { folder in
            let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
            let asked = Teller.Asked()
            let thread = try LoopThread(name: "teller") { loop in
                let server = try Server(loop: loop, configuration: ServerConfiguration(), handler: Teller(answers, asked))
                server.listen(on: socket)
                return server
            }
            defer { thread.stop() }
            let text = """
                name: asked
                relay:
                  url: "http://127.0.0.1:1"
                  profile:
                    topic: com.example.app
                    state:
                      every: 100ms
                      http: { path: /tokens, auth: none, rows: /tokens, token: /token, \(keys) }
                      activity: live
                      device: alert
                    calls: { health: { path: /health } }
                workload:
                  arrivals: [{ rate: 1, for: 1s }]
                  scripts: [{ script: { steps: [{ call: health }] } }]
                """
            let scenario = try Scenario.parse(text: text, path: "asked.yaml")
            let plan = Plan(scenario: scenario, seed: Seed(1), run: 7)
            let spec = try #require(scenario.relay.profile.state)
            guard case .http(let endpoint) = spec.source else { throw Failure(.run, "it asks somebody else") }
            let origin = Origin(isTLS: false, host: "127.0.0.1", port: socket.boundAddress.port)
            let target = try TargetPolicy.check(origin)
            let watch = try StateWatch(spec, journalDirectory: folder, clock: nil) { loop in
                EndpointSource(
                    try StateQuestion(endpoint, plan, loop: loop, target: target, tls: TLSClientSettings()))
            }
            watch.start()
            for _ in 0..<500 where asked.paths.withLock({ $0.count }) < times { usleep(10_000) }
            watch.lookAndStop()
            var (looks, told) = ([StateNote](), [String]())
            _ = try JournalReader(directory: folder).forEach(since: nil) { entry in
                guard case .note(let note) = entry else { return true }
                if let state = note.state { looks.append(state) } else { told.append(note.text) }
                return true
            }
            return (looks, told, asked.paths.withLock { $0 })
        }
    }

    private static let rows = #"{"tokens":[{"kind":"live","token":"a1"},{"kind":"alert","token":"b1"},{"kind":"other","token":"c1"},{}]}"#

    @Test func `notes the rows of each kind, what is new and what is gone`() throws {
        let (looks, told, asked) = try look(
            [(200, Self.rows), (200, #"{"tokens":[{"kind":"live","token":"a2"}]}"#)], times: 2)
        #expect(looks.count >= 2 && looks[0].tables == ["activity", "device"] && told.isEmpty)
        #expect(looks[0].added == ["activity": ["a1"], "device": ["b1"]] && looks[0].removed.isEmpty)
        #expect(looks[1].added == ["activity": ["a2"]] && looks[1].removed == ["activity": ["a1"], "device": ["b1"]])
        #expect(asked[0] == "/tokens -")
    }

    @Test(arguments: [
        (403, "hidden", "the relay cannot be asked for its tokens: it is answered with status 403"),
        (200, "hidden", "the answer is no JSON"), (200, #"{"rows":"hidden"}"#, "the answer has no list at /tokens"),
    ])
    func `says once why it asks in vain, and asks again`(status: Int, body: String, words: String) throws {
        let (looks, told, asked) = try look([(status, body), (status, body), (200, Self.rows)], times: 3)
        #expect(told.count == 1 && told[0].contains(words) && !told[0].contains("hidden"), "\(told)")
        #expect(!looks.isEmpty && asked.count >= 3)
    }

    @Test func `reads so many rows and no more`() throws {
        let row = #"{"kind":"live","token":"a"}"#
        let many = "{\"tokens\":[" + Array(repeating: row, count: StateSpec.mostRows + 1).joined(separator: ",") + "]}"
        let (looks, told, _) = try look([(200, many)])
        #expect(looks.isEmpty && told[0].contains("more than 20000 rows") && told[0].contains(#""wasGivenUp":true"#), "\(told)")
    }

    /// Looks at a file of SQLite at least so often as it is told; `query` is asked of the table `token`, which has one row.
    private func lookAtFile(_ query: String, told most: Int) throws -> (looks: [StateNote], told: [NoteEntry]) {
        try Place.withFolder { folder in
            let database = try Database(path: folder + "/relay.sqlite")
            try database.execute("CREATE TABLE token (token TEXT); INSERT INTO token VALUES ('a1')")
            let spec = StateSpec(
                source: .sqlite(file: "relay.sqlite"), every: .milliseconds(100),
                tables: [StateSpec.Table(role: .deviceToken, query: query)])
            let watch = try StateWatch(spec, journalDirectory: folder, clock: nil) { _ in
                SQLiteSource(file: folder + "/relay.sqlite", patience: .milliseconds(200))
            }
            var (looks, told) = ([StateNote](), [NoteEntry]())
            func read() throws {
                (looks, told) = ([], [])
                _ = try JournalReader(directory: folder).forEach(since: nil) { entry in
                    guard case .note(let note) = entry else { return true }
                    if let state = note.state { looks.append(state) } else { told.append(note) }
                    return true
                }
            }
            watch.start()
            for _ in 0..<1_000 where told.count < most && looks.isEmpty {
                usleep(10_000)
                try read()
            }
            watch.lookAndStop()
            let before = told.count
            try read()
            // The end takes no further look where the last was given up: at most the one that was under way.
            #expect(told.count <= before + 1)
            return (looks, told)
        }
    }

    @Test(arguments: [
        ("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n", "a look took more than 200ms"),
        ("SELECT hex(zeroblob(200000000))", "a value has more than 1048576 bytes"),
        ("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 30000) SELECT x FROM n", "more than 20000 rows"),
        (
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 300) SELECT hex(zeroblob(100000)) || x FROM n",
            "more than 8388608 bytes"
        ),
    ])
    func `gives up a look that asks too much, says so each time, and does not wait for it`(query: String, words: String) throws {
        let (looks, told) = try lookAtFile(query, told: 2)
        #expect(looks.isEmpty && told.count >= 2)
        #expect(told.allSatisfy { $0.isLookGivenUp && $0.stateFailure?.contains(words) == true }, "\(told.map(\.text))")
    }

    @Test func `looks at a file`() throws {
        let (looks, told) = try lookAtFile("SELECT token FROM token", told: 1)
        #expect(looks.first?.added == ["device": ["a1"]] && told.isEmpty)
        let (none, why) = try lookAtFile("SELECT token FROM nowhere", told: 1)
        #expect(none.isEmpty && why.count == 1 && why[0].stateFailure?.contains("no such table") == true && !why[0].isLookGivenUp)
    }
}

// Those who listen, at a server that tells as its test says.

import Basics
import EventLoop
import Glibc
import HTTP
import Journal
import Net
import OperatingSystem
@testable import Planning
import Pushes
import Scenarios
import Synchronization
import Testing

@testable import LoadGenerator

/// Answers each subscription with the pieces of its turn, and leaves it open or ends it.
private final class Teller: ServerHandler {
    private let turns: [[String]]
    private let endsFirst: Bool
    private let paths: Paths
    private var count = 0
    private var open: [ServerExchange] = []

    final class Paths: Sendable { let all = Mutex<[String]>([]) }

    init(_ turns: [[String]], endsFirst: Bool, paths: Paths) {
        self.turns = turns
        self.endsFirst = endsFirst
        self.paths = paths
    }

    func handle(_ exchange: ServerExchange) {
        let accept = exchange.head.text("accept") ?? ""
        paths.all.withLock { $0.append("\(exchange.head.text(":path") ?? "") \(accept)") }
        let turn = count
        count += 1
        guard turn < turns.count, !turns[turn].isEmpty else { return exchange.respond(status: 503) }
        exchange.responseHead.append("content-type", "text/event-stream")
        exchange.startStreaming(status: 200)
        for piece in turns[turn] { exchange.stream(Array(piece.utf8)) }
        if endsFirst, turn == 0 { exchange.finishStreaming() } else { open.append(exchange) }
    }
}

@Suite("Who listens")
struct WatchTests {
    private static let scenario = """
        name: listening
        relay:
          url: "http://127.0.0.1:1"
          profile:
            topic: com.example.app
            observers:
              dashboard:
                path: /events
                query: { user: "{{serverID}}" }
                event: changed
                COPIES
            calls:
              change:
                path: /change
                json: { text: "{{marker}}" }
                tells: [{ observer: dashboard, within: 2s }]
        workload:
          arrivals: [{ rate: 1, for: 2s }]
          maxSessions: 1
          scripts: [{ script: { steps: [{ call: change }] } }]
        """

    /// What was put on record by the time `until` holds of it, at most five seconds.
    private func notes(
        _ turns: [[String]], endsFirst: Bool = false, copies: String = "copies: 1", until: ([HeardNote]) -> Bool
    ) throws -> (notes: [HeardNote], paths: [String]) {
        try withFolder { folder in
            let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
            let paths = Teller.Paths()
            let thread = try LoopThread(name: "teller") { loop in
                let server = try Server(
                    loop: loop, configuration: ServerConfiguration(),
                    handler: Teller(turns, endsFirst: endsFirst, paths: paths))
                server.listen(on: socket)
                return server
            }
            defer { thread.stop() }
            let text = Self.scenario.replacing("COPIES", with: copies)
            let plan = Plan(scenario: try Scenario.parse(text: text, path: "listening.yaml"), seed: Seed(1), run: 7)
            let origin = Origin(isTLS: false, host: "127.0.0.1", port: socket.boundAddress.port)
            let watch = try WatchService(plan: plan, journalDirectory: folder)
            watch.listen(at: SystemTime().now(), target: try TargetPolicy.check(origin))
            var heard: [HeardNote] = []
            for _ in 0..<500 where !until(heard) {
                usleep(10_000)
                heard = try read(folder)
            }
            watch.stop()
            #expect(watch.failure == nil)
            return (heard, paths.all.withLock { $0 })
        }
    }

    private func read(_ folder: String) throws -> [HeardNote] {
        var notes: [HeardNote] = []
        _ = try JournalReader(directory: folder).forEach(since: nil) { entry in
            if case .note(let note) = entry, let heard = note.heard { notes.append(heard) }
            return true
        }
        return notes
    }

    @Test("puts on record that it listens, and each event of the name, with its marker")
    func told() throws {
        let marker = Marker(run: 7, session: 0, step: 0)
        let events = [
            ": hello\n\n", "event: other\ndata: no\n\nevent: chan", "ged\ndata: {\"text\":\"\(marker.text)\"}\n\n",
            "event: changed\ndata: nothing\n\n",
        ]
        let (notes, paths) = try notes([events]) { $0.count >= 3 }
        #expect(notes.map(\.what) == [.opened, .told, .told])
        #expect(notes.map(\.marker) == [nil, marker, nil])
        #expect(notes.last?.text == "nothing" && notes.last?.name == "changed" && notes.last?.listener == 1)
        #expect(paths.count == 1 && paths[0].hasPrefix("/events?user=") && paths[0].hasSuffix(" text/event-stream"))
    }

    @Test("asks again where the relay ends the stream or refuses it, and says so")
    func again() throws {
        let event = "event: changed\ndata: x\n\n"
        let (notes, paths) = try notes([[event], [], [event]], endsFirst: true) { $0.count >= 6 }
        #expect(notes.map(\.what) == [.opened, .told, .closed, .refused, .opened, .told], "\(notes)")
        #expect(Set(notes.map(\.listener)) == [1] && paths.count == 3)
        #expect(notes.count > 3 && notes[3].text == "status 503")
    }

    @Test("listens as often as the profile has it")
    func copies() throws {
        let event = "event: changed\ndata: x\n\n"
        let (notes, _) = try notes([[event], [event], [event]], copies: "copies: 3") { $0.count >= 6 }
        #expect(notes.filter { $0.what == .told }.map(\.listener).sorted() == [1, 2, 3])
    }

    @Test("gives up a stream whose event is longer than is read")
    func long() throws {
        let (notes, _) = try notes([["data: " + String(repeating: "x", count: 70_000) + "\n"]]) { $0.count >= 2 }
        #expect(notes.prefix(2).map(\.what) == [.opened, .closed])
        #expect(notes.count > 1 && notes[1].text == "an event is longer than is read")
    }
}

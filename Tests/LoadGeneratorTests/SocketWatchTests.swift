// Those who listen over WebSockets, at a server that says what its test has it say, also what it must not.

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
import WebSocket

@testable import LoadGenerator

/// How the server of one test behaves, and what it heard.
private final class Script: Sendable {
    /// Sent as they are when the protocol has been switched, and again behind each message.
    let opening: [[UInt8]]
    let answers: [[UInt8]]
    let wrongAccept: Bool
    let status: Int
    let heard = Mutex<[String]>([])

    init(opening: [[UInt8]] = [], answers: [[UInt8]] = [], wrongAccept: Bool = false, status: Int = 101) {
        (self.opening, self.answers, self.wrongAccept, self.status) = (opening, answers, wrongAccept, status)
    }

    func note(_ text: String) { heard.withLock { $0.append(text) } }
}

private final class SocketTeller: ServerHandler {
    private let script: Script

    init(_ script: Script) { self.script = script }

    func handle(_ exchange: ServerExchange) {
        script.note("\(exchange.head.text(":path") ?? "") \(exchange.head.text("sec-websocket-protocol") ?? "-")")
        guard script.status == 101, let fields = WebSocketHandshake.answer(to: exchange.head) else {
            return exchange.respond(status: script.status)
        }
        for (name, value) in fields {
            exchange.responseHead.append(
                name: name, value: script.wrongAccept && name == "sec-websocket-accept" ? WebSocketHandshake.accept("x") : value)
        }
        let session = WebSocketSession(.server, longest: 1_000)
        exchange.switchProtocols { [script] bytes in
            for event in session.receive(bytes) {
                if case .text(let text) = event {
                    script.note(String(decoding: text, as: UTF8.self))
                    for frame in script.answers { exchange.stream(frame) }
                } else {
                    script.note("\(event)")
                    exchange.finishStreaming()
                }
            }
        }
        for frame in script.opening { exchange.stream(frame) }
    }
}

@Suite("Who listens over a WebSocket")
struct SocketWatchTests {
    private static let scenario = """
        name: listening
        relay:
          url: "http://127.0.0.1:1"
          profile:
            topic: com.example.app
            observers:
              dashboard:
                path: /socket
                event: changed
                websocket:
                  KEYS
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
    private static let keys = """
        send: [{ json: { join: "{{serverID}}" } }, { text: now }]
                  joined: { at: /status, is: ok }
                  event: /kind/name
        """

    /// A frame of text.
    private static func text(_ text: String) -> [UInt8] { [0x81, UInt8(text.utf8.count)] + Array(text.utf8) }

    /// What was put on record by the time `until` holds of it, at most five seconds; and what the server heard.
    private func notes(
        _ script: Script, _ keys: String = keys, until: @escaping ([HeardNote], [String]) -> Bool
    ) throws -> (notes: [HeardNote], heard: [String]) {
        try withFolder { folder in
            let socket = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
            let thread = try LoopThread(name: "teller") { loop in
                let server = try Server(
                    loop: loop, configuration: ServerConfiguration(), handler: SocketTeller(script))
                server.listen(on: socket)
                return server
            }
            defer { thread.stop() }
            let text = Self.scenario.replacing("KEYS", with: keys)
            let plan = Plan(scenario: try Scenario.parse(text: text, path: "listening.yaml"), seed: Seed(1), run: 7)
            let origin = Origin(isTLS: false, host: "127.0.0.1", port: socket.boundAddress.port)
            let watch = try WatchService(plan: plan, journalDirectory: folder)
            watch.listen(at: SystemTime().now(), target: try TargetPolicy.check(origin))
            var notes: [HeardNote] = []
            for _ in 0..<500 where !until(notes, script.heard.withLock { $0 }) {
                usleep(10_000)
                notes = []
                _ = try JournalReader(directory: folder).forEach(since: nil) { entry in
                    if case .note(let note) = entry, let heard = note.heard { notes.append(heard) }
                    return true
                }
            }
            watch.stop()
            #expect(watch.failure == nil)
            return (notes, script.heard.withLock { $0 })
        }
    }

    @Test("joins with its messages, listens from the word that it does, and hears events of the name")
    func told() throws {
        let marker = Marker(run: 7, session: 0, step: 0)
        let script = Script(answers: [
            Self.text(#"{"status":"ok"}"#), Self.text(#"{"kind":{"name":"other"}}"#),
            Self.text(#"{"kind":{"name":"changed"},"of":"\#(marker.text)"}"#),
        ])
        let (notes, heard) = try notes(script) { notes, _ in notes.count >= 3 }
        #expect(notes.map(\.what) == [.opened, .told, .told])
        #expect(notes.map(\.marker) == [nil, marker, marker] && notes.last?.name == "changed")
        #expect(heard.prefix(3).map { $0.prefix(9) } == ["/socket -", #"{"join":""#, "now"], "\(heard)")
    }

    @Test("hears nothing before it is let in, and is refused by another word")
    func refused() throws {
        let script = Script(
            opening: [Self.text(#"{"kind":{"name":"changed"}}"#)], answers: [Self.text(#"{"status":"error"}"#)])
        let (notes, _) = try notes(script) { notes, _ in notes.count >= 1 }
        #expect(notes.first?.what == .refused && notes.first?.text == "a message says that it does not listen")
        #expect(!notes.contains { $0.what == .told })
    }

    @Test("asks for its subprotocol, and takes no answer without it")
    func subprotocol() throws {
        let (notes, heard) = try notes(Script(), "protocol: graphql-transport-ws") { notes, _ in notes.count >= 1 }
        #expect(notes.first?.what == .broken && notes.first?.text.hasSuffix("not the subprotocol that was asked for") == true)
        #expect(heard.first == "/socket graphql-transport-ws")
    }

    @Test("keeps the relay from taking it for gone")
    func beat() throws {
        let script = Script()
        let (_, heard) = try notes(script, "beat: { every: 1s, text: here }") { _, heard in heard.contains("here") }
        #expect(heard.contains("here"))
    }

    @Test("says goodbye when the run is over")
    func goodbye() throws {
        let script = Script(opening: [Self.text(#"{"event":"changed"}"#)])
        let (notes, _) = try notes(script, "event: /event") { notes, _ in notes.count >= 2 }
        #expect(notes.map(\.what) == [.opened, .told])
        for _ in 0..<200 where script.heard.withLock({ $0.count < 2 }) { usleep(10_000) }
        #expect(script.heard.withLock { $0.last } == "closed(code: Optional(1000), reason: \"\")")
    }

    private static let wrong: [(Script, HeardNote.What, String)] = [
        (Script(status: 404), .refused, "status 404 in place of 101, which begins a WebSocket"),
        (Script(status: 200), .refused, "status 200 in place of 101, which begins a WebSocket"),
        (Script(wrongAccept: true), .broken, "its answer begins no WebSocket: a `Sec-WebSocket-Accept` that does not fit the key"),
        (Script(opening: [[0x82, 0x01, 0x07]]), .broken, "a binary message, of 1 bytes"),
        (Script(opening: [[0x81, 0x02, 0xC3, 0x28]]), .broken, "a text that is no UTF-8"),
        (Script(opening: [[0x81, 0x81, 0, 0, 0, 0, 0x68]]), .broken,
            "a frame that RFC 6455 forbids: with a mask, reserved bits, or out of turn"),
        (Script(opening: [[0x81, 127, 0, 0, 0, 0, 0, 1, 0, 1, 65]]), .broken, "a message longer than 65536 bytes"),
        (Script(opening: [[0x88, 0x02, 0x03, 0xE9]]), .closed, "the relay said goodbye with 1001"),
    ]

    @Test("tells in one line what begins no WebSocket, or breaks one, and asks again", arguments: wrong.indices)
    func broken(index: Int) throws {
        let (script, what, words) = Self.wrong[index]
        let (notes, _) = try notes(script, "send: []") { notes, heard in
            notes.filter { $0.what == what }.count >= 2 && heard.count >= 2
        }
        let told = notes.filter { $0.what != .opened }
        #expect(told.count >= 2 && told.allSatisfy { $0.what == what && $0.text == words }, "\(notes)")
    }
}

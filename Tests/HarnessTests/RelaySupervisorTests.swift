// The relay's life in a run, with Python's file server as a relay that answers GET /.

import Basics
import EventLoop
import Foundation
import Net
import Scenarios
import Testing

@testable import Harness

@Suite struct `The relay's supervisor` {
    private static let serve = "exec python3 -m http.server --bind 127.0.0.1 --directory {{run.dir}} {{relay.port}}"

    /// `turn` changes the one thing that a test is about.
    private func withRelay(
        launch script: String? = serve, turn: (inout RelaySpec) -> Void = { _ in },
        _ body: (RelaySupervisor) throws -> Void
    ) throws {
        try Place.withFolder { folder in
            let port = try Place.freePort()
            var spec = try Place.scenario("smoke").relay
            spec.launch = script.map { ["sh", "-c", $0] }
            spec.ready = ReadySpec(path: "/", timeout: .seconds(20))
            turn(&spec)
            let supervisor = try RelaySupervisor(spec, logPath: folder + "/relay.log") { name in
                switch name {
                case "relay.listen": "127.0.0.1:\(port)"
                case "relay.port": "\(port)"
                case "run.dir": folder
                default: nil
                }
            }
            defer { supervisor.stop() }
            try body(supervisor)
        }
    }

    private func wait(_ limit: Interval) -> Bool {
        usleep(UInt32(limit.nanoseconds / 1_000))
        return false
    }

    private func failure(_ supervisor: RelaySupervisor) -> Failure? {
        #expect(throws: Failure.self) { try supervisor.comeUp { wait($0) } }
    }

    @Test func `waits until the relay answers, and ends it`() throws {
        try withRelay { supervisor in
            try supervisor.comeUp { wait($0) }
            let probe = try ReadyProbe(target: supervisor.target, path: "/")
            #expect(probe.isReady())
            try supervisor.advance(since: SystemTime().now(), now: SystemTime().now())
            #expect(!supervisor.isDown && supervisor.outages(until: .distantFuture).isEmpty)
            supervisor.stop()
            #expect(!probe.isReady())
        }
    }

    @Test func `tells how a relay ended before it was up, with its last words`() throws {
        try withRelay(launch: "echo no database; exit 4") { supervisor in
            let failure = failure(supervisor)
            #expect(failure?.message == "the relay exited with code 4; its last words:\nno database")
            #expect(failure?.kind == .run)
        }
    }

    @Test func `tells of a relay that runs and is never ready`() throws {
        try withRelay(turn: { $0.ready = ReadySpec(path: "/health", timeout: .milliseconds(600)) }) { supervisor in
            let failure = failure(supervisor)
            #expect(
                failure?.message
                    == "the relay did not answer GET \(supervisor.origin)/health with 2xx within 600ms")
        }
    }

    @Test func `stops waiting when the user has had enough`() throws {
        try withRelay(launch: "exec sleep 60") { supervisor in
            let begin = SystemTime().now()
            try supervisor.comeUp { _ in true }
            #expect(SystemTime().now() - begin < .seconds(15))
        }
    }

    @Test func `ends the relay on time, starts it again, and notes the outage`() throws {
        let restart = RelayRestart(at: .milliseconds(100), signal: .kill, down: .milliseconds(300))
        try withRelay(turn: { $0.restarts = [restart] }) { supervisor in
            let time = SystemTime()
            try supervisor.comeUp { wait($0) }
            let probe = try ReadyProbe(target: supervisor.target, path: "/")
            let origin = time.now()
            try supervisor.advance(since: origin, now: origin)
            #expect(!supervisor.isDown)
            try supervisor.advance(since: origin, now: origin + .milliseconds(100))
            #expect(supervisor.isDown && !probe.isReady())
            while supervisor.isDown, time.now() - origin < .seconds(30) {
                try supervisor.advance(since: origin, now: time.now())
                _ = wait(.milliseconds(10))
            }
            let outage = try #require(supervisor.outages(until: .distantFuture).first)
            #expect(outage.end - outage.start >= .milliseconds(200))
            #expect(!supervisor.isDown && probe.isReady())
        }
    }

    @Test func `tells of a relay that goes without being told to`() throws {
        try withRelay(launch: "timeout 4 " + Self.serve.dropFirst(5)) { supervisor in
            let time = SystemTime()
            try supervisor.comeUp { wait($0) }
            let origin = time.now()
            let failure = #expect(throws: Failure.self) {
                while time.now() - origin < .seconds(30) {
                    try supervisor.advance(since: origin, now: time.now())
                    _ = wait(.milliseconds(10))
                }
            }
            #expect(failure?.message.hasPrefix("the relay exited with code 124") == true)
        }
    }

    @Test func `leaves a relay alone that runs elsewhere`() throws {
        try withRelay { running in
            try running.comeUp { wait($0) }
            let restart = RelayRestart(at: .zero)
            try withRelay(
                launch: nil,
                turn: {
                    $0.url = running.origin.description
                    $0.restarts = [restart]
                }
            ) { supervisor in
                try supervisor.comeUp { wait($0) }
                try supervisor.advance(since: SystemTime().now(), now: SystemTime().now())
                supervisor.stop()
                #expect(!supervisor.isDown)
            }
            #expect(try ReadyProbe(target: running.target, path: "/").isReady())
        }
    }
}

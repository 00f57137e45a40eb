// The relay's life in a run, with Python's file server as a relay that answers GET /.

import Basics
import EventLoop
import Foundation
import Journal
import Net
import Scenarios
import Testing

@testable import Harness

@Suite struct `The relay's supervisor` {
    private static let serve = "exec python3 -m http.server --bind 127.0.0.1 --directory {{run.dir}} {{relay.port}}"
    private let time = SystemTime()

    /// What was noted.
    private final class Notes {
        var all: [RunNote] = []
        /// Without samples, in a word or two each.
        var words: [String] {
            all.compactMap { note in
                switch note {
                case .relayStarted(let restart, _): "started \(restart)"
                case .relayReady(let restart): "ready \(restart)"
                case .relayStopping(let signal): "stopping \(signal)"
                case .relayExited(let exit): exit.how + (exit.wasAsked ? ", asked" : "")
                default: nil
                }
            }
        }
    }

    /// `turn` changes the one thing that a test is about.
    private func withRelay(
        launch script: String? = serve, turn: (inout RelaySpec) -> Void = { _ in },
        _ body: (RelaySupervisor, Notes) throws -> Void
    ) throws {
        try Place.withFolder { folder in
            let port = try Place.freePort()
            var spec = try Place.scenario("smoke").relay
            spec.launch = script.map { ["sh", "-c", $0] }
            spec.ready = ReadySpec(path: "/", timeout: .seconds(20))
            turn(&spec)
            let notes = Notes()
            let variable: (String) -> String? = { name in
                switch name {
                case "relay.listen": "127.0.0.1:\(port)"
                case "relay.port": "\(port)"
                case "run.dir": folder
                default: nil
                }
            }
            let supervisor = try RelaySupervisor(spec, logPath: folder + "/relay.log", variable: variable) { note in
                notes.all.append(note)
            }
            defer { stop(supervisor) }
            try body(supervisor, notes)
        }
    }

    private func stop(_ supervisor: RelaySupervisor) {
        supervisor.stop(time) { usleep(UInt32($0.nanoseconds / 1_000)) }
    }

    /// Turns the supervisor's wheel until something is so; false after 30 s.
    @discardableResult
    private func turn(_ supervisor: RelaySupervisor, since origin: Instant? = nil, until isSo: () -> Bool) -> Bool {
        let begin = time.now()
        while time.now() - begin < .seconds(30) {
            supervisor.advance(since: origin, now: time.now())
            if isSo() { return true }
            usleep(5_000)
        }
        return false
    }

    private func comeUp(_ supervisor: RelaySupervisor) throws {
        try supervisor.start()
        #expect(turn(supervisor) { supervisor.wasReady || supervisor.neverReady != nil })
    }

    private func isUp(_ supervisor: RelaySupervisor) throws -> Bool {
        let probe = try ReadyProbe(target: supervisor.target, ReadySpec(path: "/"))
        while true {
            if let answer = probe.poll() { return answer }
            usleep(2_000)
        }
    }

    @Test func `waits until the relay answers, and ends it`() throws {
        try withRelay { supervisor, notes in
            try comeUp(supervisor)
            #expect(try supervisor.wasReady && isUp(supervisor) && !supervisor.isDown)
            #expect(supervisor.outages(until: .distantFuture).isEmpty)
            stop(supervisor)
            #expect(try !isUp(supervisor))
            #expect(notes.words == ["started 0", "ready 0", "stopping TERM", "was ended by signal 15, asked"])
        }
    }

    @Test func `may not call what the guard refuses, and then starts nothing`() throws {
        let failure = #expect(throws: Failure.self) {
            try withRelay(turn: { $0.url = "http://17.0.0.1:80" }) { _, _ in Issue.record("it was taken") }
        }
        #expect(failure?.kind == .usage)
    }

    @Test func `tells how a relay ended before it was up, with its last words`() throws {
        try withRelay(launch: "echo no database; exit 4") { supervisor, notes in
            try comeUp(supervisor)
            let failure = supervisor.neverReady
            #expect(failure?.message == "the relay exited with code 4; its last words:\nno database")
            #expect(failure?.kind == .run && !supervisor.wasReady)
            #expect(notes.words == ["started 0", "exited with code 4"])
        }
    }

    @Test func `notes how a relay ended by itself, with last words that hold no secret of the profile`() throws {
        let script = "echo the key is top/secret words; printf '%s' 'top/secret words' | base64; kill -SEGV $$"
        try withRelay(launch: script, turn: { spec in
            spec.profile.calls[0].auth = AuthSpec(
                kind: .basic(user: Template(segments: [.literal(Array("me".utf8))]), password: .kept(KeptSecret(Array("top/secret words".utf8)))))
        }) { supervisor, notes in
            try comeUp(supervisor)
            let exits = notes.all.compactMap { if case .relayExited(let exit) = $0 { exit } else { nil } }
            #expect(exits == [RelayExitNote(how: "was ended by signal 11", wasAsked: false, lastLines: "the key is (secret)\n(secret)")])
        }
    }

    @Test func `tells of a relay that runs and is never ready`() throws {
        try withRelay(turn: { $0.ready = ReadySpec(path: "/health", timeout: .seconds(2)) }) { supervisor, _ in
            try comeUp(supervisor)
            #expect(
                supervisor.neverReady?.message
                    == "the relay did not answer GET \(supervisor.target)/health with 2xx within \(Interval.seconds(2)), but with 404")
        }
    }

    @Test func `ends the relay on time, starts it again, and notes the outage`() throws {
        let restart = RelayRestart(at: .milliseconds(100), signal: .kill, down: .milliseconds(300))
        try withRelay(turn: { $0.restarts = [restart] }) { supervisor, notes in
            try comeUp(supervisor)
            let origin = time.now()
            supervisor.advance(since: origin, now: origin)
            #expect(!supervisor.isDown && supervisor.next(since: origin) == origin + .milliseconds(100))
            supervisor.advance(since: origin, now: origin + .milliseconds(100))
            // How long it takes to go is its affair: until then there is nothing to wait for on the run's clock.
            #expect(supervisor.isDown && (!supervisor.isChanging || supervisor.next(since: origin) == nil))
            #expect(turn(supervisor, since: origin) { !supervisor.isDown })
            let outage = try #require(supervisor.outages(until: .distantFuture).first)
            #expect(outage.end - outage.start >= .milliseconds(200))
            #expect(try isUp(supervisor))
            #expect(
                notes.words == [
                    "started 0", "ready 0", "stopping KILL", "was ended by signal 9, asked", "started 1", "ready 1",
                ])
        }
    }

    /// Faults and load wait for nobody: 40 turns in a moment, though the relay is deaf.
    @Test func `never waits for a relay that ignores its signal`() throws {
        let deaf = "trap '' TERM; " + Self.serve.dropFirst(5) + " & while :; do sleep 0.02; done"
        let restart = RelayRestart(at: .zero, signal: .term, down: .zero)
        let turn: (inout RelaySpec) -> Void = {
            $0.restarts = [restart]
            $0.stop = StopSpec(signal: .term, grace: .seconds(2))
        }
        try withRelay(launch: String(deaf), turn: turn) { supervisor, notes in
            try comeUp(supervisor)
            let origin = time.now()
            for _ in 0..<40 { supervisor.advance(since: origin, now: time.now()) }
            #expect(time.now() - origin < .seconds(1) && notes.words.last == "stopping TERM")
            #expect(supervisor.isDown && supervisor.isChanging)
            #expect(self.turn(supervisor, since: origin) { notes.words.contains("was ended by signal 9, asked") })
            #expect(self.turn(supervisor, since: origin) { notes.words.last == "ready 1" })
        }
    }

    @Test func `kills in the end what will not go, when the grace is over and not before`() throws {
        let deaf = "trap '' TERM; " + Self.serve.dropFirst(5) + " & while :; do sleep 0.02; done"
        try withRelay(launch: String(deaf), turn: { $0.stop = StopSpec(signal: .term, grace: .seconds(3)) }) { supervisor, notes in
            try comeUp(supervisor)
            let begin = time.now()
            stop(supervisor)
            #expect(time.now() - begin >= .seconds(3) && notes.words.last == "was ended by signal 9, asked")
        }
    }

    @Test func `is awaited while it comes up again, and no longer than it may take`() throws {
        let once = "[ -e {{run.dir}}/came ] && exec sleep 60; touch {{run.dir}}/came; " + Self.serve
        let turn: (inout RelaySpec) -> Void = {
            $0.restarts = [RelayRestart(at: .zero, signal: .kill, down: .zero)]
            $0.ready = ReadySpec(path: "/", timeout: .seconds(4))
        }
        try withRelay(launch: once, turn: turn) { supervisor, notes in
            try comeUp(supervisor)
            #expect(supervisor.wasReady && !supervisor.isAwaited)
            let origin = time.now()
            #expect(self.turn(supervisor, since: origin) { notes.words.last == "started 1" } && supervisor.isAwaited)
            #expect(self.turn(supervisor, since: origin) { !supervisor.isAwaited })
            #expect(notes.words.last == "started 1" && time.now() - origin >= .seconds(4))
        }
    }

    @Test func `notes a relay that goes without being told to, and goes on`() throws {
        let restart = RelayRestart(at: .seconds(100), signal: .kill, down: .zero)
        try withRelay(launch: "timeout 4 " + Self.serve.dropFirst(5), turn: { $0.restarts = [restart] }) { supervisor, notes in
            try comeUp(supervisor)
            let origin = time.now()
            #expect(turn(supervisor, since: origin) { notes.words.last == "exited with code 124" })
            #expect(supervisor.neverReady == nil)
            // A death on purpose that was planned for later brings it back.
            supervisor.advance(since: origin - .seconds(100), now: time.now())
            #expect(turn(supervisor, since: origin - .seconds(100)) { notes.words.last == "ready 1" })
        }
    }

    @Test func `samples the relay each second`() throws {
        try withRelay { supervisor, notes in
            try comeUp(supervisor)
            #expect(
                turn(supervisor) {
                    notes.all.contains { if case .relaySample(let sample) = $0 { sample.sockets > 0 } else { false } }
                })
            // At most one more within half a second, however often it looks.
            let samples = { notes.all.count { if case .relaySample = $0 { true } else { false } } }
            let (before, begin) = (samples(), time.now())
            while time.now() - begin < .milliseconds(500) { supervisor.advance(since: nil, now: time.now()); usleep(2_000) }
            #expect(samples() <= before + 1)
        }
    }

    @Test func `leaves a relay alone that runs elsewhere`() throws {
        try withRelay { running, _ in
            try comeUp(running)
            let restart = RelayRestart(at: .zero)
            try withRelay(
                launch: nil,
                turn: {
                    $0.url = running.target.description
                    $0.restarts = [restart]
                }
            ) { supervisor, notes in
                try comeUp(supervisor)
                supervisor.advance(since: time.now(), now: time.now())
                stop(supervisor)
                #expect(!supervisor.isDown && notes.words == ["ready 0"])
            }
            #expect(try isUp(running))
        }
    }
}

// A clock that stands and who takes part in it, over the admin API as a relay in any language would (docs/time.md).

import Basics
import EventLoop
import Glibc
import Journal
import MockServer
import Net
import Synchronization
import Testing

@Suite struct SteppedClockTests {
    private let json = [("content-type", "application/json")]

    private func put(_ mock: TestMock, _ body: String) throws -> JSONValue {
        try mock.admin.ask("PUT", "/v1/clock", json, body: body).json
    }

    /// A client with two connections, for a statement may be followed by a newer one.
    private func member(_ mock: TestMock) throws -> TestClient {
        let address = mock.service.coordinates.admin!
        var configuration = ClientConfiguration(version: .http1)
        configuration.maxConnections = 2
        return try TestClient(Origin(isTLS: false, host: address.host, port: address.port), configuration)
    }

    private func statement(_ elapsed: Int, until: String, calls: String = "[0,0]", pushes: String = "[0,0]") -> String {
        #"{"elapsed":\#(elapsed),"until":\#(until),"calls":\#(calls),"pushes":\#(pushes)}"#
    }

    @Test func `it stands, and goes on as far as it is told`() throws {
        try withMock { mock in
            let start = try put(mock, #"{"mode":"stepped"}"#)
            #expect(start["mode"] == "stepped" && start["scale"]?.double == 0)
            let elapsed = try #require(start["elapsed"]?.int)
            #expect(try mock.admin.ask("GET", "/v1/clock").json["elapsed"]?.int == elapsed)
            let goal = elapsed + 8 * 3_600_000_000
            let there = try put(mock, #"{"step":"8h"}"#)
            #expect(there["elapsed"]?.int == goal && there["goal"]?.int == goal && start["goal"]?.int == elapsed)
            let running = try put(mock, #"{"scale":60}"#)
            #expect(running["mode"] == "running" && running["scale"]?.double == 60)
        }
    }

    @Test func `a participant is told at once that the clock runs, whoever has set it`() throws {
        try withMock { mock in
            let beginning = try #require(try put(mock, #"{"mode":"stepped"}"#)["elapsed"]?.int)
            let client = try member(mock)
            _ = try client.ask("POST", "/v1/clock/participants", json, body: #"{"name":"relay"}"#)
            let path = "/v1/clock/participants/p1"
            let waiting = client.send("POST", path, json, body: statement(Int(beginning), until: "null"))
            while try mock.admin.ask("GET", "/v1/clock").json["participants"]?.array?.first?["elapsed"]?.int == nil { usleep(1_000) }
            let before = SystemTime().now()
            mock.service.time.set(.running(20))
            #expect(try waiting.take().get().json["scale"]?.double == 20)
            #expect(SystemTime().now() - before < .seconds(10))
            let next = client.send("POST", path, json, body: statement(Int(beginning) + 1, until: "null"))
            usleep(50_000)
            mock.service.time.set(.stepped)
            #expect(try next.take().get().json["scale"]?.double == 0, "and once for each time")
        }
    }

    @Test func `a participant's timers are met one by one, and it hears of each`() throws {
        try withMock { mock in
            let beginning = try #require(try put(mock, #"{"mode":"stepped"}"#)["elapsed"]?.int)
            let client = try member(mock)
            let joined = try client.ask("POST", "/v1/clock/participants", json, body: #"{"name":"relay"}"#)
            #expect(joined.status == 201 && joined.json["id"] == "p1" && joined.json["elapsed"]?.int == beginning)
            let (first, second) = (Int(beginning) + 5, Int(beginning) + 1_000_005)
            let path = "/v1/clock/participants/p1"
            let waiting = client.send("POST", path, json, body: statement(Int(beginning), until: "\(first)"))
            _ = try put(mock, #"{"step":"1m","wait":"0s"}"#)
            let heard = try waiting.take().get().json
            #expect(heard["elapsed"]?.int == Int64(first) && heard["scale"]?.double == 0)
            let next = try client.ask("POST", path, json, body: statement(first, until: "\(second)")).json
            #expect(next["elapsed"]?.int == Int64(second))
            let last = try client.ask("POST", path, json, body: statement(second, until: "null")).json
            #expect(last["elapsed"]?.int == beginning + 60_000_000, "as far as it was told to go")
        }
    }

    @Test func `a step is answered when the clock is there, or when its wait is over`() throws {
        try withMock { mock in
            let beginning = try #require(try put(mock, #"{"mode":"stepped"}"#)["elapsed"]?.int)
            let client = try member(mock)
            _ = try client.ask("POST", "/v1/clock/participants", json, body: #"{"name":"relay"}"#)
            let goal = beginning + 60_000_000
            // It has not said yet what it waits for.
            let early = try put(mock, #"{"step":"1m","wait":"10ms"}"#)
            #expect(early["elapsed"]?.int == beginning && early["goal"]?.int == goal)
            let other = try member(mock)
            let step = other.send("PUT", "/v1/clock", json, body: #"{"step":"1s"}"#)
            while try mock.admin.ask("GET", "/v1/clock").json["goal"]?.int != goal + 1_000_000 { usleep(1_000) }
            let told = try client.ask(
                "POST", "/v1/clock/participants/p1", json, body: statement(Int(beginning), until: "\(beginning + 7)"))
            #expect(told.json["elapsed"]?.int == beginning + 7)
            #expect(try mock.admin.ask("DELETE", "/v1/clock/participants/p1").status == 204)
            #expect(try step.take().get().json["elapsed"]?.int == goal + 1_000_000)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `what keeps it from going on is told until it goes on, or who kept it has left`() throws {
        try withMock({ $0.clockPatience = .milliseconds(100) }) { mock in
            let beginning = try #require(try put(mock, #"{"mode":"stepped"}"#)["elapsed"]?.int)
            func trouble() throws -> String? { try mock.admin.ask("GET", "/v1/clock").json["trouble"]?.string }
            func waitForTrouble(of name: String) throws {
                while try trouble()?.contains("participant \(name) has stated nothing") != true { usleep(20_000) }
            }
            let client = try member(mock)
            _ = try client.ask("POST", "/v1/clock/participants", json, body: #"{"name":"relay"}"#)
            _ = try put(mock, #"{"step":"1m","wait":"0s"}"#)
            try waitForTrouble(of: "relay (p1)")
            let told = try client.ask("POST", "/v1/clock/participants/p1", json, body: statement(Int(beginning), until: "null"))
            #expect(told.json["elapsed"]?.int == beginning + 60_000_000)
            #expect(try trouble() == nil, "it went on")
            try waitForTrouble(of: "relay (p1)")
            #expect(try client.ask("DELETE", "/v1/clock/participants/p1").status == 204)
            #expect(try trouble() == nil, "it has left")
        }
    }

    @Test func `while something is under way it stands`() throws {
        try withMock { mock in
            let beginning = try #require(try put(mock, #"{"mode":"stepped"}"#)["elapsed"]?.int)
            let client = try member(mock)
            _ = try client.ask("POST", "/v1/clock/participants", json, body: #"{"name":"relay"}"#)
            let path = "/v1/clock/participants/p1"
            // It has sent a push that the mock has not seen.
            let old = client.send("POST", path, json, body: statement(Int(beginning), until: "null", pushes: "[1,0]"))
            _ = try put(mock, #"{"step":"1m","wait":"0s"}"#)
            #expect(try mock.admin.ask("GET", "/v1/clock").json["elapsed"]?.int == beginning)
            let provider = try mock.provider()
            #expect(try provider.ask("POST", "/3/device/" + TestMock.device, mock.fields(), body: alert).status == 200)
            #expect(try mock.admin.ask("GET", "/v1/clock").json["elapsed"]?.int == beginning, "it has not read the answer")
            let new = client.send("POST", path, json, body: statement(Int(beginning), until: "null", pushes: "[1,1]"))
            #expect(try old.take().get().json["elapsed"]?.int == beginning, "a newer statement takes the older one's place")
            #expect(try new.take().get().json["elapsed"]?.int == beginning + 60_000_000)
        }
    }

    /// A loop is also woken by timers of the host's, and may then send what the clock has made due. It does so here while it is
    /// looked at: once it was found at rest, and before its next timer is asked for.
    @Test func `a call that leaves while it is asked who is due is waited for`() throws {
        try withMock { mock in
            let clock = mock.service.time
            let beginning = try #require(try put(mock, #"{"mode":"stepped"}"#)["elapsed"]?.int)
            let (due, later) = (clock.now() + .seconds(1), clock.now() + .seconds(2))
            let looks = Atomic<Int>(0)
            let itself = Mutex<ClockFollower?>(nil)
            let follower = ClockFollower(
                rank: .load,
                hasLetters: {
                    guard clock.now() == due, looks.wrappingAdd(1, ordering: .relaxed).newValue == 2 else { return false }
                    let follower = itself.withLock { $0 }
                    follower?.begin()
                    clock.calls.begin()
                    follower?.rest(until: later)
                    return false
                }, wake: {})
            itself.withLock { $0 = follower }
            follower.begin()
            follower.rest(until: due)
            clock.add(follower)
            _ = try put(mock, #"{"step":"1m","wait":"0s"}"#)
            for _ in 0..<500 where clock.now() < due || looks.load(ordering: .relaxed) < 2 { usleep(10_000) }
            // What it has begun is on its way for longer than anything here takes.
            usleep(100_000)
            #expect(try mock.admin.ask("GET", "/v1/clock").json["elapsed"]?.int == beginning + 1_000_000)
            clock.calls.end()
            clock.ring()
            for _ in 0..<500 where clock.now() < later { usleep(10_000) }
            #expect(clock.now() >= later)
        }
    }

    /// A loop that is woken by something else looks at its clock as well: what has become due waits all the same, lest a relay
    /// that still shows the old time is called.
    @Test(arguments: [true, false]) func `what a step has made due waits until all have heard of the step`(leaves: Bool) throws {
        try withMock { mock in
            let clock = mock.service.time
            let beginning = try #require(try put(mock, #"{"mode":"stepped"}"#)["elapsed"]?.int)
            let client = try member(mock)
            _ = try client.ask("POST", "/v1/clock/participants", json, body: #"{"name":"relay"}"#)
            let due = clock.now() + .seconds(1)
            let done = TurnCounter()
            let turns = TurnCounter()
            let thread = try LoopThread(name: "load", clock: clock, rank: .load) { loop in
                turns.count(loop)
                _ = loop.onClock(at: due) { done.count() }
                return loop
            }
            defer { thread.stop() }
            let path = "/v1/clock/participants/p1"
            let waiting = client.send("POST", path, json, body: statement(Int(beginning), until: "null"))
            _ = try put(mock, #"{"step":"1m","wait":"0s"}"#)
            #expect(try waiting.take().get().json["elapsed"]?.int == beginning + 1_000_000)
            let before = turns.now
            for _ in 0..<2_000 where turns.now < before + 20 { usleep(1_000) }
            #expect(turns.now >= before + 20 && done.now == 0)
            if leaves {
                #expect(try mock.admin.ask("DELETE", path).status == 204)
            } else {
                _ = client.send("POST", path, json, body: statement(Int(beginning) + 1_000_000, until: "null"))
            }
            for _ in 0..<2_000 where done.now == 0 { usleep(1_000) }
            #expect(done.now == 1)
        }
    }

    /// Turns a loop every millisecond, as timers of the host's do.
    private final class TurnCounter: Sendable {
        private let turns = Atomic<Int>(0)
        var now: Int { turns.load(ordering: .relaxed) }

        func count() { turns.wrappingAdd(1, ordering: .relaxed) }
        func count(_ loop: EventLoop) {
            count()
            _ = loop.after(.milliseconds(1)) { [unowned loop] in self.count(loop) }
        }
    }

    /// One call that is over on our side and one that is on its way look like a call that was lost, until the participant has
    /// come to say what it has seen.
    @Test func `where counts stay apart everybody is asked again before the clock goes on`() throws {
        try withMock { mock in
            let beginning = try #require(try put(mock, #"{"mode":"stepped"}"#)["elapsed"]?.int)
            let client = try member(mock)
            _ = try client.ask("POST", "/v1/clock/participants", json, body: #"{"name":"relay"}"#)
            func state(_ elapsed: Int64, calls: String = "[0,0]") throws -> Int64? {
                let body = statement(Int(elapsed), until: "null", calls: calls)
                return try client.ask("POST", "/v1/clock/participants/p1", json, body: body).json["elapsed"]?.int
            }
            let clock = mock.service.time
            clock.calls.begin()
            clock.calls.end()
            _ = try put(mock, #"{"step":"1m","wait":"0s"}"#)
            #expect(try state(beginning) == beginning, "asked again")
            // It was starved, and has seen the call by now: there is nothing to wait for.
            #expect(try state(beginning, calls: "[1,1]") == beginning + 60_000_000)
            // Lost indeed.
            clock.calls.begin()
            clock.calls.end()
            _ = try put(mock, #"{"step":"1m","wait":"0s"}"#)
            let now = beginning + 60_000_000
            for _ in 0..<2 { #expect(try state(now, calls: "[1,1]") == now, "asked again") }
            #expect(try state(now, calls: "[1,1]") == now + 60_000_000)
            // That is known from here on.
            _ = try put(mock, #"{"step":"1m","wait":"0s"}"#)
            #expect(try state(now + 60_000_000, calls: "[1,1]") == now + 120_000_000)
        }
    }

    @Test func `a statement that a newer one has overtaken changes nothing`() throws {
        try withMock { mock in
            let beginning = try #require(try put(mock, #"{"mode":"stepped"}"#)["elapsed"]?.int)
            let client = try member(mock)
            _ = try client.ask("POST", "/v1/clock/participants", json, body: #"{"name":"relay"}"#)
            let path = "/v1/clock/participants/p1"
            let provider = try mock.provider()
            #expect(try provider.ask("POST", "/3/device/" + TestMock.device, mock.fields(), body: alert).status == 200)
            let newer = client.send("POST", path, json, body: statement(Int(beginning), until: "null", pushes: "[1,1]"))
            while try mock.admin.ask("GET", "/v1/clock").json["participants"]?.array?.first?["elapsed"]?.int == nil { usleep(1_000) }
            let older = try client.ask("POST", path, json, body: statement(Int(beginning), until: "1", pushes: "[1,0]")).json
            #expect(older["elapsed"]?.int == beginning, "answered at once")
            _ = try put(mock, #"{"step":"1m","wait":"0s"}"#)
            #expect(try newer.take().get().json["elapsed"]?.int == beginning + 60_000_000)
        }
    }

    @Test func `a participant that is ended while it works has gone`() throws {
        try withMock { mock in
            let beginning = try #require(try put(mock, #"{"mode":"stepped"}"#)["elapsed"]?.int)
            var client: TestClient? = try member(mock)
            _ = try client!.ask("POST", "/v1/clock/participants", json, body: #"{"name":"relay"}"#)
            let path = "/v1/clock/participants/p1"
            let waiting = client!.send("POST", path, json, body: statement(Int(beginning), until: "\(beginning + 1)"))
            _ = try put(mock, #"{"step":"1m","wait":"0s"}"#)
            #expect(try waiting.take().get().json["elapsed"]?.int == beginning + 1)
            // It says no more.
            client = nil
            let goal = beginning + 60_000_000
            for _ in 0..<800 where try mock.admin.ask("GET", "/v1/clock").json["elapsed"]?.int != goal { usleep(10_000) }
            #expect(try mock.admin.ask("GET", "/v1/clock").json["elapsed"]?.int == goal)
        }
    }

    @Test func `a delayed answer takes the clock's time and none of ours`() throws {
        try withMock { mock in
            try mock.slow(by: "1h")
            let beginning = try #require(try put(mock, #"{"mode":"stepped"}"#)["elapsed"]?.int)
            let provider = try mock.provider()
            let push = provider.send("POST", "/3/device/" + TestMock.device, mock.fields(), body: alert)
            while mock.service.statistics().pushes == 0 {}
            let time = SystemTime()
            let before = time.now()
            _ = try put(mock, #"{"step":"2h"}"#)
            #expect(try push.take().get().status == 200)
            #expect(time.now() - before < .seconds(8))
            let entry = try #require(try mock.journal().first)
            #expect(entry.delay == .seconds(3_600))
            let elapsed = try #require(try mock.admin.ask("GET", "/v1/clock").json["elapsed"]?.int)
            #expect(elapsed >= beginning + 3_600_000_000)
        }
    }

    @Test func `what is no statement is refused`() throws {
        try withMock { mock in
            for body in [
                #"{"mode":"jumping"}"#, #"{"mode":"stepped","scale":2}"#, #"{"step":"1s"}"#,
                #"{"mode":"stepped","step":"-1s"}"#, #"{"mode":"stepped","step":"36501d"}"#,
                #"{"mode":"stepped","step":"1s","wait":"31s"}"#, #"{"mode":"stepped","wait":"1s"}"#, #"{"scale":3601}"#,
                #"{"scale":-1}"#, #"{"scale":1e308}"#,
            ] {
                let status = try mock.admin.ask("PUT", "/v1/clock", json, body: body).status
                #expect(status == 400, "\(body)")
            }
            for name in [#"{}"#, #"{"name":""}"#, #"{"name":7}"#] {
                let status = try mock.admin.ask("POST", "/v1/clock/participants", json, body: name).status
                #expect(status == 400)
            }
            for _ in 0..<16 {
                let status = try mock.admin.ask("POST", "/v1/clock/participants", json, body: #"{"name":"x"}"#).status
                #expect(status == 201)
            }
            let many = try mock.admin.ask("POST", "/v1/clock/participants", json, body: #"{"name":"x"}"#).status
            #expect(many == 409)
            let path = "/v1/clock/participants/p1"
            for body in [
                statement(-1, until: "null"), statement(0, until: "1.5"), statement(0, until: "null", calls: "[1]"),
                statement(0, until: "null", pushes: "[1,2]"), statement(0, until: "null", calls: "[-1,-1]"), "{}",
                statement(0, until: "9223372036854775807"),
            ] {
                let status = try mock.admin.ask("POST", path, json, body: body).status
                #expect(status == 400, "\(body)")
            }
            let left = try mock.admin.ask("DELETE", path).status
            #expect(left == 204)
            let gone = try mock.admin.ask("POST", path, json, body: statement(0, until: "null")).status
            #expect(gone == 404)
        }
    }
}

// The shapes of `arrivals`, and what contradicts itself.

import Basics
import Foundation
import Scenarios
import Testing

@Suite("Arrivals of a file")
struct ArrivalsDecodingTests {
    private func stages(_ stage: String, _ keys: String = "") throws -> [ArrivalStage] {
        try Sample.load(text(stage, keys)).workload.arrivals
    }

    private func text(_ stage: String, _ keys: String = "") -> String {
        Sample.with("  arrivals:\n    - { rate: 10, for: 5s }", "  arrivals:\n    - \(stage)\n\(keys)")
    }

    @Test("are rates, staircases, bursts")
    func shapes() throws {
        #expect(try stages("{ rate: 200, of: events, for: 5s }") == [.constant(rate: 200, duration: .seconds(5), of: .events)])
        #expect(
            try stages("{ from: 10, to: 40, steps: 4, for: 8s }")
                == [10, 20, 30, 40].map { .constant(rate: $0, duration: .seconds(2)) })
        let odd = try stages("{ from: 3, to: 0.5, steps: 3, for: 1s }")
        #expect(odd.map(\.duration).reduce(.zero, +) == .seconds(1))
        #expect(try stages("{ rate: 0.3, for: 2s }\n    - { rate: 0.4, for: 1s }").count == 2, "one session in all")
        #expect(try stages("{ burst: 50 }") == [.burst(50)])
        let pause = ArrivalStage.constant(rate: 0, duration: .seconds(10))
        #expect(try stages("{ burst: 5, every: 10s, times: 2 }") == [.burst(5), pause, .burst(5), pause])
        #expect(try Sample.load().workload.spacing == .even)
        #expect(try Sample.load(text("{ rate: 1, for: 5s }", "  spacing: poisson")).workload.spacing == .poisson)
        #expect(
            try stages("{ from: 1, to: 9.5, for: 5s }\n    - { burst: 50 }\n    - { rate: 0, for: 1s }").map(\.description)
                == ["1 to 9.5/s for 5s", "50 at once", "a pause of 1s"])
    }

    @Test(
        "that contradict themselves are told with place and fix",
        arguments: [
            ("{ rate: 10, burst: 5 }", "", "21:7: an arrival stage has either `rate`, or `from` and `to`, or `burst`, or `file`, or `users`"),
            ("{ for: 5s }", "", "21:7: an arrival stage has either"), ("{ to: 5, for: 5s }", "", "21:7: an arrival stage has either"),
            ("{ rate: 10, steps: 5, for: 5s }", "", "21:26: `steps` says nothing of a stage with `rate` (strike it; there may be `for`, `of`)"),
            ("{ burst: 10, for: 5s }", "", "21:25: `for` says nothing of a stage with `burst` (strike it; there may be `every`, `times`)"),
            ("{ file: a.csv, for: 5s }", "", "21:27: `for` says nothing of a stage with `file` (strike it, or put it into a stage of its own)"),
            ("{ burst: 10, every: 5s }", "", "21:27: `every` and `times` go together (such as `{ burst: 50, every: 10s, times: 6 }`)"),
            ("{ from: 1, to: 2, steps: 1, for: 5s }", "", "`steps` must be a whole number from 2 to 1000"),
            ("{ rate: 10, of: calls, for: 5s }", "", "21:23: `calls` is no value of `of`"),
            ("{ file: none.csv }", "", "21:15: there is no file `none.csv`"),
            ("{ burst: 10 }", "  spacing: poisson", "22:12: `spacing: poisson` says when the sessions of a rate begin, and no stage has one"),
            ("{ rate: 0.1, for: 5s }", "", "21:5: no session ever begins"),
        ])
    func mistakes(stage: String, keys: String, says: String) {
        let complaint = Sample.complaint(text(stage, keys))
        #expect(complaint.contains(says), "\(complaint)")
        #expect(complaint.split(separator: "\n").count == 1, "\(complaint)")
    }

    @Test("are closed users, who go without what has to know when they begin")
    func closed() throws {
        #expect(
            try stages("{ users: 5, think: { uniform: [1s, 2s] }, for: 1m }")
                == [.closed(ClosedUsers(count: 5, think: .uniform(1, 2), duration: .seconds(60)))])
        let spec = try Sample.load(text("{ users: 5, for: 1m }")).workload
        #expect(spec.closedUsers == ClosedUsers(count: 5, think: .constant(0), duration: .seconds(60)))
        #expect(try Sample.load().workload.closedUsers == nil)
        func says(_ keys: String, _ words: String, after: String = "") {
            let complaint = Sample.complaint(text("{ users: 5, for: 1m }" + after, keys))
            #expect(complaint.contains(words) && complaint.split(separator: "\n").count == 1, "\(complaint)")
        }
        says("", "21:5: closed users are the whole of `arrivals`", after: "\n    - { burst: 5 }")
        says("  phones: {}", "21:5: closed users go without phones")
        says("  users: { sessionsPerUser: 2 }", "closed users go without users of several sessions")
        let registered = Sample.complaint("mock: { tokens: registered }\n" + text("{ users: 5, for: 1m }"))
        #expect(registered.hasPrefix("tiny.yaml:1:17: closed users go without registered tokens"), "\(registered)")
        #expect(Sample.complaint(text("{ users: 5 }")).contains("`arrival` lacks `for`"))
        #expect(Sample.complaint(text("{ users: 5, for: 1m, of: events }")).contains("`of` says nothing of a stage with `users`"))
    }

    @Test("by events are refused where sessions react to their phones")
    func reactions() {
        let text = text("{ rate: 10, of: events, for: 5s }", "  phones: {}").replacingOccurrences(
            of: "        steps:\n", with: "        reactions: [{ on: token, call: register }]\n        steps:\n")
        let complaint = Sample.complaint(text)
        #expect(complaint.contains("21:5: how many events a session of"), "\(complaint)")
    }

    // MARK: Files

    private func load(_ content: String, _ keys: String = "") throws -> Scenario {
        let folder = FileManager.default.temporaryDirectory.appending(path: "arrivals-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder + "/below", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(content.utf8).write(to: URL(filePath: folder + "/below/a.csv"))
        try Data(text("{ file: below/a.csv }", keys).utf8).write(to: URL(filePath: folder + "/tiny.yaml"))
        return try Scenario.load(path: folder + "/tiny.yaml")
    }

    @Test("have an instant a line, and are one of the scenario's files")
    func file() throws {
        let scenario = try load("seconds\r\n0\r\n0.5\r\n\r\n 1.25 \n1m30s\n90.000000001")
        let list = ArrivalList(
            name: "below/a.csv",
            instants: [.zero, .seconds(0.5), .seconds(1.25), .seconds(90), .nanoseconds(90_000_000_001)])
        #expect(scenario.workload.arrivals == [.listed(list)])
        #expect(scenario.sources.map { $0.path.split(separator: "/").last! } == ["tiny.yaml", "a.csv"])
        // As a journal has it, with the file gone.
        let again = try Scenario.load(scenario.sources)
        #expect(again.workload.arrivals == scenario.workload.arrivals)
    }

    @Test(
        "that are wrong are told with line and column",
        arguments: [
            ("1\n  x\n", "a.csv:2:3: `x` is no instant"), ("1,start\n", "a.csv:1:1: `1,start` is no instant"),
            ("t\nu\n", "a.csv:2:1: `u` is no instant"), ("-1\n", "a.csv:1:1: `-1` is no instant"),
            ("1\n\n3\n2\n", "a.csv:4:1: this instant is earlier than that of line 3 (put the lines in order"),
            ("1700000000\n", "a.csv:1:1: this instant lies beyond 10000h (count from the start of the load)"),
            ("99999999999999999999\n", "a.csv:1:1: this instant lies beyond"), ("seconds\n", "a.csv: the file has no instant"),
        ])
    func wrongFiles(content: String, says: String) {
        let failure = #expect(throws: Failure.self) { try load(content) }
        #expect(failure?.description.contains(says) == true, "\(failure?.description ?? "")")
    }

    @Test("have bounds, and none of them is cut off silently")
    func bounds() throws {
        let most = String(repeating: "7\n", count: 1_000_000)
        #expect(try load(most).workload.arrivals[0].count == 1e6)
        let failure = #expect(throws: Failure.self) { try load(most + "8\n") }
        #expect(failure?.description.contains("a.csv:1000001:1: the file has more than 1000000 instants") == true)
        let cut = #expect(throws: Failure.self) { try load("1\n2\n3\n", "  maxSessions: 2") }
        let says = "tiny.yaml:22:16: `maxSessions: 2` leaves out arrivals of `below/a.csv`, which has 3"
        #expect(cut?.description.contains(says) == true, "\(String(describing: cut))")
        _ = try load("1\n2\n3\n", "  maxSessions: 3")
    }
}

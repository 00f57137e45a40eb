// Connections: dear, and meant to be kept.

import Basics
import Conformance
import Metrics
import Pushes
import Testing

@Suite("Rules about connections")
struct ConnectionRuleTests {
    @Test("more streams than were known to be allowed break stream-limit-obeyed, once a connection")
    func streamLimit() {
        let history = History.honest
        #expect(history.findings("stream-limit-obeyed") == 0)
        history.run.overruns = [(connection: 1, streams: 3), (connection: 9, streams: 1)]
        #expect(history.findings("stream-limit-obeyed") == 2)
        let findings = history.verdict(of: "stream-limit-obeyed").findings
        #expect(findings.map(\.entries) == [[1], []])
        #expect(findings.first?.seen == "3 more, which were refused")
        // One push alone cannot have been one too many.
        #expect(History.honest.with { $0.pushes.removeLast($0.pushes.count - 1) }.findings("stream-limit-obeyed") == nil)
    }

    /// The pushes of a busy session, dealt over so many connections.
    private func dealt(_ connections: Int, pushes: Int = 55) -> History {
        History.busy.with { history in
            history.pushes = Array(history.pushes.prefix(pushes))
            for index in history.pushes.indices {
                history.pushes[index].connection = UInt64(index % connections)
            }
        }
    }

    /// P10: a MUST.
    @Test("fewer than ten pushes a connection break connections-reused", arguments: [(9, 0), (10, 1), (55, 1), (4, 0)] as [(Int, Int)])
    func reused(connections: Int, expected: Int) {
        // Four are free: 55 pushes are enough for five more.
        #expect(dealt(connections).findings("connections-reused") == expected)
        #expect(RuleBook.rule(named: "connections-reused")?.level == .must)
    }

    @Test("a pool is kept as it was opened, of each process, unless each connection carried one push or many were replaced")
    func pool() {
        func opened(_ connections: Int, replacing: Int = 0, isKilled: Bool = false) -> Int? {
            let history = dealt(connections)
            for _ in 0..<connections { history.run.connections.open(at: at(2)) }
            for _ in 0..<replacing {
                if isKilled { history.run.connections.endProcess() } else { history.run.connections.close() }
                history.run.connections.open(at: at(3))
            }
            return history.findings("connections-reused")
        }
        #expect(opened(10) == 0 && opened(27) == 0 && opened(10, replacing: 3, isKilled: true) == 0)
        // One that was closed and opened again is among those that are free.
        #expect(opened(10, replacing: 1) == 0 && opened(10, replacing: 4) == 0)
        #expect(opened(10, replacing: 5) == 1 && opened(28) == 1)
    }

    @Test("but no pool has a hundred connections and more", arguments: [(100, 1, 0), (101, 1, 1), (101, 2, 0)])
    func leak(connections: Int, processes: Int, findings: Int) {
        let history = dealt(1).with { history in
            let push = history.pushes[0]
            history.pushes = (0..<3 * connections).map { number in
                var next = push
                (next.id, next.connection) = (UInt64(number + 1), UInt64(number % connections))
                return next
            }
        }
        history.run.circumstances.relayProcesses = processes
        for _ in 0..<connections { history.run.connections.open(at: at(2)) }
        #expect(history.findings("connections-reused") == findings)
    }

    @Test("fewer than 50 pushes say nothing")
    func tooFew() {
        #expect(dealt(49, pushes: 49).findings("connections-reused") == nil)
        #expect(dealt(50, pushes: 50).findings("connections-reused") == 1)
    }

    @Test("behind a word about the provider token, or a failure of APNs' own, another connection is due", arguments: [
        (403, "ExpiredProviderToken", 0), (403, "InvalidProviderToken", 0), (429, "TooManyProviderTokenUpdates", 0),
        (503, "ServiceUnavailable", 0), (403, "Forbidden", 1), (429, "TooManyRequests", 1),
    ] as [(UInt16, String, Int)])
    func spoilt(status: UInt16, reason: String, findings: Int) {
        let history = dealt(12).with { history in
            for index in 0..<8 {
                history.pushes[index].status = status
                history.pushes[index].reason = history.text(reason)
            }
        }
        #expect(history.findings("connections-reused") == findings)
    }

    /// A busy session over few connections, beside which so many more opened and closed, one after the other.
    private func churned(_ openings: Int, every seconds: Double) -> History {
        let history = dealt(1)
        for number in 0..<openings {
            history.run.connections.open(at: at(Double(number) * seconds))
            history.run.connections.close()
        }
        return history
    }

    @Test("connections that are closed and opened again at once break it, however many pushes each carried")
    func churn() throws {
        let history = churned(100, every: 0.5)
        let finding = try #require(history.verdict(of: "connections-reused").findings.first)
        #expect(finding.message == "connections were closed and others opened in their place")
        #expect(finding.seen == "100 opened in \(Interval.seconds(49.5)), at most 1 at a time")
        #expect(finding.entries == [55])
    }

    @Test("four may be replaced, and one more every ten seconds", arguments: [
        (5, 0.5, 0), (6, 0.5, 1), (6, 1.9, 1), (6, 2, 0), (7, 2, 1), (60, 10, 0),
    ] as [(Int, Double, Int)])
    func churnEdge(openings: Int, seconds: Double, expected: Int) {
        #expect(churned(openings, every: seconds).findings("connections-reused") == expected)
    }

    @Test("connections side by side replace none, and each that we ended may be replaced")
    func noChurn() {
        let wide = dealt(1)
        for number in 0..<20 { wide.run.connections.open(at: at(Double(number) * 0.5)) }
        for _ in 0..<20 { wide.run.connections.close() }
        #expect(wide.findings("connections-reused") == 0)
        // Not so those that came in their place.
        for _ in 0..<4 { wide.run.connections.open(at: at(9.6)) }
        #expect(wide.findings("connections-reused") == 0)
        wide.run.connections.open(at: at(9.6))
        #expect(wide.findings("connections-reused") == 1)
        let fired = churned(6, every: 0.5)
        fired.run.circumstances.connectionFirings = [(at: at(1), rule: 1)]
        #expect(fired.findings("connections-reused") == 0)
        let held = churned(6, every: 0.5).with { $0.pushes[3].status = 0 }
        #expect(held.findings("connections-reused") == 0)
        let twoProcesses = churned(9, every: 0.5)
        #expect(twoProcesses.findings("connections-reused") == 1)
        twoProcesses.run.circumstances.relayProcesses = 2
        #expect(twoProcesses.findings("connections-reused") == 0)
    }

    @Test("what we did to connections costs some: faults, silence, restarts, processes")
    func ours() {
        let history = dealt(10)
        history.run.circumstances.connectionFirings = [(at: at(5), rule: 1)]
        #expect(history.findings("connections-reused") == 0)
        history.run.circumstances.connectionFirings = []
        #expect(history.with { $0.pushes[3].status = 0 }.findings("connections-reused") == 0)
        #expect(history.with { $0.pushes[3].answeredAt = $0.pushes[3].arrivedAt + .seconds(1.1) }.findings("connections-reused") == 0)
        #expect(history.with { $0.pushes[3].answeredAt = $0.pushes[3].arrivedAt + .seconds(1) }.findings("connections-reused") == 1)
        history.run.circumstances.outages = [.init(from: at(4), until: at(5))]
        #expect(history.findings("connections-reused") == 0)
        history.run.circumstances.outages = []
        history.run.circumstances.relayProcesses = 2
        #expect(history.findings("connections-reused") == 0)
    }
}

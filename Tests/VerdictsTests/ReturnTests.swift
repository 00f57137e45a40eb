// A restart that nothing follows proves nothing: of a relay that comes back when all is over, or never.

import Basics
import Conformance
import Journal
import Metrics
import Testing

@testable import Verdicts

private func at(_ seconds: Double) -> Instant { SyntheticRun.origin + .seconds(seconds) }

@Suite("A relay that was restarted")
struct ReturnTests {
    /// Five phones, each told something at 1 to 2 s and at 5 to 6 s.
    private static let text = """
        name: returns
        relay:
          url: "http://127.0.0.1:1"
          profile:
            topic: com.example.app
            calls:
              register: { path: /register, registers: [deviceToken] }
              notify: { path: /notify, json: { title: "{{marker}}", body: done }, pushes: [{ channel: alert }] }
        workload:
          arrivals: [{ rate: 5, for: 1s }]
          scripts:
            - script: { name: two, steps: [{ call: register }, { call: notify, after: 1s }, { call: notify, after: 4s }] }
        """

    /// Ended at 2.2 s, and up again so much later; nil: never. What came meanwhile was not made.
    private func record(backAfter rest: Double?, isStarted: Bool = true) throws -> RunRecord {
        let ended = at(2.2)
        let until = rest.map { ended + .seconds($0) } ?? .distantFuture
        return try judge(Self.text, extras: { extras in
            extras.notes = [
                (ended, .relayStopping(signal: "TERM")),
                (ended + .seconds(0.1), .relayExited(RelayExitNote(how: "exited with 0", wasAsked: true, lastLines: ""))),
            ]
            if isStarted { extras.notes.append((ended + .seconds(0.5), .relayStarted(restart: 1, arguments: []))) }
            if rest != nil { extras.notes.append((until, .relayReady(restart: 1))) }
        }, call: { event in
            guard event.plannedAt >= ended, event.plannedAt <= until else { return }
            (event.status, event.failure, event.answeredAt) = (0, EventFailure.connect.rawValue, Instant(nanoseconds: 0))
        }, spoil: { sendings, _ in
            sendings.removeAll { $0.at >= ended && $0.row.plannedAt <= until }
        })
    }

    private func unsound(_ record: RunRecord) -> [String] { record.soundness.filter { !$0.passed }.map(\.name) }

    @Test("is put to the test by what it is asked when it is back, however long that took, and by nothing before")
    func asked() throws {
        let soon = try record(backAfter: 1)
        #expect(soon.exit.code == 0, "\(soon.exit.reasons)")
        let late = try record(backAfter: 8)
        #expect(unsound(late) == ["the relay was asked behind each restart"], "\(late.soundness)")
        #expect(late.exit.code == 5, "\(late.exit.reasons)")
    }

    @Test("is broken where it does not answer in the time that it has, and was not seen to where the run ends before")
    func hangs() throws {
        let hung = try record(backAfter: nil)
        #expect(hung.proof.broken.contains("relay-serves"), "\(hung.exit.reasons)")
        let findings = try result("relay-serves", hung).verdict.findings
        #expect(findings.contains { $0.message == "the relay did not come up again behind a restart" }, "\(findings)")
        #expect(unsound(hung).contains("the relay was back in time"))
        let unstarted = try record(backAfter: nil, isStarted: false)
        #expect(unsound(unstarted) == ["the relay was back in time"] && unstarted.exit.code == 5)
        #expect(try !result("relay-serves", unstarted).verdict.isBroken)
    }
}

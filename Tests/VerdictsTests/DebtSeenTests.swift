// What a session's history tells of what it owed: the class of each planned push, and what decided it.

import Basics
import Conformance
import Journal
import Metrics
import Pushes
import Testing
import Verdicts

@Suite("What a session owed")
struct DebtSeenTests {
    /// Of the first session, whose first alert is refused by a fault at once and never comes again.
    private func debts(_ directory: String, of session: UInt32) throws -> (owed: [DebtSeen], record: RunRecord) {
        let text = smallScenario + "\nfaults: [{ at: 0s, action: { respond: { reason: ServiceUnavailable } } }]"
        let run = try SyntheticRun(text, directory: directory)
        var extras = SyntheticRun.Extras()
        extras.notes = [(SyntheticRun.origin, .faultGiven(FaultNote(number: 0, rule: 7, label: "503")))]
        extras.totals = { $0.firings = [1] }
        try run.write(isWhole: true, extras: extras) { _ in } spoil: { sendings, index in
            guard index == 0, let alert = sendings.firstIndex(where: { $0.row.type == .alert }) else { return }
            (sendings[alert].status, sendings[alert].reason) = (503, "ServiceUnavailable")
            (sendings[alert].outcome, sendings[alert].faultRule) = (nil, 7)
        }
        return (try Verdicts.debts(ofSession: session, in: directory), try Verdicts.judge(directory))
    }

    @Test("is what the judge counts, with how long the relay was able to send what never came")
    func lost() throws {
        try withDirectory { directory in
            let (owed, record) = try debts(directory, of: 0)
            let lost = owed.filter { $0.outcome == .lost }
            #expect(lost.count == 1 && record.correlation.count(.lost) == 1)
            #expect(lost[0].what.hasPrefix("alert") && lost[0].push != nil)
            #expect(lost[0].words.contains("was kept from sending for") && lost[0].words.contains("by 503"), "\(lost[0].words)")
            let delivered = owed.filter { $0.outcome == .delivered }
            let left = owed.count { $0.outcome == .superseded }
            #expect(delivered.count + left == owed.count - 1 && delivered.allSatisfy { $0.words.contains("after it was told") })
            #expect(owed.map(\.step) == owed.map(\.step).sorted())
            // The finding says that the answer was ours, and what a relay does after such a one.
            let finding = try #require(record.verdicts.flatMap(\.verdict.findings).first { $0.message.contains("never delivered") })
            let answer = "→ 503 ServiceUnavailable, which PushRig gave on purpose (fault `503`)"
            #expect(finding.history.contains { $0.isMeant && $0.words.hasSuffix(answer) }, "\(finding.history)")
            #expect(finding.change?.hasPrefix("send the newest state again after such an answer") == true)
            #expect(finding.call?.sent.hasPrefix("{") == true && finding.exchanges.first?.answer.hasSuffix("(fault `503`)") == true)
        }
    }

    @Test("is nothing where there is no such session")
    func none() throws {
        let owed = try withDirectory { try debts($0, of: 9_999).owed }
        #expect(owed.isEmpty)
    }
}

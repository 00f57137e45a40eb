// Whether our own part was sound: on time, whole, in order, and did what the scenario says.

import Basics
import Conformance
import Faults
import Journal
import Metrics
import Pushes
import Scenarios

/// What of ours was not sound, and what that takes from the evidence.
struct Soundness {
    var checks: [RunRecord.SoundnessCheck] = []
    /// What rules must not rest on.
    var lost: Rule.Basis = []

    mutating func add(_ name: String, _ passed: Bool, _ detail: String, costs basis: Rule.Basis = []) {
        checks.append(RunRecord.SoundnessCheck(name: name, passed: passed, detail: detail))
        if !passed { lost.formUnion(basis) }
    }

    /// A relay that has gone on for a token may never send what was refused there.
    private static func words(passedOver count: Int) -> String {
        guard count > 0 else { return "" }
        return "; \(count) of them \(count == 1 ? "was" : "were") refused for now and not sent again, though more went to "
            + "\(count == 1 ? "its token" : "their tokens") meanwhile"
    }

    init(
        _ correlation: Correlation, _ story: Story, _ scenario: Scenario, cuts: [JournalCut], pushesRead: Int,
        eventsRead: Int, digestHolds: Bool
    ) {
        let p99 = Interval(nanoseconds: correlation.lateness.isEmpty ? 0 : correlation.lateness.value(at: 99))
        add(
            "our lateness", p99 <= scenario.latenessBudget,
            scenario.isStepped && scenario.steppedUntil == nil
                ? "0 by construction: the clock waited for us \(story.totals?.clockSteps ?? 0) times, "
                    + "\(story.totals?.realTime ?? .zero) of real time in all"
                : "events left \(p99) later than they could at p99; the budget is \(scenario.latenessBudget)",
            costs: .timing)
        add(
            "our queues", correlation.dropped == 0,
            "\(correlation.dropped) planned events were dropped because too many were unanswered", costs: [])
        let totals = story.totals
        add(
            "our order", (totals?.inverted ?? 0) == 0,
            "\(totals?.inverted ?? 0) events left before an earlier one of their session", costs: .order)
        let isWhole =
            cuts.isEmpty && pushesRead >= totals?.pushes ?? 0
            && eventsRead >= (totals.map { $0.answered + $0.failed + $0.dropped } ?? 0)
        add(
            "the history is whole", isWhole,
            "\(pushesRead) of \(totals.map { String($0.pushes) } ?? "?") pushes and \(eventsRead) events are in the journal, "
                + "\(cuts.count) files are cut", costs: .absence)
        add("the plan is the same", digestHolds, "the plan made again has the digest of the run", costs: .absence)
        add(
            "the run came to its end", story.finish != nil && story.finish?.isInterrupted == false,
            story.finish == nil
                ? "the run was killed: this is judged as far as it got"
                : story.finish?.isInterrupted == true ? "a signal ended the run" : "it did", costs: .absence)
        for (words, count) in story.inVain.sorted(by: { $0.key < $1.key }) {
            add(
                "phones told what was waited for", false,
                "\(count) session\(count == 1 ? "" : "s") waited in vain for \(words): what hangs on it is undecided")
        }
        if correlation.withheld > 0 {
            let lack = correlation.withheldFor.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.first
            add(
                "every call could be made", false,
                "\(correlation.withheld) had nothing to say and were not sent"
                    + (lack.map { ", \($0.value) of them because \($0.key)" } ?? ""))
        }
        let undecided = correlation.count(.undecided) - correlation.undecidedInVain
        if undecided > 0, story.finish != nil {
            add(
                "every deadline has passed", false,
                "\(undecided) pushes had not come and were not due when the run ended: make `phases.drain` longer than "
                    + "\(scenario.phases.drain)" + Self.words(passedOver: correlation.undecidedPassedOver))
        }
        let cameUp = story.wasReady || story.relayStartedAt == nil
        // A load that a gate ended early gave no fault, and no restart, the time it was planned to have.
        let isWholeLoad = cameUp && story.earlyEnd == nil
        for (number, fault) in scenario.faults.enumerated() where isWholeLoad && !fault.isLeftOut && !fault.mayRest {
            let fired = totals?.firings[safe: number] ?? 0
            guard totals != nil, fired == 0 else { continue }
            let id = fault.rule.id.isEmpty ? "it" : "`\(fault.rule.id)`"
            let home = fault.rule.match.environment
            let host = home.map { "; it waits at the \($0.word): does the relay send anything there?" } ?? ""
            add(
                "fault \(number + 1) fired", false,
                "\(id) never met anything: check its `at` (\(fault.at)) against the run's length, and its `match`\(host)")
        }
        if story.looks == 0, let failure = story.lookFailure, cameUp, story.finish != nil {
            add("the relay's tables were read", false, "no look at them had an answer: \(failure); see `state` in the profile")
        }
        if story.looks > 0, let words = story.lookGivenUp {
            add(
                "every look at the relay's tables was taken", false,
                "\(story.looksGivenUp) of \(story.looks + story.looksGivenUp) were given up, and nothing is judged by them: "
                    + "\(words); see `state` in the profile")
        }
        let restarts = scenario.relay.restarts
        if story.stops < restarts.count, isWholeLoad, story.finish != nil {
            add(
                "every restart happened", false,
                "\(story.stops) of \(restarts.count) did: check `at` of the next one (\(restarts[story.stops].at)) against the "
                    + "run's length")
        }
        if let trouble = story.finish?.trouble {
            add("nothing of ours failed", false, trouble, costs: [.absence, .timing, .order])
        }
    }
}

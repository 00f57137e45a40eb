// What can be told before a search starts anything: scenarios that have no capacity to be measured, and terms that contradict
// each other.

import Basics
import Capacity
import Reports
import Scenarios
import Verdicts

enum FindCheck {
    /// The relay lives through all trials: it is launched here, and knows no address that changes from run to run.
    static func keepsRelay(_ scenario: Scenario, _ options: FindOptions) -> Bool {
        guard let launch = scenario.relay.launch, !options.asked.restarts else { return false }
        return (launch + scenario.relay.environment.map(\.value)).allSatisfy { !$0.contains("{{rig.webhook}}") }
    }

    static func check(_ scenario: Scenario, _ options: FindOptions) throws(Failure) {
        func refuse(_ message: String, _ hint: String) -> Failure { Failure(.usage, message, hint: hint) }
        if scenario.isStepped || scenario.clockScale != 1 {
            throw refuse("how much a relay carries is measured in real time", "give --set clock=running --set clockScale=1")
        }
        if scenario.workload.closedUsers != nil {
            throw refuse(
                "a search sets the rate of an open load, and closed users begin as the relay answers",
                "give --set 'workload.arrivals=[{ rate: 10, for: 10s }]'; the rate itself is the search's")
        }
        if !scenario.relay.restarts.isEmpty {
            throw refuse("a relay that is restarted on purpose has no steady load", "strike `relay.restarts`")
        }
        if scenario.relay.launch == nil, options.asked.mock == nil {
            throw refuse(
                "the relay runs already, and pushes to a mock that a search does not know",
                "give --mock DIR, the state directory of that mock, or `relay.launch`")
        }
        if scenario.relay.launch != nil, options.asked.mock != nil {
            throw refuse("--mock is for a relay that runs already, and this one is launched", "leave --mock out")
        }
    }

    static func check(_ terms: CapacityTerms, _ plan: FindPlan, _ goals: FindGoals) throws(Failure) {
        let needed = plan.length(of: terms.trial) * 2
        guard terms.budget >= needed else {
            throw Failure(
                .usage,
                "a budget of \(Int(terms.budget)) s is too short: one trial takes \(Int((needed / 2).rounded(.up))) s, "
                    + "\(Int(plan.warmUp)) of them until sessions are as many as the load has",
                hint: "raise --budget, or shorten the sessions, such as by --set workload.pace=10")
        }
        let samples = plan.events(at: terms.from) * terms.trial * 3
        guard samples >= Double(goals.fewestSamples) else {
            throw Failure(
                .usage,
                "at \(FindText.plain(terms.from)) no trial has the \(goals.fewestSamples) events that its percentile needs",
                hint: "raise --from or --trial")
        }
    }
}

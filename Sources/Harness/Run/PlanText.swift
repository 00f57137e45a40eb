// What `--dry-run` prints: the plan in a screenful, with the digest that is the same for the same seed.

import Basics
import Devices
import Faults
import Planning
import Scenarios

struct PlanText {
    let plan: Plan
    let scenario: Scenario
    let seed: Seed
    /// The plan in one piece, where `plan` is one shard of it.
    var whole: Plan?

    var text: String {
        let summary = plan.summary
        var lines = [
            "scenario   \(scenario.name) (\(scenario.path))",
            "relay      \(scenario.relay.profile.name)",
            "seed       \(seed)",
            "sessions   \(summary.sessions), at most \(summary.peakSessions) at once",
            "arrivals   \(arrivals)",
            "events     \(summary.events) in \(summary.duration)",
            "pushes     \(summary.expectedPushes) expected" + (plan.hasReactions ? ", without those of reactions" : ""),
            "digest     \(summary.digest)",
        ]
        if plan.shard.count > 1, let whole {
            lines.append("shard      \(plan.shard.index) of \(plan.shard.count); all together: \(whole.digest())")
        }
        if plan.phoneCount > 0 { lines.append("phones     \(plan.phoneCount)" + (plan.hasActs ? ", users act on them" : "")) }
        if let androids = scenario.workload.androids {
            let makers = androids.vendors.map(\.rawValue).joined(separator: ", ")
            lines.append("androids   \(plan.accountCount), of \(makers)")
        }
        lines += summary.eventsByCall.filter { $0.count > 0 }.map { "           \($0.count) \($0.call)" }
        lines += scenario.workload.feeders.map { "rows       \($0.rows.count) of \($0.file), \($0.take.rawValue)" }
        lines += scenario.faults.map { "fault      at \($0.at): \($0.rule.json.text)" }
        lines += scenario.relay.restarts.map { "restart    at \($0.at): \($0.signal.rawValue), down for \($0.down)" }
        lines += scenario.gates.map { "gate       \($0.text)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private var arrivals: String {
        let stages = scenario.workload.arrivals
        var text = stages.prefix(Self.mostStages).map(\.description).joined(separator: ", ")
        if stages.count > Self.mostStages { text += " and \(stages.count - Self.mostStages) more" }
        if scenario.workload.spacing == .poisson { text += ", spaced by chance" }
        if let events = plan.eventsPerSession { text += "; \(ArrivalStage.text(events)) events a session" }
        return text
    }

    private static let mostStages = 8
}

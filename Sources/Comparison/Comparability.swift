// Whether runs can be compared at all: what differs between them must be the relay, and nothing else.

package import Basics
import Metrics
package import Verdicts

package enum Comparability {
    /// Throws a usage `Failure` that names what differs, or which run says nothing. Both sides have at least one run.
    package static func check(_ base: [RunRecord], _ new: [RunRecord]) throws(Failure) {
        let all = base + new
        guard let first = all.first else { return }
        for record in all {
            if let reason = record.voidReason {
                throw Failure(
                    .usage, "the run in \(record.directory) is void: \(reason)",
                    hint: "take it out, or run it again on a quieter machine")
            }
        }
        for other in all.dropFirst() {
            func differs(_ what: String, _ one: String, _ two: String, _ hint: String) -> Failure {
                Failure(
                    .usage, "these runs cannot be compared, \(what) differs: \(one) in \(first.directory), "
                        + "\(two) in \(other.directory)", hint: hint)
            }
            if first.toolVersion != other.toolVersion {
                throw differs("the version of pushrig", first.toolVersion, other.toolVersion, "run both with one version")
            }
            if first.machine != other.machine {
                throw differs(
                    "the machine", words(first.machine), words(other.machine),
                    "run both on one machine, such as by pushrig compare --live")
            }
            if first.profile != other.profile {
                throw differs("the relay profile", first.profile, other.profile, "run both with one profile")
            }
            if first.clockScale != other.clockScale {
                throw differs(
                    "the clock's pace", "\(first.clockScale)", "\(other.clockScale)", "run both with one --clock-scale")
            }
        }
        try checkPlans(base, new)
    }

    /// Runs with one seed have one plan, and both sides the same seeds.
    private static func checkPlans(_ base: [RunRecord], _ new: [RunRecord]) throws(Failure) {
        var plans: [UInt64: RunRecord] = [:]
        for record in base + new {
            guard let known = plans[record.seed] else {
                plans[record.seed] = record
                continue
            }
            guard known.planDigest != record.planDigest else { continue }
            throw Failure(
                .usage, "these runs cannot be compared, the plan differs: \(known.planDigest.prefix(12)) in "
                    + "\(known.directory), \(record.planDigest.prefix(12)) in \(record.directory)",
                hint: "run both sides with one scenario and the same --set")
        }
        let (one, other) = (Set(base.map(\.seed)), Set(new.map(\.seed)))
        guard one != other else { return }
        let odd = one.symmetricDifference(other).min()!
        throw Failure(
            .usage, "these runs cannot be compared, the seeds differ: seed \(odd) is only on the "
                + (one.contains(odd) ? "base's side" : "new side"), hint: "run both sides with the same seeds, by --seed N")
    }

    private static func words(_ machine: Machine) -> String {
        "\(machine.host) (\(Numbers.count(machine.cores, "core")), \(machine.processor), "
            + "\(Numbers.bytes(machine.memoryBytes)), \(machine.system))"
    }
}

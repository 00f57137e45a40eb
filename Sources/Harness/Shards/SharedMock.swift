// A shard whose mock is elsewhere: it makes calls to a relay that is up, and what comes of them stands in the mock's own
// journal. So it judges nothing; `pushrig merge` puts both together.

import Basics
import Journal
import OperatingSystem
import Planning
import Scenarios
import Verdicts

enum SharedMock {
    /// Throws a usage failure where a shard asks for what it cannot have.
    static func check(_ part: PartOptions, _ scenario: Scenario, _ plan: Plan) throws(Failure) {
        if scenario.isStepped, part.barrier != nil {
            throw Failure(
                .usage, "shards on clocks that are stepped wait for nobody",
                hint: "leave --barrier out; give all the same --start-at")
        }
        if scenario.workload.closedUsers != nil, part.place.count > 1 {
            throw Failure(
                .usage, "closed users cannot be dealt to shards: which session is whose follows from the relay's answers",
                hint: "run each shard by itself with fewer `users`, or give a rate")
        }
        guard !part.mocks.isEmpty else { return }
        let hindrances: [(Bool, String)] = [
            (scenario.isStepped, "a clock that is stepped"), (scenario.clockScale != 1, "a clock that runs faster"),
            (!scenario.mock.clockSteps.isEmpty, "a wall clock that is set"), (!scenario.faults.isEmpty, "faults"),
            (scenario.mock.tokens == .registered, "registered tokens"),
            (plan.phoneCount > 0 || scenario.workload.androids != nil, "virtual phones"),
            (plan.knowsHomes, "tokens of production and sandbox"),
        ]
        if let (_, words) = hindrances.first(where: \.0) {
            throw Failure(
                .usage, "the scenario wants \(words), which a mock that several shards share does not do for one of them",
                hint: "leave it out with --set, or leave --mock out: then each shard has a mock and a relay of its own")
        }
        if scenario.relay.launch != nil {
            throw Failure(
                .usage, "the scenario launches a relay, which would know this shard's mock alone",
                hint: "name the one that is up: --set relay.launch=null --set relay.url=http://HOST:PORT")
        }
    }

    /// Whether a shard has left something there.
    static func wasTried(in folder: String) -> Bool {
        FileSystem.exists(folder + "/" + Seal.file) || JournalReader.isJournal(folder + "/journal")
    }

    /// Says what the shard did. Its exit code tells whether it did its part, and nothing of the relay.
    static func tell(_ folder: String, _ place: ShardPlace, _ options: RunOptions) throws(Failure) -> ExitCode {
        let shard = try ShardFolder(folder)
        let totals = shard.totals ?? TotalsNote()
        let finish = shard.finish ?? FinishNote()
        let trouble = finish.trouble ?? shard.voids.first
        if options.format != .text {
            let told: JSONValue = [
                "shard": .integer(Int64(place.index)), "shards": .integer(Int64(place.count)), "run": .string(place.runID),
                "folder": .string(folder), "sent": .integer(Int64(totals.sent)), "answered": .integer(Int64(totals.answered)),
                "failed": .integer(Int64(totals.failed)), "trouble": trouble.map { .string($0) } ?? .null,
            ]
            Console.out(told.text + "\n")
        } else {
            let counts = "\(totals.sent) sent, \(totals.answered) answered, \(totals.failed) failed"
            Console.out(
                "shard \(place.index) of \(place.count): \(counts)\(trouble.map { "; " + $0 } ?? "")\n"
                    + "sealed in \(folder); judged by: pushrig merge SHARD… MOCK… --out DIR\n")
        }
        if finish.trouble != nil { return .couldNotRun }
        if finish.isInterrupted { return .interrupted }
        return shard.voids.isEmpty ? .passed : .inconclusive
    }
}

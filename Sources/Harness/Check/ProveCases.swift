// The proof of one dialect's cases: honest in each, and each defect in those that are about its rules.

import Basics
import Cases
import EventLoop
import OperatingSystem
import ReferenceRelay
import Reports
import Scenarios
import Verdicts

/// The cases of one scenario that launches the reference relay.
struct ProveCases {
    let dialect: String
    private let known: [Defect]
    /// By id.
    var defects: [String] { known.map(\.rawValue) }
    private let launch: [String]
    private let plan: CheckPlan
    private let options: CheckOptions
    private let folder: String
    private let cases: [(item: Case, play: CheckPlan.Play)]

    /// Of a defect, the cases that are tried at most.
    private static let mostCases = 60

    init(_ options: CheckOptions, folder: String) throws(Failure) {
        var options = options
        let base = try CheckBase(options, directory: folder)
        guard let launch = base.relay.launch, let dialect = launch.value(behind: "--dialect") else {
            throw Failure(
                .usage, "\(options.path) does not launch the reference relay, which alone has defects to order",
                hint: "such as pushrig prove Scenarios/conformance/environments.yaml")
        }
        // What need not wait is not waited for.
        options.isStepped = base.scenario.sharedClock == .stepped && base.scenario.clockScale == 1
        plan = try CheckPlan(options, base)
        (self.options, self.launch, self.dialect) = (options, launch, dialect)
        self.folder = options.morePaths.isEmpty ? folder : "\(folder)/\(dialect)"
        known = Defect.allCases.filter { $0.fits(dialect) }
        var cases: [(Case, CheckPlan.Play)] = []
        for case .runs(let item) in plan.cases {
            if let play = plan.play(item) { cases.append((item, play)) }
        }
        self.cases = cases
    }

    /// `known`: of each defect only the cases of its row, and of the honest relay only those of any row.
    func record(against known: [String: [String]]?, signals: Signals) throws(Failure) -> ProveRecord {
        let started = SystemTime().now()
        try FileSystem.makeDirectory(folder + "/cases")
        let seed = options.seed ?? 1
        var lanes = CheckLanes(
            count: options.lanes ?? CheckLanes.usualCount, folder: folder, arguments: [], signals: signals)
        lanes.executable = options.executable
        var scenarios: [String: String] = [:]
        for (item, play) in cases {
            let path = "\(folder)/cases/\(item.name).yaml"
            let text = item.text(extending: plan.base.path, seed: Seed(seed).child(item.name).value, clock: play.clock)
            try FileSystem.write(text, to: path)
            scenarios[item.name] = path
        }
        if isWanted("honest") {
            try FileSystem.makeDirectory("\(folder)/honest")
            let named = known.map { Set($0.values.joined()) }
            for (item, play) in cases where named?.contains(item.name) ?? true {
                lanes.add(item, play, as: "honest/\(item.name)", scenario: scenarios[item.name]!)
            }
        }
        var proofs = self.known.filter { isWanted($0.rawValue) }.map { defect in
            proof(defect, known.map { $0[defect.rawValue] ?? [] })
        }
        var results: [String: CaseResult] = [:]
        for _ in 0..<Self.mostCases where !lanes.isInterrupted {
            for proof in proofs {
                // Of a row that is known all are asked at once.
                let names = known == nil ? [proof.next].compactMap(\.self) : proof.cases.filter { proof.red[$0] == nil }
                for name in names { try add(proof, name, scenarios, to: &lanes) }
            }
            if lanes.waiting == 0 { break }
            let played = try lanes.play { [options] name, result in
                if !options.isQuiet { Console.error("  \(result.verdict.rawValue): \(name)\n") }
            }
            results.merge(played) { $1 }
            for place in proofs.indices { proofs[place].take(results) }
            if known != nil { break }
        }
        var record = ProveRecord(
            dialect: dialect, honest: cases.compactMap { results["honest/\($0.item.name)"] }, proofs: proofs,
            isInterrupted: lanes.isInterrupted)
        record.caption = "`\(plan.base.path.split(separator: "/").suffix(2).joined(separator: "/"))`, seed \(seed), "
            + "\(Numbers.count(results.count, "run")) in \(Numbers.duration(SystemTime().now() - started)) on "
            + "\(Numbers.count(Machine.current.cores, "core")), commit \(Build.commit.prefix(7))"
        return record
    }

    private func isWanted(_ name: String) -> Bool { options.only.isEmpty || options.only.contains(name) }

    private func add(
        _ proof: DefectProof, _ name: String, _ scenarios: [String: String], to lanes: inout CheckLanes
    ) throws(Failure) {
        guard let (item, play) = cases.first(where: { $0.item.name == name }) else { return }
        try FileSystem.makeDirectory("\(folder)/\(proof.defect)")
        var launch = launch
        // Who answers at once keeps no caller waiting, whatever APNs does.
        if proof.defect == Defect.waitsForEver.rawValue, let place = launch.firstIndex(of: "--answer") {
            launch.removeSubrange(place..<min(place + 2, launch.count))
        }
        let words = (launch + ["--defect", proof.defect]).map(CheckBase.quoted).joined(separator: ", ")
        lanes.add(
            item, play, as: "\(proof.defect)/\(name)", scenario: scenarios[name]!,
            arguments: ["--set", "relay.launch=[\(words)]"])
    }

    /// What goes without a wait before the rest, then what is about its rule, then what is about few things. The profile's own
    /// may convict whatever they are about: their sessions have more in them than their rules tell.
    private func proof(_ defect: Defect, _ known: [String]?) -> DefectProof {
        let rule = defect.declared[0]
        let rows = cases.enumerated().compactMap { place, row -> (rank: [Int], candidate: DefectProof.Candidate)? in
            let item = row.item
            let isOwn = item.file != nil
            guard isOwn || !Set(item.rules).isDisjoint(with: defect.declared) else { return nil }
            let about = item.exercises.contains(rule) ? 0 : item.rules.contains(rule) ? 1 : 2
            let rules = isOwn ? defect.declared : item.rules
            return (
                [row.play.isStepped ? 0 : 1, about, item.rules.count, place],
                DefectProof.Candidate(name: item.name, rules: rules)
            )
        }
        var candidates = rows.sorted { $0.rank.lexicographicallyPrecedes($1.rank) }.map(\.candidate)
        if let known {
            candidates = known.map { name in
                candidates.first { $0.name == name } ?? DefectProof.Candidate(name: name, rules: defect.declared)
            }
        }
        return DefectProof(
            defect: defect.rawValue, claim: defect.claim, declared: defect.declared, possible: defect.possible,
            candidates: candidates)
    }
}

extension [String] {
    fileprivate func value(behind flag: String) -> String? {
        firstIndex(of: flag).flatMap { $0 + 1 < count ? self[$0 + 1] : nil }
    }
}

extension Defect {
    /// Whether a dialect of the reference relay can have it: what breaks a claim of one system alone fits that one.
    /// About webhooks, and yet of Sendora's own dialect.
    private static let ofSendora: Set<Defect> = [
        .signsWithoutTime, .signsWithOldSecret, .givesUpWebhooks, .repeatsWebhooks, .tellsNoStarts, .tellsNoEnds,
    ]

    /// Of situations that no case of `check` makes, or of tables and webhooks that the profile has not: scenario files convict
    /// these.
    private static let ofFiles: Set<Defect> = [
        .buriesTokens, .losesCutPushes, .prunesInDoubt, .leavesDeadRows, .tellsNoDeadTokens, .tellsLivingTokens, .swapsWebhooks,
        .endsDeadRows, .leavesOutActivityTokens, .keepsStarts, .forgetsHeld, .savesMessagesUp,
    ]

    fileprivate func fits(_ dialect: String) -> Bool {
        switch claim.prefix(2) {
        case _ where Self.ofFiles.contains(self): false
        case _ where claim.hasPrefix("F"): dialect == "sendora"
        // The kit calls back for every dialect, and is proven in a file of its own where no case of the system's is about it.
        case "R3" where Self.ofSendora.contains(self):
            dialect == "sendora"
        case "R3": dialect == (declared[0].hasPrefix("webhooks-") ? "opencode" : "sendora")
        case "R1": dialect == "busymate"
        case "R2": dialect == "opencode-ios"
        case "R4": dialect == "epilogue"
        default: dialect == "opencode"
        }
    }
}

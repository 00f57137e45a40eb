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
    /// Of its jobs' names: their folder below that of all.
    private let prefix: String
    private let cases: [(item: Case, play: CheckPlan.Play)]
    private var proofs: [DefectProof] = []
    private var results: [String: CaseResult] = [:]
    /// Until all is red that a defect declares.
    private var asksOneByOne = true

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
        prefix = options.morePaths.isEmpty ? "" : dialect + "/"
        self.folder = options.morePaths.isEmpty ? folder : "\(folder)/\(dialect)"
        known = Defect.allCases.filter { $0.fits(dialect) }
        var cases: [(Case, CheckPlan.Play)] = []
        for case .runs(let item) in plan.cases {
            if let play = plan.play(item) { cases.append((item, play)) }
        }
        self.cases = cases
    }

    /// Adds what is asked first. `known`: of each defect only the cases of its row, and of the honest relay only those of any
    /// row. `rows`: what convicted each the last time, which is asked first.
    mutating func begin(
        against known: [String: [String]]?, first rows: [String: [String]], in lanes: inout CheckLanes
    ) throws(Failure) {
        try FileSystem.makeDirectory(folder + "/cases")
        for (item, play) in cases {
            let text = item.text(extending: plan.base.path, seed: Seed(seed).child(item.name).value, clock: play.clock)
            try FileSystem.write(text, to: scenario(of: item))
        }
        if isWanted("honest") {
            try FileSystem.makeDirectory("\(folder)/honest")
            let named = known.map { Set($0.values.joined()) }
            for (item, play) in cases where named?.contains(item.name) ?? true {
                lanes.add(
                    CheckLanes.Job(name: "\(prefix)honest/\(item.name)", item: item, play: play, scenario: scenario(of: item)))
            }
        }
        asksOneByOne = known == nil
        proofs = self.known.filter { isWanted($0.rawValue) }.map { defect in
            proof(defect, known.map { $0[defect.rawValue] ?? [] }, first: rows[defect.rawValue] ?? [])
        }
        for proof in proofs {
            // Of a row that is known all are asked at once.
            for name in asksOneByOne ? [proof.next].compactMap(\.self) : proof.cases {
                if let job = try job(proof, name) { lanes.add(job) }
            }
        }
    }

    /// What is asked next because of a result. `name` is that of its job; another dialect's is none of ours.
    mutating func take(_ name: String, _ result: CaseResult) throws(Failure) -> CheckLanes.Job? {
        guard name.hasPrefix(prefix) else { return nil }
        let own = String(name.dropFirst(prefix.count))
        results[own] = result
        guard let place = proofs.firstIndex(where: { own.hasPrefix($0.defect + "/") }) else { return nil }
        proofs[place].take([own: result])
        guard asksOneByOne, proofs[place].red.count < Self.mostCases, let next = proofs[place].next else { return nil }
        return try job(proofs[place], next)
    }

    /// `duration`: of all that was asked together.
    func record(isInterrupted: Bool, duration: Interval) -> ProveRecord {
        var record = ProveRecord(
            dialect: dialect, honest: cases.compactMap { results["honest/\($0.item.name)"] }, proofs: proofs,
            isInterrupted: isInterrupted)
        record.caption = "`\(plan.base.path.split(separator: "/").suffix(2).joined(separator: "/"))`, seed \(seed), "
            + "\(Numbers.count(results.count, "run")) within \(Numbers.duration(duration)) on "
            + "\(Numbers.count(Machine.current.cores, "core")), commit \(Build.commit.prefix(7))"
        return record
    }

    private var seed: UInt64 { options.seed ?? 1 }

    private func scenario(of item: Case) -> String { "\(folder)/cases/\(item.name).yaml" }

    private func isWanted(_ name: String) -> Bool { options.only.isEmpty || options.only.contains(name) }

    private func job(_ proof: DefectProof, _ name: String) throws(Failure) -> CheckLanes.Job? {
        guard let (item, play) = cases.first(where: { $0.item.name == name }) else { return nil }
        try FileSystem.makeDirectory("\(folder)/\(proof.defect)")
        var launch = launch
        // Who answers at once keeps no caller waiting, whatever APNs does.
        if proof.defect == Defect.waitsForEver.rawValue, let place = launch.firstIndex(of: "--answer") {
            launch.removeSubrange(place..<min(place + 2, launch.count))
        }
        let words = (launch + ["--defect", proof.defect]).map(CheckBase.quoted).joined(separator: ", ")
        return CheckLanes.Job(
            name: "\(prefix)\(proof.defect)/\(name)", item: item, play: play, scenario: scenario(of: item),
            arguments: ["--set", "relay.launch=[\(words)]"])
    }

    /// What goes without a wait before the rest, then what is about its rule, then what is about few things. The profile's own
    /// may convict whatever they are about: their sessions have more in them than their rules tell.
    private func proof(_ defect: Defect, _ known: [String]?, first: [String]) -> DefectProof {
        let rule = defect.declared[0]
        let rows = cases.enumerated().compactMap { place, row -> (rank: [Int], candidate: DefectProof.Candidate)? in
            let item = row.item
            let isOwn = item.file != nil
            guard isOwn || !Set(item.rules).isDisjoint(with: defect.declared) else { return nil }
            let about = item.exercises.contains(rule) ? 0 : item.rules.contains(rule) ? 1 : 2
            let rules = isOwn ? defect.declared : item.rules
            return (
                [first.firstIndex(of: item.name) ?? first.count, row.play.isStepped ? 0 : 1, about, item.rules.count, place],
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
        .cutsLongIDs, .sendsLongIDs, .dropsLivingRows, .stampsByTheClock,
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

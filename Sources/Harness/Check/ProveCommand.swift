// `pushrig prove`: asks the cases of a check whether they convict. The reference relay is asked as it is, and with each defect
// in the cases that are about the rule which that breaks. Scenarios that name what they convict are asked themselves.

package import Basics
import Cases
import EventLoop
import OperatingSystem
import ReferenceRelay
import Reports
import Scenarios
import Verdicts

/// One proof. Confined to the thread that makes it; blocks that thread until all cases are over.
package final class ProveCommand {
    private let options: CheckOptions
    private let signals: Signals

    /// Of a defect, the cases about its rule that are tried, one after the other until one convicts.
    private static let mostCases = 24

    /// `signals` must have been made before any thread was started.
    package init(_ options: CheckOptions, signals: Signals) {
        self.options = options
        self.signals = signals
    }

    /// Those that are about few things first.
    private static func about(_ rule: String, _ cases: [Case]) -> [String] {
        let about = cases.filter { $0.rules.contains(rule) }
        let must = about.filter { $0.exercises.contains(rule) }.sorted { $0.rules.count < $1.rules.count }
        let may = about.filter { !$0.exercises.contains(rule) }.sorted { $0.rules.count < $1.rules.count }
        return (must + may).prefix(mostCases).map(\.name)
    }

    package func run() throws(Failure) -> ExitCode {
        let started = SystemTime().wall()
        let wanted = options.outputDirectory.map { FileSystem.absolute($0) ?? $0 }
        let folder = wanted ?? RunDirectory.fresh("prove", at: started)
        guard !FileSystem.exists(folder + "/conformance.md") else {
            throw Failure(.usage, "\(folder) holds a proof already", hint: "choose an empty folder with --out DIR")
        }
        guard let files = try files() else { return try told(try ofCases(in: folder), in: folder) }
        return try told(try files.record(options, folder: folder, signals: signals), in: folder)
    }

    /// Nil where one scenario is named that convicts nothing by itself.
    private func files() throws(Failure) -> ProveFiles? {
        let paths = [options.path] + options.morePaths
        if paths.count == 1, try ScenarioBase.load(path: options.path, searchPath: ["Scenarios"]).base?.convicts != true {
            return nil
        }
        var scenarios: [(scenario: Scenario, path: String)] = []
        for path in paths { scenarios.append((try Scenario.load(path: path, searchPath: ["Scenarios"]), path)) }
        return try ProveFiles(scenarios)
    }

    private func told(_ record: ProveRecord, in folder: String) throws(Failure) -> ExitCode {
        try FileSystem.write(ProveText.map(record), to: folder + "/conformance.md")
        Console.out(ProveText.text(record) + "map: \(folder)/conformance.md\n")
        return ExitCode(rawValue: record.exitCode) ?? .couldNotRun
    }

    private func ofCases(in folder: String) throws(Failure) -> ProveRecord {
        let base = try CheckBase(options, directory: folder)
        guard let launch = base.relay.launch, let dialect = launch.value(behind: "--dialect") else {
            throw Failure(
                .usage, "\(options.path) does not launch the reference relay, which alone has defects to order",
                hint: "such as pushrig prove Scenarios/conformance/environments.yaml")
        }
        let cases = CaseCatalogue(base.relay, saysGrace: base.saysGrace).cases.compactMap { item -> Case? in
            guard case .runs(let item) = item, options.isSlow || base.isQuick(item) else { return nil }
            return item
        }
        let names = ["honest"] + Defect.allCases.filter { $0.fits(dialect) }.map(\.rawValue)
        if let unknown = options.only.first(where: { !names.contains($0) }) {
            throw Failure(
                .usage, "a relay of the dialect \(dialect) has no defect `\(unknown)`",
                hint: Suggestion.hint(for: unknown, among: names))
        }
        try FileSystem.makeDirectory(folder + "/cases")
        let seed = Seed(options.seed ?? 1)
        var lanes = CheckLanes(
            count: options.lanes ?? min(8, max(1, Machine.current.cores * 4)), folder: folder, arguments: [], signals: signals)
        lanes.executable = options.executable
        var scenarios: [String: String] = [:]
        for item in cases {
            let path = "\(folder)/cases/\(item.name).yaml"
            try FileSystem.write(item.text(extending: base.path, seed: seed.child(item.name).value), to: path)
            scenarios[item.name] = path
        }
        let isWanted = { (name: String) in self.options.only.isEmpty || self.options.only.contains(name) }
        if isWanted("honest") {
            try FileSystem.makeDirectory("\(folder)/honest")
            for item in cases { lanes.add(item, as: "honest/\(item.name)", scenario: scenarios[item.name]!) }
        }
        let defects = Defect.allCases.filter { $0.fits(dialect) && isWanted($0.rawValue) }
        var proofs = defects.map { defect in
            DefectProof(
                defect: defect.rawValue, claim: defect.claim, declared: defect.declared, possible: defect.possible,
                cases: Self.about(defect.declared[0], cases))
        }
        var results: [String: CaseResult] = [:]
        for round in 0..<Self.mostCases where !lanes.isInterrupted {
            for proof in proofs where proof.convictedIn.isEmpty && round < proof.cases.count {
                try FileSystem.makeDirectory("\(folder)/\(proof.defect)")
                let words = (launch + ["--defect", proof.defect]).map(CheckBase.quoted).joined(separator: ", ")
                let item = cases.first { $0.name == proof.cases[round] }!
                lanes.add(
                    item, as: "\(proof.defect)/\(item.name)", scenario: scenarios[item.name]!,
                    arguments: ["--set", "relay.launch=[\(words)]"])
            }
            let played = try lanes.play { [options] name, result in
                if !options.isQuiet { Console.error("  \(result.verdict.rawValue): \(name)\n") }
            }
            results.merge(played) { $1 }
            for place in proofs.indices { proofs[place].take(results) }
        }
        let honest = cases.compactMap { results["honest/\($0.name)"] }
        return ProveRecord(dialect: dialect, honest: honest, proofs: proofs, isInterrupted: lanes.isInterrupted)
    }
}

extension [String] {
    fileprivate func value(behind flag: String) -> String? {
        firstIndex(of: flag).flatMap { $0 + 1 < count ? self[$0 + 1] : nil }
    }
}

extension Defect {
    /// Whether a dialect of the reference relay can have it: what breaks a claim of one system alone fits that one.
    fileprivate func fits(_ dialect: String) -> Bool {
        switch claim.prefix(2) {
        case "R1": dialect == "busymate"
        case "R2": dialect == "opencode-ios"
        case "R4": dialect == "epilogue"
        default: dialect == "opencode"
        }
    }
}

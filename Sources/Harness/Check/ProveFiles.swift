// `pushrig prove FILE…` of scenarios that name the defects which they convict: each is played with the reference relay as it
// is, and once with each of those.

import Basics
import Cases
import EventLoop
import OperatingSystem
import ReferenceRelay
import Scenarios
import Verdicts

/// The scenarios of one proof.
struct ProveFiles {
    private struct File {
        var scenario: Scenario
        /// As its file says; such a run is over within the minute.
        var play: CheckPlan.Play {
            CheckPlan.Play(clock: .asItIs, takes: .seconds(60), isStepped: scenario.isStepped)
        }
        var item: Case
        var path: String
        var launch: [String]
        var defects: [Defect]
    }

    private let files: [File]

    /// `scenarios` as they were named, each with its path.
    init(_ scenarios: [(scenario: Scenario, path: String)]) throws(Failure) {
        var files: [File] = []
        for (scenario, path) in scenarios {
            guard !scenario.convicts.isEmpty else {
                throw Failure(
                    .usage, "\(path) names no defect that it convicts",
                    hint: "add `convicts: [keeps-dead-tokens]`, or name it alone: then the cases of check are asked")
            }
            guard let launch = scenario.relay.launch, launch.contains("--dialect") else {
                throw Failure(.usage, "\(path) does not launch the reference relay, which alone has defects to order")
            }
            let name = String((path.split(separator: "/").last ?? "").split(separator: ".").first ?? "")
            if let other = files.first(where: { $0.item.name == name }) {
                throw Failure(.usage, "\(other.path) and \(path) have one name", hint: "prove them one after the other")
            }
            files.append(
                File(
                    scenario: scenario,
                    item: Case(name: name, question: scenario.name, exercises: scenario.exercises),
                    path: path, launch: launch, defects: try Self.defects(of: scenario)))
        }
        self.files = files
    }

    private static func defects(of scenario: Scenario) throws(Failure) -> [Defect] {
        var defects: [Defect] = []
        for (number, name) in scenario.convicts.enumerated() {
            guard let defect = Defect(rawValue: name) else {
                let place = number < scenario.places.convicts.count ? scenario.places.convicts[number] + ": " : ""
                throw Failure(
                    .usage, "\(place)the reference relay has no defect `\(name)`",
                    hint: Suggestion.hint(for: name, among: Defect.allCases.map(\.rawValue)))
            }
            defects.append(defect)
        }
        return defects
    }

    /// Of all files; the honest relay's name is `honest`.
    private var names: [String] { ["honest"] + files.flatMap { $0.defects.map(\.rawValue) } }

    func record(_ options: CheckOptions, folder: String, signals: Signals) throws(Failure) -> ProveRecord {
        if let unknown = options.only.first(where: { !names.contains($0) }) {
            throw Failure(.usage, "no file here convicts `\(unknown)`", hint: Suggestion.hint(for: unknown, among: names))
        }
        let isWanted = { (name: String) in options.only.isEmpty || options.only.contains(name) }
        var lanes = CheckLanes(
            count: options.lanes ?? min(8, max(1, Machine.current.cores * 2)), folder: folder,
            arguments: options.seed.map { ["--seed", "\($0)"] } ?? [], signals: signals)
        lanes.executable = options.executable
        var proofs: [DefectProof] = []
        for file in files {
            if isWanted("honest") {
                try FileSystem.makeDirectory("\(folder)/honest")
                lanes.add(
                    CheckLanes.Job(
                        name: "honest/\(file.item.name)", item: file.item, play: file.play, scenario: file.path))
            }
            for defect in file.defects where isWanted(defect.rawValue) {
                try FileSystem.makeDirectory("\(folder)/\(defect.rawValue)")
                let words = (file.launch + ["--defect", defect.rawValue]).map(CheckBase.quoted).joined(separator: ", ")
                lanes.add(
                    CheckLanes.Job(
                        name: "\(defect.rawValue)/\(file.item.name)", item: file.item, play: file.play, scenario: file.path,
                        arguments: ["--set", "relay.launch=[\(words)]"]))
                proofs.append(
                    DefectProof(
                        defect: defect.rawValue, claim: defect.claim, declared: defect.declared,
                        possible: defect.possible,
                        candidates: [DefectProof.Candidate(name: file.item.name, rules: defect.declared)], hasToFail: true))
            }
        }
        let results = try lanes.play { name, result in
            if !options.isQuiet { Console.error("  \(result.verdict.rawValue): \(name)\n") }
            return []
        }
        for place in proofs.indices { proofs[place].take(results) }
        return ProveRecord(
            dialect: "", honest: files.compactMap { results["honest/\($0.item.name)"] }, proofs: proofs,
            isInterrupted: lanes.isInterrupted)
    }
}

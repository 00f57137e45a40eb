// `pushrig prove`: asks the cases of a check whether they convict. The reference relay is asked as it is, and with each defect
// in the cases that are about the rules which that breaks. Scenarios that name what they convict are asked themselves.

package import Basics
import EventLoop
import OperatingSystem
import Reports
import Scenarios
import Verdicts

/// One proof. Confined to the thread that makes it; blocks that thread until all cases are over.
package final class ProveCommand {
    private let options: CheckOptions
    private let signals: Signals

    /// `signals` must have been made before any thread was started.
    package init(_ options: CheckOptions, signals: Signals) {
        self.options = options
        self.signals = signals
    }

    package func run() throws(Failure) -> ExitCode {
        let started = SystemTime().wall()
        let wanted = options.outputDirectory.map { FileSystem.absolute($0) ?? $0 }
        let folder = wanted ?? RunDirectory.fresh("prove", at: started)
        guard !FileSystem.exists(folder + "/conformance.md") else {
            throw Failure(.usage, "\(folder) holds a proof already", hint: "choose an empty folder with --out DIR")
        }
        let page = try (options.writes ?? options.against).map { path throws(Failure) in try ProvePage(path) }
        guard let files = try files() else { return try told(try ofCases(in: folder, page), in: folder, page) }
        if page != nil {
            throw Failure(
                .usage, "\(options.writes == nil ? "--against" : "--write") goes with the cases of check",
                hint: "name scenarios that convict nothing themselves")
        }
        return try told([try files.record(options, folder: folder, signals: signals)], in: folder, page)
    }

    private var paths: [String] { [options.path] + options.morePaths }

    /// Nil where the scenarios convict nothing by themselves.
    private func files() throws(Failure) -> ProveFiles? {
        var convicting = 0
        for path in paths {
            let isOne = try ScenarioBase.load(path: path, searchPath: ScenarioFolders.all).base?.convicts ?? false
            convicting += isOne ? 1 : 0
        }
        if convicting == 0 { return nil }
        var scenarios: [(scenario: Scenario, path: String)] = []
        for path in paths { scenarios.append((try Scenario.load(path: path, searchPath: ScenarioFolders.all), path)) }
        return try ProveFiles(scenarios)
    }

    private func ofCases(in folder: String, _ page: ProvePage?) throws(Failure) -> [ProveRecord] {
        var all: [ProveCases] = []
        for path in paths {
            var options = options
            options.path = path
            let cases = try ProveCases(options, folder: folder)
            if let other = all.first(where: { $0.dialect == cases.dialect }) {
                throw Failure(.usage, "two scenarios launch the dialect \(other.dialect)", hint: "name one of them")
            }
            all.append(cases)
        }
        let names = ["honest"] + all.flatMap(\.defects)
        if let unknown = options.only.first(where: { !names.contains($0) }) {
            throw Failure(
                .usage,
                "a relay of the dialect \(all.map(\.dialect).joined(separator: " or ")) has no defect `\(unknown)`",
                hint: Suggestion.hint(for: unknown, among: names))
        }
        let started = SystemTime().now()
        var lanes = CheckLanes(
            count: options.lanes ?? CheckLanes.usualCount, folder: folder, arguments: [], signals: signals)
        lanes.executable = options.executable
        for place in all.indices {
            let rows = try page?.rows(of: all[place].dialect)
            try all[place].begin(against: options.against == nil ? nil : rows, first: rows ?? [:], in: &lanes)
        }
        _ = try lanes.play { [options] name, result throws(Failure) in
            if !options.isQuiet { Console.error("  \(result.verdict.rawValue): \(name)\n") }
            var next: [CheckLanes.Job] = []
            for place in all.indices {
                if let job = try all[place].take(name, result) { next.append(job) }
            }
            return next
        }
        let duration = SystemTime().now() - started
        return all.map { $0.record(isInterrupted: lanes.isInterrupted, duration: duration) }
    }

    private func told(_ records: [ProveRecord], in folder: String, _ page: ProvePage?) throws(Failure) -> ExitCode {
        try FileSystem.makeDirectory(folder)
        try FileSystem.write(records.map(ProveText.map).joined(separator: "\n"), to: folder + "/conformance.md")
        for record in records {
            if records.count > 1 { Console.out("\(record.dialect)\n") }
            Console.out(ProveText.text(record))
        }
        // A part of the map would take the place of the whole.
        if options.writes != nil, options.only.isEmpty, records.allSatisfy({ !$0.isInterrupted }) {
            try page?.write(records)
        }
        Console.out("map: \(folder)/conformance.md\n")
        let codes = records.map(\.exitCode)
        let worst = [130, 4, 5].first { codes.contains($0) } ?? 0
        return ExitCode(rawValue: worst) ?? .couldNotRun
    }
}

// `pushrig compare`: reads both sides, compares, says it and writes it down.

package import Basics
import Comparison
import EventLoop
import OperatingSystem
import Reports
import Verdicts

package struct CompareCommand: Sendable {
    private let options: CompareOptions

    package init(_ options: CompareOptions) { self.options = options }

    /// What stands in the way is thrown, what differs between the sides among it. The exit code: 0 same or better, 3 worse,
    /// 4 a must is newly broken, 5 undecided or nothing to compare with.
    package func run() throws(Failure) -> ExitCode {
        let settings = try settings()
        let base = try SavedRuns.folders(options.base)
        if options.checksItself, options.new.isEmpty { return try checkItself(base, settings) }
        let new = try SavedRuns.folders(options.new)
        guard !new.isEmpty else {
            throw Failure(
                .usage, "there is no run in \(options.new.joined(separator: ", "))",
                hint: "give run folders, or folders that hold some")
        }
        guard !base.isEmpty else {
            let places = options.base.joined(separator: ", ")
            Console.error("pushrig: there is no baseline: no run in \(places); nothing is compared\n")
            return .inconclusive
        }
        if let both = base.first(where: new.contains) {
            throw Failure(.usage, "the run in \(both) is on both sides", hint: "name each run once")
        }
        // Only of one run a side anything rests on its seconds.
        let isSingle = base.count == 1 && new.count == 1
        var sides: [[RunFigures]] = []
        for folders in [base, new] {
            var side: [RunFigures] = []
            for folder in folders { side.append(try SavedRuns.figures(folder, keepsIntervals: isSingle)) }
            sides.append(side)
        }
        var record = try Comparison.compare(sides[0], sides[1], settings)
        record.command = options.command
        record.firstDifference = try FirstDifference.find(sides[0], sides[1])
        try tell(record)
        return ExitCode(rawValue: record.exit.code) ?? .couldNotRun
    }

    private func settings() throws(Failure) -> Comparison.Options {
        var settings = Comparison.Options()
        for name in options.metrics { settings.metrics.append(try DeclaredMetric(parsing: name)) }
        if let margin = options.margin { settings.margin = try Margin(parsing: margin) }
        settings.seed = options.seed ?? settings.seed
        settings.checksItself = options.checksItself
        return settings
    }

    /// Throws for what could only be told after the runs.
    func check() throws(Failure) { _ = try settings() }

    private func checkItself(_ base: [String], _ settings: Comparison.Options) throws(Failure) -> ExitCode {
        guard !base.isEmpty else {
            throw Failure(.usage, "there is no run to check with", hint: "give a folder that holds ten runs of one relay")
        }
        var runs: [RunFigures] = []
        for folder in base { runs.append(try SavedRuns.figures(folder, keepsIntervals: false)) }
        guard let check = try Comparison.selfCheck(runs, settings) else {
            Console.error("pushrig: \(Numbers.count(runs.count, "run")) cannot be split: at least 4, better 10\n")
            return .inconclusive
        }
        Console.out(options.format == .json ? check.json.text + "\n" : CompareText.text(check))
        return check.rate <= check.limit ? .passed : .inconclusive
    }

    private func tell(_ record: ComparisonRecord) throws(Failure) {
        if let directory = options.outputDirectory {
            try FileSystem.makeDirectory(directory)
            try CompareFiles.writeAll(record, to: directory)
        }
        switch options.format {
        case .json: Console.out(record.json.text + "\n")
        case .markdown: Console.out(CompareMarkdown(record: record).text)
        case .text:
            Console.out(CompareText.text(record, color: Console.wantsColor(1)))
            if let directory = options.outputDirectory {
                Console.out("report: \(FileSystem.absolute(directory) ?? directory)/compare.html\n")
            }
        }
    }
}

// The runs of one side, wherever they were saved.

import Basics
import Comparison
import Metrics
import OperatingSystem
import Reports
import Verdicts

enum SavedRuns {
    /// More runs than anybody plays: a wrong folder, such as a whole disk.
    private static let most = 1_000

    /// The run folders that these name: each is one, or holds some. None where there are none.
    static func folders(_ paths: [String]) throws(Failure) -> [String] {
        var folders: [String] = []
        for path in paths {
            if isRun(path) {
                folders.append(path)
                continue
            }
            let names = ((try? FileSystem.names(in: path)) ?? []).sorted()
            let found = names.map { path + "/" + $0 }.filter { FileSystem.destination(of: $0) == nil && isRun($0) }
            // A run that has no record yet was killed, and says nothing of its figures.
            folders += found
        }
        guard folders.count <= most else {
            throw Failure(.usage, "\(folders.count) runs are too many to compare", hint: "at most \(most)")
        }
        let real = folders.map { FileSystem.realPath($0) ?? $0 }
        for (index, place) in real.enumerated() where real[..<index].contains(place) {
            throw Failure(.usage, "the run in \(folders[index]) is named twice", hint: "name each run once")
        }
        return real
    }

    private static func isRun(_ path: String) -> Bool {
        path.hasSuffix("/run.json") || path == "run.json" || FileSystem.exists(path + "/run.json")
    }

    /// The figures of a run. `keepsIntervals`: it is judged again to know its latencies by the second, where its journal is
    /// still there.
    static func figures(_ folder: String, keepsIntervals: Bool) throws(Failure) -> RunFigures {
        var record = try ReportFiles.readRecord(at: folder)
        let home = JournalPlace.home(of: folder)
        record.directory = home
        if keepsIntervals, JournalPlace.isThere(home) {
            var options = JudgeOptions()
            options.keepsIntervals = true
            record.correlation.intervals = try Verdicts.judge(home, options).correlation.intervals
        }
        return RunFigures(record, journalOf: home)
    }
}

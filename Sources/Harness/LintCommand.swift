// `pushrig lint`: what is wrong in files, without starting anything.

import Basics
import Scenarios

package struct LintCommand {
    package var files: [String]
    /// What is hardly meant fails as well.
    package var isStrict = false
    package var printsJSON = false

    package init(files: [String]) { self.files = files }

    /// One mistake or doubt.
    private struct Remark: Hashable {
        enum Severity: String { case error, warning, note }

        var severity: Severity
        /// `FILE:LINE:COLUMN`, or the file alone.
        var place: String
        var words: String

        var line: String { "\(place): \(severity.rawValue): \(words)\n" }

        var json: JSONValue {
            let parts = place.split(separator: ":", omittingEmptySubsequences: false)
            let numbers = parts.suffix(2).compactMap { Int64($0) }
            let hasPlace = parts.count > 2 && numbers.count == 2
            return [
                "file": .string(hasPlace ? parts.dropLast(2).joined(separator: ":") : place),
                "line": .integer(hasPlace ? numbers[0] : 1), "column": .integer(hasPlace ? numbers[1] : 1),
                "severity": .string(severity.rawValue), "message": .string(words),
            ]
        }
    }

    /// 0: nothing is wrong. 2: something is.
    package func run() -> ExitCode {
        var remarks: [Remark] = []
        for file in files {
            for remark in Self.remarks(on: file) where !remarks.contains(remark) { remarks.append(remark) }
        }
        if printsJSON {
            Console.out(JSONValue.array(remarks.map(\.json)).text + "\n")
        } else {
            Console.out(remarks.map(\.line).joined())
        }
        return remarks.contains { $0.severity == .error || isStrict && $0.severity == .warning } ? .badUsage : .passed
    }

    private static func remarks(on file: String) -> [Remark] {
        do throws(Failure) {
            let doubts: [Failure]
            switch try LintedFile(path: file, searchPath: ScenarioFolders.all).kind {
            case .profile: doubts = try Profile.load(path: file, searchPath: ScenarioFolders.all).doubts
            case .base:
                let base = try ScenarioBase.load(path: file, searchPath: ScenarioFolders.all).base
                doubts = base?.relay.profile.doubts ?? []
            case .scenario: doubts = try RunCommand.checked(file).relay.profile.doubts
            case .part:
                let words = "only its YAML was looked at: what it says is read with a scenario that names it (lint that one)"
                return [Remark(severity: .note, place: file, words: words)]
            }
            return doubts.map { Remark(severity: .warning, place: $0.place ?? file, words: words(of: $0)) }
        } catch {
            // Several mistakes stand in one failure, a line each, and all but the first with their places.
            let lines = error.description.split(separator: "\n").map(String.init)
            return lines.map { line in
                guard let colon = line.firstRange(of: ": "),
                    line.hasPrefix("/") || line[..<colon.lowerBound].contains(":")
                else {
                    return Remark(severity: .error, place: file, words: line)
                }
                return Remark(
                    severity: .error, place: String(line[..<colon.lowerBound]), words: String(line[colon.upperBound...]))
            }
        }
    }

    private static func words(of failure: Failure) -> String { failure.message + (failure.hint.map { " (\($0))" } ?? "") }
}

// Where a run leaves its files: made and tried before anything starts, so that a full or read-only disk is told early.

import Basics
import OperatingSystem

/// One run's folder.
struct RunDirectory: Sendable {
    /// Absolute.
    let path: String
    var journal: String { path + "/journal" }
    var mockState: String { path + "/mock" }
    var relayLog: String { path + "/relay.log" }

    /// `chosen` is `--out`; without it `Reports/<time>-<scenario>` is made and `Reports/latest` points to it.
    init(chosen: String?, scenario: String, scenarioText: String, at wall: WallTime) throws(Failure) {
        if let chosen {
            path = FileSystem.absolute(chosen) ?? chosen
        } else {
            path = Self.fresh(scenario, at: wall)
        }
        if FileSystem.exists(path + "/run.json") {
            throw Failure(.usage, "\(path) holds a run already", hint: "choose an empty folder with --out DIR")
        }
        try FileSystem.makeDirectory(path)
        try FileSystem.makeDirectory(journal)
        try FileSystem.write(scenarioText, to: path + "/scenario.yaml")
        if chosen == nil { pointLatestHere() }
    }

    /// `Reports/<time>-<name>`, absolute, with a number behind it where there is one already. Makes nothing.
    static func fresh(_ name: String, at wall: WallTime) -> String {
        let stamp = wall.iso8601.prefix(19).map { $0 == ":" || $0 == "T" ? ($0 == "T" ? "-" : "") : String($0) }.joined()
        let name = name.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." ? $0 : "-" }
        let first = "Reports/\(stamp)-\(String(name))"
        let stem = FileSystem.absolute(first) ?? first
        var candidate = stem
        var number = 2
        while FileSystem.exists(candidate) {
            candidate = "\(stem)-\(number)"
            number += 1
        }
        return candidate
    }

    /// A link that cannot be made is no reason to stop.
    private func pointLatestHere() {
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        FileSystem.link("/\(parent)/latest", to: String(path.split(separator: "/").last!))
    }
}

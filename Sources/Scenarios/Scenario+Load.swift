// From a file to a scenario.

package import Basics
import YAML

extension Scenario {
    /// Reads the scenario at `path` with its profile and session scripts. Files it names are looked for beside it,
    /// then in the folders of `searchPath`; the ending `.yaml` may be left out. `overrides` are `--set` values such
    /// as `workload.maxSessions` = `100`, put in before anything is decoded. Fails with kind `.usage`: one mistake
    /// with its place and fix, or the first few, one to a line.
    package static func load(
        path: String, overrides: [(path: String, value: String)] = [], searchPath: [String] = []
    ) throws(Failure) -> Scenario {
        let source = try FileFinder(folders: [""] + searchPath).read(path)
        return try parse(text: source.text, path: source.path, overrides: overrides, searchPath: searchPath)
    }

    /// As `load`, from files that were read before (`Scenario.sources`), the scenario first. Secrets are no part of these:
    /// they are read where they are if calls are to be made (`readsSecrets`), and else empty. `home`: the folder in which the
    /// paths of the files begin; empty: the current one.
    package static func load(
        _ files: [SourceText], from home: String = "", overrides: [(path: String, value: String)] = [],
        readsSecrets: Bool = false
    ) throws(Failure) -> Scenario {
        guard let first = files.first else { throw Failure(.usage, "a scenario has at least one file") }
        let finder = FileFinder(known: files, from: home, readsSecrets: readsSecrets)
        return try parse(text: first.text, path: first.path, overrides: overrides, files: finder)
    }

    /// What the file at `path` says of the clock, whatever relay it is then played with (`isStepped` nil: nothing), and whether
    /// it restarts it.
    package static func history(
        ofFile path: String
    ) throws(Failure) -> (isStepped: Bool?, scale: Double, hasRestarts: Bool) {
        let files = FileFinder(folders: [""])
        let source = try files.read(path)
        let node = try YAMLNode.parse(text: source.text, file: source.path)
        let root = try Extension.scenario.applied(to: node, files, Mistakes())
        let isStepped = root["clock"]?.plainValue?.string.map { $0 == ClockKind.stepped.rawValue }
        return (isStepped, root["clockScale"]?.plainValue?.double ?? 1, hasRestarts(root))
    }

    private static func hasRestarts(_ root: YAMLNode) -> Bool {
        guard case .sequence(let items)? = root["relay"]?["restarts"]?.content else { return false }
        return !items.isEmpty
    }

    /// As `load`, with the text of the scenario already at hand.
    /// `planned` are files that it names and that are not there yet.
    package static func parse(
        text: String, path: String, overrides: [(path: String, value: String)] = [], searchPath: [String] = [],
        planned: [SourceText] = []
    ) throws(Failure) -> Scenario {
        let files = FileFinder(folders: [FileFinder.folder(of: path)] + searchPath, planned: planned)
        return try parse(text: text, path: path, overrides: overrides, files: files)
    }

    private static func parse(
        text: String, path: String, overrides: [(path: String, value: String)], files: FileFinder
    ) throws(Failure) -> Scenario {
        let mistakes = Mistakes()
        var root = try Extension.scenario(text, path, files, mistakes)
        var applied: [String] = []
        for (path, value) in overrides {
            let override = try Override(path: path, value: value)
            root = try override.applied(to: root)
            applied.append(override.text)
        }
        let decoder = ScenarioDecoder(files: files, mistakes: mistakes)
        let scenario = try decoder.scenario(root, path: path, text: text, overrides: applied)
        try mistakes.check()
        return scenario!
    }
}

/// What a scenario says of the relay and its clock, whatever it is then put through.
package struct ScenarioBase: Sendable {
    package var relay: RelaySpec
    /// Seconds of the scenario in one of ours; infinite where the clock is stepped to the end.
    package var pace: Double
    /// It says itself how long the relay may be busy with what was under way (`Scenario.inFlightGrace`).
    package var saysGrace = false
    /// It names defects that it turns red by itself (`Scenario.convicts`).
    package var convicts = false
    /// How many times as fast as the host's its clock runs, where it is not stepped.
    package var clockScale = 1.0
    package var isStepped: Bool { pace == .infinity }
    /// What the relay can share, or does.
    package var sharedClock: SharedClock {
        isStepped ? .stepped : relay.clock == .none && clockScale != 1 ? .scaled : relay.clock
    }

    /// Reads a scenario's file, which may have nothing but `relay`; nil where it has none, such as a profile's. Found as
    /// `Scenario.load` finds files.
    package static func load(
        path: String, overrides: [(path: String, value: String)] = [], searchPath: [String] = []
    ) throws(Failure) -> (base: ScenarioBase?, path: String) {
        let source = try FileFinder(folders: [""] + searchPath).read(path)
        return (
            try parse(text: source.text, path: source.path, overrides: overrides, searchPath: searchPath), source.path
        )
    }

    /// As `load`, with the text at hand.
    package static func parse(
        text: String, path: String, overrides: [(path: String, value: String)] = [], searchPath: [String] = []
    ) throws(Failure) -> ScenarioBase? {
        let files = FileFinder(folders: [FileFinder.folder(of: path)] + searchPath)
        let mistakes = Mistakes()
        var root = try Extension.scenario(text, path, files, mistakes)
        guard let named = root["relay"] else { return nil }
        for (path, value) in overrides { root = try Override(path: path, value: value).applied(to: root) }
        let relay = try RelayDecoder(files: files, mistakes: mistakes).relay(root["relay"] ?? named)
        try mistakes.check()
        guard let relay else { return nil }
        let scale = root["clockScale"]?.plainValue?.double ?? 1
        let isStepped = root["clock"]?.plainValue?.string == ClockKind.stepped.rawValue && root["steppedUntil"] == nil
        return ScenarioBase(
            relay: relay, pace: isStepped ? .infinity : max(scale, 0.001), saysGrace: root["inFlightGrace"] != nil,
            convicts: root["convicts"] != nil, clockScale: isStepped ? 1 : scale)
    }
}

extension Profile {
    /// Reads a profile by itself, found as `Scenario.load` finds files.
    package static func load(path: String, searchPath: [String] = []) throws(Failure) -> Profile {
        let files = FileFinder(folders: [""] + searchPath)
        let source = try files.read(path)
        let mistakes = Mistakes()
        let node = try YAMLNode.parse(text: source.text, file: source.path)
        let profile = try ProfileDecoder(files: files, mistakes: mistakes)
            .profile(node, fallbackName: FileFinder.stem(of: source.path))
        try mistakes.check()
        return profile!
    }
}

// What all cases of a check extend: the user's scenario, or one made of a profile and the command line.

import Basics
import Cases
import OperatingSystem
import Scenarios

/// The file that says how the relay is reached, and what was read from it.
struct CheckBase {
    /// Absolute.
    let path: String
    /// Is to stand there; nil: it is the user's own.
    let text: String?
    /// What it says of the relay and the clock.
    let scenario: ScenarioBase
    var relay: RelaySpec { scenario.relay }

    /// As the file is, or is to be.
    func source() throws(Failure) -> SourceText {
        if let text { return SourceText(path: path, text: text) }
        return SourceText(path: path, text: try Self.read(path))
    }

    static func read(_ path: String) throws(Failure) -> String {
        do {
            return String(decoding: try FileSystem.start(of: path, count: 1 << 20), as: UTF8.self)
        } catch {
            throw Failure(.usage, "cannot read `\(path)`: \(error.words)", hint: "check the path")
        }
    }

    /// `directory` is where the report goes; nothing is written yet.
    init(_ options: CheckOptions, directory: String) throws(Failure) {
        let (base, place) = try ScenarioBase.load(
            path: options.path, overrides: options.overrides, searchPath: ScenarioFolders.all)
        let found = FileSystem.absolute(place) ?? place
        guard let base else {
            path = directory + "/base.yaml"
            let text = try Self.text(options, profile: found)
            guard let base = try ScenarioBase.parse(text: text, path: path, overrides: options.overrides) else {
                preconditionFailure("a base has a relay")
            }
            (self.text, scenario) = (text, base)
            return
        }
        let flags = [
            ("--relay", options.relayURL != nil), ("a command behind --", !options.launch.isEmpty),
            ("--mock-address", options.mockAddress != nil), ("--mock-state", options.mockState != nil),
        ]
        if let flag = flags.first(where: \.1)?.0 {
            throw Failure(
                .usage, "\(options.path) is a scenario, and says itself how the relay is reached: \(flag) goes with a profile",
                hint: "leave it out, or write --set relay.url=…")
        }
        (path, text, scenario) = (found, nil, base)
    }

    /// Writes the file that all cases extend, unless it is there.
    func write() throws(Failure) {
        guard let text else { return }
        try FileSystem.write(text, to: path)
    }

    private static func text(_ options: CheckOptions, profile: String) throws(Failure) -> String {
        guard options.relayURL != nil || !options.launch.isEmpty else {
            throw Failure(
                .usage, "\(options.path) is a profile, and does not say where the relay is",
                hint: "add --relay http://127.0.0.1:8787, or -- and the command that launches it; or name a scenario")
        }
        guard options.relayURL == nil || !options.launch.isEmpty || options.mockAddress != nil
            || options.mock != nil
        else {
            throw Failure(
                .usage, "a relay that runs already has to find the mock where it looks for APNs",
                hint: "add --mock DIR of a mock that is up, or --mock-address 127.0.0.1:2197 and --mock-state DIR")
        }
        if let url = options.relayURL, !url.hasPrefix("http://"), !url.hasPrefix("https://") {
            throw Failure(.usage, "--relay is no URL: `\(url)`", hint: "such as --relay http://127.0.0.1:8787")
        }
        var relay = ["profile: \(quoted(profile))"]
        if let url = options.relayURL { relay.append("url: \(quoted(url))") }
        if !options.launch.isEmpty { relay.append("launch: [\(options.launch.map(quoted).joined(separator: ", "))]") }
        var mock: [String] = []
        if let address = options.mockAddress { mock.append("apns: \(quoted(address))") }
        if let state = options.mockState { mock.append("state: \(quoted(FileSystem.absolute(state) ?? state))") }
        return "# Made by `\(options.command.filter { $0 != "\n" })`.\n\nrelay:\n"
            + relay.map { "  \($0)\n" }.joined()
            + (mock.isEmpty ? "" : "\nmock:\n" + mock.map { "  \($0)\n" }.joined())
            + "\n# Test machines are busy; a scheduler's time slice is not our own slowness yet.\nlatenessBudget: 100ms\n"
    }

    static func quoted(_ text: String) -> String { JSONValue.string(text).text }
}

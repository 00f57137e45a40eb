// Files that people write: YAML, and scenarios, profiles and session scripts in it.

import Basics
@testable import Scenarios
import YAML

final class YAMLEater: FuzzEater {
    private let limits = YAMLLimits(bytes: 8_192, nodes: 500, depth: 8)

    func eat(_ input: Span<UInt8>) throws(Violation) {
        let text = input.text
        do throws(Failure) {
            let root = try YAMLNode.parse(text: text, file: "input.yaml", limits: limits)
            var nodes = 0
            Self.visit(root, &nodes)
            _ = root.json.encoded()
            if nodes > limits.nodes { throw Failure(.run, "\(nodes) nodes") }
        } catch {
            try hold(error.kind == .usage, "a text was accepted beyond its limits: \(error)")
            try hold(error.place != nil && !error.message.isEmpty, "a mistake without place or message: \(error)")
        }
    }

    private static func visit(_ node: YAMLNode, _ nodes: inout Int) {
        nodes += 1
        switch node.content {
        case .scalar: _ = node.plainValue
        case .sequence(let items): for item in items { visit(item, &nodes) }
        case .mapping(let entries): for entry in entries { visit(entry.value, &nodes) }
        }
    }
}

/// First byte: what the rest is: a scenario, one with an override (a line of its own), a profile, a session script.
final class ScenarioEater: FuzzEater {
    private let folder: String
    private let profile: Profile

    init() throws {
        let parts = #filePath.split(separator: "/").dropLast(4)
        folder = "/" + parts.joined(separator: "/") + "/Scenarios"
        profile = try Profile.load(path: "relays/opencode.yaml", searchPath: [folder])
    }

    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let kind = choices.byte() % 4
        var text = String(decoding: choices.remainder(), as: UTF8.self)
        do throws(Failure) {
            switch kind {
            case 0, 1:
                var overrides: [(path: String, value: String)] = []
                if kind == 1 {
                    let line = text.prefix { $0 != "\n" }
                    text = String(text.dropFirst(line.count + 1))
                    let path = line.prefix { $0 != "=" }
                    overrides = [(String(path), String(line.dropFirst(path.count + 1)))]
                }
                let scenario = try Scenario.parse(
                    text: text, path: folder + "/input.yaml", overrides: overrides, searchPath: [folder])
                if scenario.clockScale <= 0 { throw Failure(.run, "a clock scale of \(scenario.clockScale)") }
            case 2:
                let mistakes = Mistakes()
                let node = try YAMLNode.parse(text: text, file: "input.yaml")
                let profile = try ProfileDecoder(files: FileFinder(known: []), mistakes: mistakes)
                    .profile(node, fallbackName: "input")
                try mistakes.check()
                if profile == nil { throw Failure(.run, "neither a profile nor a mistake") }
            default:
                let mistakes = Mistakes()
                let node = try YAMLNode.parse(text: text, file: "input.yaml")
                let script = SessionDecoder(profile: profile, mistakes: mistakes)
                    .script(node, with: [], fallbackName: "input")
                try mistakes.check()
                if script == nil { throw Failure(.run, "neither a script nor a mistake") }
            }
        } catch {
            try hold(error.kind == .usage && !error.message.isEmpty, "\(error)")
        }
    }
}

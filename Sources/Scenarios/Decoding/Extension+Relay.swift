// `relayFrom`: a scenario that is played with the relay of another one.

import Basics
import YAML

extension Extension {
    /// Of another scenario's `mock`: where it listens, what it knows and its keys. The rest is the history's.
    private static let mockKeys: Set<String> = ["loops", "topics", "state", "apns", "sandbox", "admin", "names"]
    /// Of a scenario: what belongs to the relay and its machine.
    private static let relayKeys: Set<String> = ["latenessBudget", "inFlightGrace", "knownFailing"]

    /// A scenario with what it extends, and with the relay that it is to be played with.
    static func scenario(
        _ text: String, _ path: String, _ files: FileFinder, _ mistakes: Mistakes
    ) throws(Failure) -> YAMLNode {
        let own = try YAMLNode.parse(text: text, file: path)
        let whole = try Extension.scenario.applied(to: own, files, mistakes)
        guard case .mapping(let entries) = whole.content, let named = whole["relayFrom"] else { return whole }
        let rest = entries.filter { $0.key != "relayFrom" }
        guard case .scalar(let name, _) = named.content, !name.isEmpty else {
            mistakes.add(
                "`relayFrom` must be the name of a scenario, not \(named.kindInWords)",
                hint: "such as `relayFrom: mine.yaml`", at: named.place)
            return YAMLNode(.mapping(rest), at: whole.place)
        }
        let other: YAMLNode
        do throws(Failure) {
            let source = try files.read(name, namedIn: named.place.file)
            let parsed = try YAMLNode.parse(text: source.text, file: source.path)
            other = try Extension.scenario.applied(to: parsed, files, mistakes)
        } catch {
            var mistake = error
            if mistake.place == nil { mistake.place = named.place.description }
            throw mistake
        }
        guard let relay = other["relay"] else {
            mistakes.add("`\(name)` has no `relay`", hint: "name a scenario that says how it is reached", at: named.place)
            return YAMLNode(.mapping(rest), at: whole.place)
        }
        return YAMLNode(.mapping(lend(relay, of: other, to: rest, own["relay"])), at: whole.place)
    }

    /// `mine`: of the relay, what the file itself says, and none that it extends.
    private static func lend(
        _ relay: YAMLNode, of other: YAMLNode, to entries: [YAMLEntry], _ mine: YAMLNode?
    ) -> [YAMLEntry] {
        var result = entries.filter { entry in
            !["relay", "mock"].contains(entry.key) && !(relayKeys.contains(entry.key) && other[entry.key] != nil)
        }
        let restarts = members(entries, "relay").filter { $0.key == "restarts" }
        let own = mine?.members ?? []
        let lent = relay.members.filter { member in member.key != "restarts" && !own.contains { $0.key == member.key } }
        let missing = restarts.filter { _ in !own.contains { $0.key == "restarts" } }
        result.append(entry("relay", YAMLNode(.mapping(own + lent + missing), at: relay.place)))
        let theirs = other["mock"]?.members ?? []
        let kept = members(entries, "mock").filter { !mockKeys.contains($0.key) }
        let mock = kept + theirs.filter { member in !kept.contains { $0.key == member.key } }
        if !mock.isEmpty {
            result.append(entry("mock", YAMLNode(.mapping(mock), at: other["mock"]?.place ?? relay.place)))
        }
        // Rows are what a relay's calls are made of, such as the users that it knows.
        let feeders = members(other.members, "workload").filter { $0.key == "feeders" }
        if !feeders.isEmpty, let place = result.firstIndex(where: { $0.key == "workload" }),
            case .mapping(let own) = result[place].value.content, result[place].value["feeders"] == nil
        {
            result[place].value.content = .mapping(own + feeders)
        }
        guard case .mapping(let all) = other.content else { return result }
        return result + all.filter { relayKeys.contains($0.key) }
    }

    private static func members(_ entries: [YAMLEntry], _ key: String) -> [YAMLEntry] {
        entries.first { $0.key == key }?.value.members ?? []
    }

    private static func entry(_ key: String, _ value: YAMLNode) -> YAMLEntry {
        YAMLEntry(key: key, keyPlace: value.place, value: value)
    }
}

extension YAMLNode {
    fileprivate var members: [YAMLEntry] {
        if case .mapping(let members) = content { members } else { [] }
    }
}

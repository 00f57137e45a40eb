// What stands in a relay's pushes as its calls said it: found by looking for each value of a push in the call that it is of.

import Basics
import Journal
import Pushes

struct LearnedPasses {
    struct Row: Hashable {
        var channel: String
        var event: ActivityEvent?
        var at: String
        var from: String

        var order: (String, String, String) { (channel, event?.word.description ?? "", at) }
    }

    private struct Pair: Hashable {
        var at: String
        var from: String

        var hasOneKey: Bool { at.split(separator: "/").last == from.split(separator: "/").last }
    }

    /// By channel and event, what held of each push so far, with the number of pushes, and what their calls said.
    private var found: [Key: [Pair: Int]] = [:]
    private var said: [Key: Set<String>] = [:]

    private struct Key: Hashable {
        var channel: String
        var event: ActivityEvent?
    }

    /// Pushes of a kind from which something is learned, at least.
    private static let fewest = 2
    /// What Apple asks of a push, whatever a call says.
    private static let apples: Set<String> = ["/aps/event", "/aps/timestamp"]
    /// What is shorter may stand at two places by chance.
    private static let shortest = 4

    mutating func learn(_ played: PlayedCalls) {
        for call in played.calls {
            guard let said = call.body else { continue }
            let values = said.nodes
            for push in played.pushes(of: call) where push.status == 200 {
                guard let payload = try? JSONValue(parsing: String(decoding: push.payload, as: UTF8.self)) else { continue }
                let kind = TourProbe.push(push)
                learn(payload.nodes, values, Key(channel: kind.channel, event: kind.event))
            }
        }
    }

    private mutating func learn(
        _ shown: [(pointer: String, value: JSONValue)], _ said: [(pointer: String, value: JSONValue)], _ key: Key
    ) {
        let pointers = Dictionary(grouping: said, by: \.value).mapValues { $0.map(\.pointer) }
        let known = Set(said.map(\.pointer))
        var pairs: Set<Pair> = []
        for node in shown where !node.pointer.isEmpty && !Self.apples.contains(node.pointer) {
            for from in pointers[node.value] ?? [] where !from.isEmpty {
                let pair = Pair(at: node.pointer, from: from)
                if pair.hasOneKey || node.value.isTelling(Self.shortest) { pairs.insert(pair) }
            }
        }
        // What a call does not say it does not contradict.
        for (pair, count) in found[key] ?? [:] where known.contains(pair.from) {
            found[key]![pair] = pairs.contains(pair) ? count + 1 : nil
        }
        for pair in pairs where !self.said[key, default: []].contains(pair.from) { found[key, default: [:]][pair] = 1 }
        self.said[key, default: []].formUnion(known)
    }

    /// Those that stand for themselves, the greatest first.
    var rows: [Row] {
        var rows: [Row] = []
        for (key, pairs) in found {
            let sure = pairs.filter { $0.value >= Self.fewest }.keys
            for (at, own) in Dictionary(grouping: sure, by: \.at) {
                guard let pair = own.min(by: { Self.isLikelier($0, $1) }) else { continue }
                rows.append(Row(channel: key.channel, event: key.event, at: at, from: pair.from))
            }
        }
        let all = Set(rows)
        return rows.filter { row in
            var parent = row
            parent.at = String(row.at[..<row.at.lastIndex(of: "/")!])
            parent.from = String(row.from[..<row.from.lastIndex(of: "/")!])
            return !all.contains(parent) || !Pair(at: row.at, from: row.from).hasOneKey
        }.sorted { $0.order < $1.order }
    }

    /// By the same key, then by the shorter way.
    private static func isLikelier(_ one: Pair, _ other: Pair) -> Bool {
        func rank(_ pair: Pair) -> (Int, Int, String) {
            (pair.hasOneKey ? 0 : 1, pair.from.utf8.count, pair.from)
        }
        return rank(one) < rank(other)
    }
}

extension JSONValue {
    /// What stands elsewhere is not there by chance.
    fileprivate func isTelling(_ shortest: Int) -> Bool {
        switch self {
        case .string(let text): text.utf8.count >= shortest
        case .object(let object): object.count > 1
        case .array(let items): items.count > 1
        case .null, .bool, .integer, .number: false
        }
    }
}

// Fifty rules drawn at random from the vocabulary meet the same pushes in every replay, whatever the order of arrival and
// however many threads ask.

import APNs
import Basics
import Faults
import Pushes
import Synchronization
import Testing

/// Rules as a dice throws them. Only what does not depend on the clock or on which connection a push takes.
struct RuleDice {
    var generator: Generator
    let tokens: [String]
    let topics: [String]

    init(seed: UInt64, tokens: [String], topics: [String]) {
        generator = Seed(seed).generator()
        self.tokens = tokens
        self.topics = topics
    }

    private mutating func pick<T>(_ items: [T]) -> T { items[Int(generator.next() % UInt64(items.count))] }

    /// Every criterion in one of three rules or so; the share keeps rules from taking all pushes from those behind them.
    mutating func rule(_ number: Int, actions: [String]) throws -> FaultRule {
        var match: JSONObject = ["fraction": .number(0.02 + 0.1 * generator.unit())]
        if generator.unit() < 0.3 { match["tokenFraction"] = .number(0.3 + 0.7 * generator.unit()) }
        if generator.unit() < 0.2 { match["token"] = .string(pick(tokens)) }
        if generator.unit() < 0.2 { match["tokens"] = .array((0..<5).map { _ in .string(pick(tokens)) }) }
        if generator.unit() < 0.3 { match["topic"] = .string(pick(topics)) }
        if generator.unit() < 0.3 { match["pushType"] = pick(["alert", "background"]) }
        if generator.unit() < 0.3 { match["priority"] = pick([.integer(5), .integer(10)]) }
        if generator.unit() < 0.3 { match["nth"] = pick([3, ["from": 2, "to": 6], ["every": 2], ["from": 3]]) }
        var rule: JSONObject = ["id": .string("r\(number)"), "match": .object(match)]
        rule["action"] = try JSONValue(parsing: actions[number % actions.count])
        if generator.unit() < 0.3 {
            rule["times"] = pick([1, 2, 3])
            rule["per"] = "token"
        }
        if generator.unit() < 0.2 {
            rule["after"] = pick([1, 2])
            rule["per"] = "token"
        }
        return try FaultRule(json: .object(rule))
    }
}

@Suite struct FaultReplayTests {
    private struct Shot: Sendable {
        var token: Int
        var nth: UInt32
        var facts: PushFacts
        var topic: String
    }

    private let tokens = (0..<40).map { String(repeating: "0", count: 60) + String($0 + 1_000) }
    private let topics = ["com.example.app", "com.example.other"]
    private let actions = FaultVocabulary.words.filter { $0.kind == .action }.map {
        JSONValue.object([$0.name: (try? JSONValue(parsing: $0.example))?["action"]?[$0.name] ?? .null]).text
    }.filter { !$0.contains("refuse-tls") }

    /// Eight pushes to each of forty tokens, half of them with ids of their own.
    private var shots: [Shot] {
        tokens.indices.flatMap { token in
            (1...8).map { nth in
                var facts = PushFacts(apnsID: UUIDBytes(high: UInt64(token), low: UInt64(nth)))
                facts.apnsIDGiven = token % 2 == 0
                facts.tokenHash = Stage.hash(tokens[token])
                facts.pushType = nth % 3 == 0 ? .background : .alert
                facts.priority = nth % 3 == 0 ? 5 : 10
                return Shot(token: token, nth: UInt32(nth), facts: facts, topic: topics[token % 2])
            }
        }
    }

    /// By token and number: the rule and the delay.
    private func play(_ lanes: [[Shot]], seed: UInt64 = 1) throws -> [String: String] {
        let script = FaultScript(seed: Seed(seed))
        var dice = RuleDice(seed: 77, tokens: tokens, topics: topics)
        for number in 0..<50 { script.add(try dice.rule(number, actions: actions), now: Instant(nanoseconds: 1)) }
        let met = Mutex([String: String]())
        DispatchLanes.run(lanes.count) { lane in
            for shot in lanes[lane] {
                let firing = withBytes(of: shot.topic) {
                    script.firing(
                        for: FaultSubject(push: shot.facts, topic: $0, nthOfToken: shot.nth),
                        now: Instant(nanoseconds: 2))
                }
                guard let firing else { continue }
                met.withLock { $0["\(shot.token).\(shot.nth)"] = "\(firing.ruleID) \(firing.delay.nanoseconds)" }
            }
        }
        return met.withLock { $0 }
    }

    /// Tokens in another order; the pushes of each stay in theirs.
    private func shuffled(seed: UInt64) -> [Shot] {
        var generator = Seed(seed).generator()
        var queues = Dictionary(grouping: shots, by: \.token)
        var order: [Shot] = []
        while !queues.isEmpty {
            let token = queues.keys.sorted()[Int(generator.next() % UInt64(queues.count))]
            order.append(queues[token]!.removeFirst())
            if queues[token]!.isEmpty { queues[token] = nil }
        }
        return order
    }

    @Test("the same pushes meet the same faults twice, in any order, from one thread or four")
    func replay() throws {
        let first = try play([shots])
        #expect(60...280 ~= first.count, "\(first.count) of 320 pushes met a fault")
        #expect(Set(first.values.map { $0.split(separator: " ")[0] }).count >= 25)
        #expect(try play([shots]) == first)
        for seed in 1...5 as ClosedRange<UInt64> { #expect(try play([shuffled(seed: seed)]) == first) }
        let lanes = (0..<4).map { lane in shuffled(seed: 9).filter { $0.token % 4 == lane } }
        #expect(try play(lanes) == first)
        #expect(try play([shots], seed: 2) != first)
    }
}

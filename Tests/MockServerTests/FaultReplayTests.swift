// Fifty faults drawn at random, replayed over real connections: the same pushes meet the same faults with one loop and
// with four, and in whatever order they arrive.

import Basics
import EventLoop
import Journal
import MockServer
import Net
import Testing

@Suite struct FaultReplayTests {
    private static let tokens = (0..<24).map { String(repeating: "0", count: 60) + String($0 + 1_000) }
    private static let pushesPerToken = 5
    private static let lanes = 4

    /// What may be done to a push over and over in one test: nothing here waits for long.
    private static let actions = [
        #"{"respond":{"reason":"Unregistered"}}"#, #"{"respond":{"status":502,"body":"x"}}"#, #"{"delay":"1ms"}"#,
        #"{"delay":{"exponential":"1ms"}}"#, #"{"reset-stream":true}"#,
        #"{"reset-stream":{"code":"INTERNAL_ERROR","after":"headers"}}"#, #"{"goaway":"Shutdown"}"#,
        #"{"goaway":{"last":"before"}}"#, #"{"max-streams":100}"#, #"{"window":{"initial":1000}}"#, #"{"close":"clean"}"#,
        #"{"close":{"how":"reset","when":"half-answer"}}"#, #"{"close":"fin"}"#,
        #"{"raw":"empty-data"}"#, #"{"raw":"unknown-frame"}"#, #"{"raw":"spaced-body"}"#, #"{"raw":"bad-hpack"}"#,
        #"{"raw":"goaway-empty"}"#,
    ]

    /// Criteria and counts that do not ask which connection a push takes.
    private static func rules(_ generator: inout Generator) -> [String] {
        func pick(_ items: [String]) -> String { items[Int(generator.next() % UInt64(items.count))] }
        return (0..<50).map { number in
            var match = [#""fraction":\#(0.02 + 0.08 * generator.unit())"#]
            if generator.unit() < 0.3 { match.append(#""tokenFraction":\#(0.5 + 0.5 * generator.unit())"#) }
            if generator.unit() < 0.3 { match.append(#""nth":\#(pick(["2", #"{"every":2}"#, #"{"from":3}"#]))"#) }
            if generator.unit() < 0.2 { match.append(#""tokens":["\#(pick(tokens))","\#(pick(tokens))"]"#) }
            let life = pick(["", "", #","times":1,"per":"token""#, #","after":1,"per":"token""#])
            let action = actions[number % actions.count]
            return #"{"id":"r\#(number)","match":{\#(match.joined(separator: ","))},"action":\#(action)\#(life)}"#
        }
    }

    private static func id(_ token: Int, _ push: Int) -> String {
        let digits = String(1_000_000_000_00 + token * 100 + push)
        return "eabeae54-14a8-11e5-b60b-" + digits
    }

    /// The fault and the action that each push met, by its apns-id.
    private func play(loops: Int, order seed: UInt64, ids: Bool) throws -> [String: String] {
        var met: [String: String] = [:]
        try withMock({ $0.loops = loops }) { mock in
            var generator = Seed(5).generator()
            for rule in Self.rules(&generator) { try mock.fault(rule) }
            var shuffle = Seed(seed).generator()
            let order = Self.tokens.indices.map { ($0, shuffle.next()) }.sorted { $0.1 < $1.1 }.map(\.0)
            // Four providers at once, each with its share of the tokens; a token's pushes go one after the other.
            let clients = try (0..<Self.lanes).map { _ in try mock.provider() }
            for push in 0..<Self.pushesPerToken {
                for start in stride(from: 0, to: order.count, by: Self.lanes) {
                    let waiting = (0..<Self.lanes).map { lane in
                        let token = order[start + lane]
                        let more = ids ? [("apns-id", Self.id(token, push))] : []
                        return clients[lane].send(
                            "POST", "/3/device/" + Self.tokens[token], mock.fields(more), body: alert, timeout: .seconds(2))
                    }
                    for outcome in waiting { _ = outcome.take() }
                }
            }
            var numbers: [String: Int] = [:]
            for push in try mock.journal() {
                numbers[push.token, default: 0] += 1
                let name = "\(push.token).\(numbers[push.token]!)"
                met[name] = "\(push.faultRule) \(push.faultAction) \(push.status)"
            }
        }
        return met
    }

    @Test(arguments: [true, false])
    func `meets the same pushes with the same faults, whatever the loops and the order`(ids: Bool) throws {
        let first = try play(loops: 1, order: 1, ids: ids)
        #expect(first.count == Self.tokens.count * Self.pushesPerToken)
        let faulted = first.values.filter { !$0.hasPrefix("0 ") }
        #expect(faulted.count > 40 && Set(faulted.map { $0.split(separator: " ")[1] }).count >= 7)
        #expect(try play(loops: 1, order: 1, ids: ids) == first)
        #expect(try play(loops: 4, order: 1, ids: ids) == first)
        #expect(try play(loops: 4, order: 2, ids: ids) == first)
    }
}

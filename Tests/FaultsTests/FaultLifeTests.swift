// How long rules live, how they count, and what heals them.

import APNs
import Basics
import Faults
import Pushes
import Testing

@Suite struct FaultLifeTests {
    private let a = String(repeating: "a", count: 64)
    private let b = String(repeating: "b", count: 64)

    // MARK: criteria

    @Test("a set of tokens, an environment, places in a row")
    func criteria() {
        let stage = Stage(FaultRule(match: FaultMatch(tokens: [a.uppercased(), "ab"]), action: .silence))
        #expect(stage.fires())
        stage.token = b
        #expect(!stage.fires())
        let sandbox = Stage(FaultRule(match: FaultMatch(environment: .sandbox), action: .silence))
        #expect(!sandbox.fires())
        #expect(sandbox.firing(caller: sandbox.caller(1, .sandbox)) != nil)
        let third = Stage(FaultRule(match: FaultMatch(nthOfConnection: 3), action: .silence))
        #expect((1...4).map { third.firing(nthOfConnection: $0) != nil } == [false, false, true, false])
        let second = Stage(FaultRule(match: FaultMatch(connection: 2), action: .silence))
        #expect((1...3).map { second.firing(caller: second.caller($0)) != nil } == [false, true, false])
    }

    @Test("the nth is one, a range, or every kth")
    func ordinals() {
        func met(_ nth: Ordinals) -> [UInt64] { (1...12).filter { nth.contains($0) } }
        #expect(met(4) == [4])
        #expect(met(Ordinals(from: 3, to: 5)) == [3, 4, 5])
        #expect(met(Ordinals(from: 11, to: nil)) == [11, 12])
        #expect(met(Ordinals(from: 5, to: nil, every: 5)) == [5, 10])
        #expect(met(Ordinals(from: 2, to: 9, every: 3)) == [2, 5, 8])
    }

    @Test("a share of connections is drawn once for each")
    func connectionFraction() {
        let stage = Stage(FaultRule(id: "x", match: FaultMatch(connectionFraction: 0.5), action: .silence))
        let met = (1...400).map { stage.firing(caller: stage.caller($0)) != nil }
        #expect(150...250 ~= met.count { $0 })
        #expect((1...400).map { stage.firing(nth: 9, caller: stage.caller($0)) != nil } == met)
    }

    // MARK: counting

    @Test("times and after count for each token by itself, in whatever order they come")
    func perToken() {
        let stage = Stage(FaultRule(action: .silence, times: 2, after: 1, per: .token))
        var fires: [String: [Bool]] = [:]
        for token in [a, b, b, a, b, a, a, b] {
            stage.token = token
            fires[token, default: []].append(stage.fires())
        }
        #expect(fires == [a: [false, true, true, false], b: [false, true, true, false]])
        #expect(stage.script.rules[0].fired == 4 && stage.script.rules[0].matched == 8)
    }

    @Test("times counts for each connection by itself")
    func perConnection() {
        let stage = Stage(FaultRule(action: .silence, times: 1, per: .connection))
        #expect([1, 2, 1, 2, 3].map { stage.firing(caller: stage.caller($0)) != nil } == [true, true, false, false, true])
    }

    @Test("a thousand tokens keep their counts apart")
    func manyTokens() {
        let stage = Stage(FaultRule(action: .silence, times: 1, per: .token))
        func round() -> Int {
            (0..<1_000).count { number in
                stage.token = String(repeating: "0", count: 60) + String(number + 1_000)
                return stage.fires()
            }
        }
        #expect(round() == 1_000)
        #expect(round() == 0)
    }

    @Test("a quota lets so many pass in each interval and refuses the rest")
    func quota() {
        let stage = Stage(FaultRule(action: .silence, after: 2, per: .token, renew: .seconds(1)))
        #expect((0..<4).map { _ in stage.fires() } == [false, false, true, true])
        stage.time.advance(by: .seconds(1))
        #expect((0..<3).map { _ in stage.fires() } == [false, false, true])
    }

    @Test("times that begin anew in each interval spend no rule", arguments: FaultScope.allCases)
    func renewed(per: FaultScope) {
        let stage = Stage(FaultRule(action: .silence, times: 2, per: per, renew: .seconds(1)))
        for _ in 0..<3 {
            #expect((0..<3).map { _ in stage.fires() } == [true, true, false])
            stage.time.advance(by: .seconds(1))
        }
        #expect(stage.script.rules[0].fired == 6)
    }

    @Test("intervals are counted from the moment the rule takes effect")
    func renewedFromBegin() {
        let stage = Stage(FaultRule(action: .silence, times: 1, at: .milliseconds(600), renew: .seconds(1)))
        let met = (0..<8).map { _ in
            defer { stage.time.advance(by: .milliseconds(400)) }
            return stage.fires()
        }
        // At 0.8, 1.2 | 1.6, 2.0, 2.4 | 2.8 seconds.
        #expect(met == [false, false, true, false, true, false, false, true])
    }

    @Test("windows open and close from the moment the rule takes effect")
    func windows() {
        func seen(_ windows: FaultWindows) -> [Bool] {
            let stage = Stage(FaultRule(action: .silence, at: .seconds(2), windows: windows))
            return (0..<10).map { _ in
                defer { stage.time.advance(by: .seconds(1)) }
                return stage.fires()
            }
        }
        #expect(
            seen(.periodic(every: .seconds(4), duration: .seconds(1)))
                == [false, false, true, false, false, false, true, false, false, false])
        #expect(
            seen(.listed([.seconds(1) ..< .seconds(3), .seconds(5) ..< .seconds(6)]))
                == [false, false, false, true, true, false, false, true, false, false])
    }

    @Test("a rule whose time to live is over is gone, fired or not")
    func timeToLive() {
        let stage = Stage(FaultRule(action: .silence, timeToLive: .seconds(5)), FaultRule(action: .silence, times: 1))
        #expect(stage.firing()?.ruleID == 1)
        stage.time.advance(by: .seconds(5))
        stage.script.removeExpired(now: stage.time.now())
        #expect(stage.script.rules.map(\.number) == [2])
        #expect(stage.firing()?.ruleID == 2)
        let lonely = Stage(FaultRule(action: .silence, timeToLive: .seconds(5)))
        lonely.time.advance(by: .seconds(5))
        #expect(!lonely.fires())
        #expect(lonely.script.isEmpty, "the first question sweeps")
    }

    // MARK: healing

    @Test("a new connection heals: those open at the first firing stay ill")
    func newConnection() {
        let stage = Stage(FaultRule(match: FaultMatch(priority: 5), action: .silence, cure: .newConnection))
        let old = stage.caller(1)
        stage.time.advance(by: .seconds(1))
        let other = stage.caller(2)
        stage.time.advance(by: .seconds(1))
        stage.facts.priority = 5
        #expect(stage.firing(caller: old) != nil)
        stage.time.advance(by: .seconds(1))
        let new = stage.caller(3)
        #expect(stage.firing(caller: other) != nil && stage.firing(caller: old) != nil)
        #expect(stage.firing(caller: new) == nil)
        #expect(stage.script.rules[0].healed == 1 && stage.script.rules[0].fired == 3)
    }

    @Test("a new provider token heals")
    func newProviderToken() {
        let stage = Stage(FaultRule(action: .silence, cure: .newProviderToken))
        #expect([7, 7, 8, 7].map { stage.firing(credential: $0) != nil } == [true, true, false, true])
    }

    @Test("rest heals a token for good, and each token by itself")
    func quiet() {
        let stage = Stage(FaultRule(action: .silence, cure: .quiet(.seconds(10))))
        #expect(stage.fires())
        stage.time.advance(by: .seconds(9))
        #expect(stage.fires())
        stage.time.advance(by: .seconds(9))
        #expect(stage.fires(), "it was not left alone")
        stage.time.advance(by: .seconds(10))
        #expect(!stage.fires() && !stage.fires())
        stage.token = b
        #expect(stage.fires())
        stage.token = a
        #expect(!stage.fires())
    }

    @Test("rest heals nobody who was not ill yet")
    func quietBefore() {
        let stage = Stage(FaultRule(action: .silence, after: 1, cure: .quiet(.seconds(10))))
        stage.time.advance(by: .seconds(1))
        #expect(!stage.fires(), "let pass")
        stage.time.advance(by: .seconds(20))
        #expect(stage.fires())
        stage.time.advance(by: .seconds(10))
        #expect(!stage.fires())
    }

    @Test("who comes again has no rest, though the rule lets him pass")
    func quietLetPass() {
        let stage = Stage(FaultRule(action: .silence, times: 1, renew: .seconds(8), cure: .quiet(.seconds(10))))
        stage.time.advance(by: .seconds(1))
        #expect(stage.fires())
        stage.time.advance(by: .seconds(6))
        #expect(!stage.fires(), "once in eight seconds")
        stage.time.advance(by: .seconds(9))
        #expect(stage.fires())
        stage.time.advance(by: .seconds(10))
        #expect(!stage.fires())
    }

    // MARK: connections

    @Test("rules for connections are asked about connections only, and rules for pushes about pushes")
    func targets() {
        let stage = Stage(FaultRule(target: .connection, action: .goAway(GoAwayFault())), FaultRule(action: .silence))
        #expect(stage.script.hasPushRules && stage.script.hasConnectionRules)
        #expect(stage.firing()?.ruleID == 2)
        let caller = stage.caller(1)
        #expect(stage.script.firing(for: caller, beforeTLS: true, now: stage.time.now()) == nil)
        #expect(stage.script.firing(for: caller, beforeTLS: false, now: stage.time.now())?.ruleID == 1)
        let door = Stage(FaultRule(target: .connection, action: .refuseTLS(.reset), times: 1))
        #expect(!door.script.hasPushRules)
        #expect(door.script.firing(for: caller, beforeTLS: false, now: door.time.now()) == nil)
        #expect(door.script.firing(for: caller, beforeTLS: true, now: door.time.now()) != nil)
        #expect(door.script.firing(for: caller, beforeTLS: true, now: door.time.now()) == nil)
    }

    @Test("a door stays closed until nobody knocked for a while")
    func door() {
        let stage = Stage(FaultRule(target: .connection, action: .refuseTLS(.alert(40)), cure: .quiet(.seconds(5))))
        func opens(after wait: Double) -> Bool {
            stage.time.advance(by: .seconds(wait))
            return stage.script.firing(for: stage.caller(1), beforeTLS: true, now: stage.time.now()) == nil
        }
        #expect([0, 1, 4.9, 5, 0].map { opens(after: $0) } == [false, false, false, true, true])
    }
}

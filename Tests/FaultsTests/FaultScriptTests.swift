// Which pushes rules meet, how often, and that chance can be replayed.

import APNs
import Basics
import Faults
import Pushes
import Testing

/// A script, a clock, and pushes to it.
final class Stage {
    let script: FaultScript
    let time = ManualTime()
    var facts = PushFacts(apnsID: UUIDBytes(high: 1, low: 2))
    var topic = "com.example.app"

    init(seed: UInt64 = 1, _ rules: FaultRule...) {
        script = FaultScript(seed: Seed(seed))
        token = String(repeating: "a", count: 64)
        for rule in rules { script.add(rule, now: time.now()) }
    }

    var token: String {
        didSet { facts.tokenHash = Self.hash(token) }
    }

    static func hash(_ token: String) -> Hash128 { withBytes(of: token) { Hash128(hex: $0) } }

    func firing(
        nth: UInt32 = 1, nthOfConnection: UInt32 = 1, caller: FaultCaller? = nil, credential: UInt64 = 0
    ) -> Firing? {
        facts.tokenHash = Self.hash(token)
        return withBytes(of: topic) {
            script.firing(
                for: FaultSubject(
                    push: facts, topic: $0, nthOfToken: nth, nthOfConnection: nthOfConnection,
                    caller: caller ?? self.caller(1), credential: credential),
                now: time.now())
        }
    }

    /// A connection accepted now.
    func caller(_ number: UInt64, _ environment: PushEnvironment = .production) -> FaultCaller {
        FaultCaller(number: number, acceptedAt: time.now(), environment: environment)
    }

    func fires(nth: UInt32 = 1) -> Bool { firing(nth: nth) != nil }
}

@Suite struct FaultScriptTests {
    private func rule(_ match: FaultMatch = FaultMatch(), id: String = "") -> FaultRule {
        FaultRule(id: id, match: match, action: .silence)
    }

    // MARK: match

    @Test("no rules, no fault; an empty match meets every push")
    func all() {
        #expect(!Stage().fires())
        #expect(Stage(rule()).fires())
    }

    @Test("a token is met in either case, another is not")
    func token() {
        let stage = Stage(rule(FaultMatch(token: String(repeating: "A", count: 64))))
        #expect(stage.fires())
        stage.token = String(repeating: "b", count: 64)
        #expect(!stage.fires())
    }

    @Test("a push that says no type is what its topic says, else an alert, as for APNs")
    func noType() {
        for (topic, type) in [("com.example.app", PushType.alert), ("com.example.app.push-type.liveactivity", .liveactivity)] {
            let stage = Stage(rule(FaultMatch(pushType: type)))
            stage.topic = topic
            stage.facts.pushType = nil
            #expect(stage.fires())
            stage.facts.pushType = .background
            #expect(!stage.fires(), "its own word goes first")
        }
    }

    @Test("a bare bundle ID meets all topics of the app, a whole topic only itself")
    func topic() {
        let stage = Stage(rule(FaultMatch(topic: "com.example.app")))
        #expect(stage.fires())
        stage.topic = "com.example.app.push-type.liveactivity"
        #expect(stage.fires())
        stage.topic = "com.example.app2"
        #expect(!stage.fires())
        let narrow = Stage(rule(FaultMatch(topic: "com.example.app.voip")))
        #expect(!narrow.fires())
        narrow.topic = "com.example.app.voip"
        #expect(narrow.fires())
    }

    @Test("push type, event, priority and nth must all hold")
    func fields() {
        let match = FaultMatch(pushType: .liveactivity, event: .end, nth: 3, priority: 5)
        let stage = Stage(rule(match))
        stage.facts.pushType = .liveactivity
        stage.facts.activity = ActivityFacts()
        stage.facts.activity?.event = .end
        stage.facts.priority = 5
        #expect(stage.fires(nth: 3))
        #expect(!stage.fires(nth: 2))
        stage.facts.priority = 10
        #expect(!stage.fires(nth: 3))
        stage.facts.priority = 5
        stage.facts.activity?.event = .update
        #expect(!stage.fires(nth: 3))
        stage.facts.activity = nil
        #expect(!stage.fires(nth: 3))
        stage.facts.pushType = .alert
        #expect(!stage.fires(nth: 3))
    }

    // MARK: how often, and when

    @Test("times is how often a rule fires")
    func times() {
        let stage = Stage(FaultRule(action: .silence, times: 2))
        #expect((0..<4).map { _ in stage.fires() } == [true, true, false, false])
        #expect(stage.script.rules[0].fired == 2)
    }

    @Test("after lets matching pushes pass first, and only matching ones count")
    func after() {
        let stage = Stage(FaultRule(match: FaultMatch(priority: 10), action: .silence, times: 1, after: 2))
        stage.facts.priority = 5
        #expect(!stage.fires())
        stage.facts.priority = 10
        #expect((0..<4).map { _ in stage.fires() } == [false, false, true, false])
        #expect(stage.script.rules[0].matched == 3)
    }

    @Test("a rule takes effect after `at` and is over after `for`")
    func window() {
        let stage = Stage(FaultRule(action: .silence, duration: .seconds(10), at: .seconds(20)))
        var seen: [Bool] = []
        for _ in 0..<7 {
            seen.append(stage.fires())
            stage.time.advance(by: .seconds(5))
        }
        #expect(seen == [false, false, false, false, true, true, false])
    }

    @Test("the first rule that matches fires; when it is spent, the next")
    func order() {
        let stage = Stage(
            FaultRule(action: .silence, times: 1), FaultRule(action: .respond(Reason.shutdown.named, timestamp: nil)))
        #expect(stage.firing()?.action == .silence)
        #expect(stage.firing()?.action == .respond(Reason.shutdown.named, timestamp: nil))
        #expect(stage.firing()?.ruleID == 2)
    }

    // MARK: chance

    /// Which of 2,000 tokens are met, asked in that order.
    private func met(_ match: FaultMatch, seed: UInt64 = 1, tokens: [Int] = Array(0..<2000), id: String = "x") -> Set<
        Int
    > {
        let stage = Stage(seed: seed, rule(match, id: id))
        var met: Set<Int> = []
        for number in tokens {
            stage.token = String(repeating: "0", count: 60) + String(number + 1000)
            if stage.fires() { met.insert(number) }
        }
        return met
    }

    @Test("a fraction meets about that share of pushes, the same ones whatever the order of tokens")
    func fraction() {
        let first = met(FaultMatch(fraction: 0.1))
        #expect(150...250 ~= first.count)
        #expect(met(FaultMatch(fraction: 0.1), tokens: (0..<2000).reversed()) == first)
        #expect(met(FaultMatch(fraction: 0.1), seed: 2) != first)
        #expect(met(FaultMatch(fraction: 0.1), id: "y") != first)
        #expect(met(FaultMatch(fraction: 1)).count == 2000)
    }

    @Test("each push of a token is drawn anew, a token fraction once and for all")
    func tokenFraction() {
        let perPush = Stage(rule(FaultMatch(fraction: 0.5), id: "x"))
        #expect(Set((1...50).map { perPush.fires(nth: $0) }).count == 2)
        let perToken = Stage(rule(FaultMatch(tokenFraction: 0.5), id: "x"))
        #expect(Set((1...50).map { perToken.fires(nth: $0) }).count == 1)
        #expect(850...1150 ~= met(FaultMatch(tokenFraction: 0.5)).count)
    }

    @Test("a push with the client's own apns-id is drawn by it, not by its number")
    func clientID() {
        let stage = Stage(rule(FaultMatch(fraction: 0.5), id: "x"))
        stage.facts.apnsIDGiven = true
        #expect(Set((1...50).map { stage.fires(nth: $0) }).count == 1)
        var draws: Set<Bool> = []
        for number in 0..<50 {
            stage.facts.apnsID = UUIDBytes(high: 7, low: UInt64(number))
            draws.insert(stage.fires())
        }
        #expect(draws.count == 2)
    }

    @Test("a delay is drawn per push, within its bounds, and again the same")
    func delay() {
        func delays() -> [Interval] {
            let stage = Stage(FaultRule(id: "x", action: .delay(.uniform(0.01, 0.05))))
            return (1...100).map { stage.firing(nth: $0)!.delay }
        }
        let first = delays()
        #expect(first.allSatisfy { .milliseconds(10) <= $0 && $0 <= .milliseconds(50) })
        #expect(Set(first).count > 90)
        #expect(delays() == first)
        #expect(Stage(FaultRule(action: .delay(.constant(0.2)))).firing()?.delay == .milliseconds(200))
        #expect(Stage(rule()).firing()?.delay == .zero)
    }

    // MARK: the script

    @Test("rules get ids, are listed, replaced and removed")
    func book() {
        let stage = Stage(rule(), rule(id: "mine"))
        #expect(stage.script.rules.map(\.rule.id) == ["f1", "mine"])
        #expect(stage.script.id(of: 2) == "mine")
        #expect(stage.script.add(FaultRule(id: "mine", action: .silence, times: 1), now: stage.time.now()) == "mine")
        #expect(stage.script.rules.count == 2)
        #expect(stage.script.remove(id: "f1"))
        #expect(!stage.script.remove(id: "f1"))
        #expect(stage.script.id(of: 1) == "f1", "its pushes are still told by it")
        #expect(stage.script.id(of: 9) == nil)
        stage.script.removeAll()
        #expect(stage.script.isEmpty)
        #expect(!stage.fires())
    }

    @Test("of too many rules the spent ones go first, then the oldest")
    func bounded() {
        let stage = Stage()
        stage.script.add(rule(id: "old"), now: stage.time.now())
        stage.script.add(FaultRule(id: "spent", action: .silence, duration: .seconds(1)), now: stage.time.now())
        stage.time.advance(by: .seconds(2))
        for number in 2..<FaultScript.ruleLimit { stage.script.add(rule(id: "r\(number)"), now: stage.time.now()) }
        stage.script.add(rule(id: "new"), now: stage.time.now())
        #expect(stage.script.rules.count == FaultScript.ruleLimit)
        #expect(stage.script.rules[0].rule.id == "old")
        stage.script.add(rule(id: "newer"), now: stage.time.now())
        #expect(stage.script.rules.count == FaultScript.ruleLimit)
        #expect(stage.script.rules[0].rule.id == "r2")
    }
}

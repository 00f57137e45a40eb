// The judge against the oracle: what an honest relay could have done is never blamed, and what none could have done is, but for
// the kinds that stand in `Agreement.approximations`.

import Glibc
import Testing

/// What the two say of many histories.
struct Agreement: Sendable {
    private(set) var explicable = 0
    private(set) var breaches = 0
    /// Some of those, and what the oracle says of them.
    private(set) var examples: [String] = []
    /// Histories that are explicable and were blamed: a defect of the judge, each; the first of them, and how many.
    private(set) var blamed: [String] = []
    private(set) var blamedCount = 0
    /// Breaches that nothing was broken for, by kind, with an example of each.
    private(set) var missed: [String: (count: Int, example: String)] = [:]
    private static let mostExamples = 10

    /// Kinds of breaches that the judge passes over, and why.
    static let approximations = [
        // A relay that held both tokens when the first one's death came need not tell the second what went with it; and what was
        // refused at a token, and behind it something else, lets all that goes there rest. And who waits longer than the oracle
        // does, yet not longer than a state has time, may send the newest then.
        "state is overdue",
        "state is overdue, killed",
        // What a KILL took is asked of each rule by itself: a relay that pushes as if it had forgotten an answer, and was late as
        // if it knew it, is passed over.
        "a dead token, killed",
    ]

    mutating func add(_ tiny: Tiny) {
        let (breach, judged) = (Oracle(tiny).breach, Judged(tiny))
        guard let breach else {
            explicable += 1
            guard !judged.blames.isEmpty else { return }
            blamedCount += 1
            if blamed.count < Self.mostExamples { blamed.append("\(tiny): \(judged.blames)") }
            return
        }
        breaches += 1
        if examples.count < Self.mostExamples { examples.append("\(tiny): \(breach)") }
        guard judged.blames.isEmpty else { return }
        let words = breach.split(separator: " ").filter { Int($0) == nil }.joined(separator: " ")
        let kind = words + (tiny.outages.isEmpty ? "" : ", killed")
        missed[kind, default: (0, "\(tiny): \(breach)")].count += 1
    }

    mutating func add(_ other: Agreement) {
        explicable += other.explicable
        breaches += other.breaches
        examples = Array((examples + other.examples).prefix(Self.mostExamples))
        blamedCount += other.blamedCount
        blamed = Array((blamed + other.blamed).prefix(Self.mostExamples))
        missed.merge(other.missed) { ($0.count + $1.count, $0.example) }
    }

    /// Asserts what has to hold of them, and prints the figures where somebody asked for them.
    func check(prints: Bool) {
        if prints {
            print("\(explicable + breaches) histories: \(explicable) explicable, \(blamedCount) of them blamed; \(breaches) not")
            for (kind, miss) in missed.sorted(by: { $0.key < $1.key }) { print("  missed \(miss.count): \(kind), e.g. \(miss.example)") }
        }
        #expect(blamed.isEmpty)
        #expect(explicable > 0 && breaches > 0)
        let passed = missed.values.reduce(0) { $0 + $1.count }
        #expect(passed * 100 <= breaches, "99 in 100 are found")
        #expect(Set(missed.keys).isSubset(of: Self.approximations), "\(missed)")
    }
}

@Suite("The judge and the oracle")
struct OracleTests {
    /// `drawn` of how many, and whether `all` of the grid: set by script/oracle.
    private static let asked = getenv("PUSHRIG_ORACLE").map { String(cString: $0) }
    /// `script/test --all` draws more.
    private static let usual: UInt64 = getenv("PUSHRIG_TEST_ALL") == nil ? 5_000 : 20_000

    @Test("agree over histories that are drawn")
    func drawn() async {
        let count = UInt64(Self.asked ?? "") ?? Self.usual
        let sum = await withTaskGroup(of: Agreement.self) { group in
            let parts: UInt64 = 8
            for part in 0..<parts {
                group.addTask {
                    var sum = Agreement()
                    for seed in stride(from: part + 1, through: count, by: Int(parts)) {
                        var dice = Dice(seed)
                        sum.add(Tiny.draw(&dice))
                    }
                    return sum
                }
            }
            return await group.reduce(into: Agreement()) { $0.add($1) }
        }
        sum.check(prints: Self.asked != nil)
    }

    /// Drawn seldom, each blamed once: a pause that goes with the card to its next token, a state that comes late though a newer
    /// one was tried in its place, a new process's own refusals, and one that knows of no newer state.
    private static let explicable = [
        Tiny(told: [1, 3, 4], rotated: 5, faults: [4..<8], latestWins: false, pushes: [
            .init(second: 1, state: 0), .init(second: 3, state: 1), .init(second: 4, state: 2),
            .init(second: 7, state: 2, isSecondToken: true),
        ]),
        Tiny(told: [1, 2, 3], rotated: 5, faults: [3..<7], latestWins: false, pushes: [
            .init(second: 1, state: 0), .init(second: 3, state: 2), .init(second: 5, state: 1, isSecondToken: true),
            .init(second: 6, state: 2, isSecondToken: true), .init(second: 9, state: 1, isSecondToken: true),
        ]),
        Tiny(told: [2, 4], rotated: 5, faults: [2..<6], latestWins: true, pushes: [
            .init(second: 4, state: 1), .init(second: 5, state: 0, isSecondToken: true),
            .init(second: 5, state: 1, isSecondToken: true, offset: 600), .init(second: 9, state: 0, isSecondToken: true),
            .init(second: 9, state: 1, isSecondToken: true, offset: 600),
        ]),
        Tiny(told: [1, 2], dies: 3, faults: [2..<5], outages: [2...3], latestWins: false, pushes: [
            .init(second: 2, state: 1), .init(second: 4, state: 1), .init(second: 8, state: 0),
        ]),
        Tiny(told: [2, 4, 9], outages: [4...5, 9...10], latestWins: true, pushes: [
            .init(second: 4, state: 1), .init(second: 9, state: 2), .init(second: 12, state: 0),
        ]),
    ]

    @Test("agree that an honest relay could have made it", arguments: explicable)
    func agree(on tiny: Tiny) {
        #expect(Oracle(tiny).breach == nil)
        #expect(Judged(tiny).blames == [])
    }

    @Test("agree over walks of honest relays, as they are and with one breach")
    func walks() async {
        let count = UInt64(Self.asked ?? "") ?? Self.usual / 5
        let sums = await withTaskGroup(of: (Agreement, Agreement).self) { group in
            let parts: UInt64 = 8
            for part in 0..<parts {
                group.addTask {
                    var (honest, broken) = (Agreement(), Agreement())
                    for seed in stride(from: part + 1, through: count, by: Int(parts)) {
                        var dice = Dice(seed)
                        let walk = Tiny.walk(&dice)
                        honest.add(walk)
                        if let other = walk.broken(&dice) { broken.add(other) }
                    }
                    return (honest, broken)
                }
            }
            return await group.reduce(into: (Agreement(), Agreement())) { sum, part in
                sum.0.add(part.0)
                sum.1.add(part.1)
            }
        }
        #expect(sums.0.breaches == 0, "the oracle knows what an honest relay does: \(sums.0.examples)")
        #expect(sums.0.blamed.isEmpty && sums.0.explicable == Int(count))
        sums.1.check(prints: Self.asked != nil)
    }

    @Test("agree over all histories of a coarse grid: two or three states, two tokens, a death, a fault, a restart, three pushes",
        .enabled(if: asked == "all"))
    func exhaustive() async {
        let sum = await withTaskGroup(of: Agreement.self) { group in
            for script in Tiny.scripts {
                group.addTask {
                    var sum = Agreement()
                    script.forEachHistory { sum.add($0) }
                    return sum
                }
            }
            return await group.reduce(into: Agreement()) { $0.add($1) }
        }
        sum.check(prints: true)
    }
}

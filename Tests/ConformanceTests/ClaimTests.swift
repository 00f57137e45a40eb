// The table of claims as a whole: it is complete, each row says one thing, and names what exists.

import Conformance
import Testing

@Suite struct `The table of claims` {
    private static let ids = Claim.all.map(\.id)

    private func claim(_ id: String) throws -> Claim { try #require(Claim.all.first { $0.id == id }) }

    /// The fact sheets' own counts, and three of ours, from G23 on. A claim that is dropped or added without a thought shows here.
    @Test(
        arguments: zip(
            [.openCode, .busymate, .openCodeIOS, .sendora, .epilogue, .shared, .apns, .fcm] as [Claim.Chapter],
            [45, 26, 18, 38, 28, 28, 27, 25]))
    func `has every claim of a chapter once, in order`(chapter: Claim.Chapter, count: Int) {
        let dot = chapter.rawValue.hasPrefix("R") ? "." : ""
        #expect(chapter.claims.map(\.id) == (1...count).map { "\(chapter.rawValue)\(dot)\($0)" })
        #expect(chapter.claims.allSatisfy { $0.chapter == chapter })
    }

    @Test func `holds each id once`() {
        #expect(Set(Self.ids).count == Self.ids.count)
        #expect(Claim.Chapter.allCases.count == 8)
    }

    @Test func `is found by id in any case, and by nothing else`() {
        #expect(Claim.named("r0.9")?.id == "R0.9")
        #expect(Claim.named("R0.9")?.id == "R0.9")
        #expect(Claim.named("g7")?.id == "G7")
        #expect(Claim.named("R0.46") == nil)
        #expect(Claim.named("R0") == nil)
        #expect(Claim.named("") == nil)
    }

    @Test(arguments: ids)
    func `a claim is one sentence`(id: String) throws {
        let sentence = try claim(id).sentence
        #expect(sentence.hasSuffix(".") && !sentence.hasSuffix("..") && !sentence.hasPrefix(" "))
        let isSecond = sentence.matches(of: /[.!?]"? +["A-Z]/)
        #expect(isSecond.isEmpty, "\(sentence)")
        #expect((25...140).contains(sentence.count), "\(sentence.count)")
    }

    @Test(arguments: ids)
    func `a claim has either rules or the input that is missing for one`(id: String) throws {
        switch try claim(id).judgement {
        case .rules(let rules, let unseen):
            #expect(!rules.isEmpty && Set(rules).count == rules.count)
            if let unseen { #expect(unseen.hasSuffix(".") && unseen.count > 20) }
        case .missing(let input):
            #expect(input.hasSuffix(".") && input.count > 30)
            #expect(try claim(id).defects.isEmpty)
        }
    }

    /// What is missing is an input: a thing that no scenario causes or that no record holds. Our own effort is no reason.
    @Test(arguments: ids)
    func `no reason names an effort`(id: String) throws {
        let reason =
            switch try claim(id).judgement {
            case .rules(_, let unseen): unseen ?? ""
            case .missing(let input): input
            }
        let words = Set(reason.lowercased().split { !$0.isLetter }.map(String.init))
        let effort: Set = [
            "yet", "later", "todo", "future", "planning", "soon", "someday", "will", "effort", "difficult", "hard",
            "time",
            "implemented", "unimplemented", "written", "work", "postponed", "priority's",
        ]
        #expect(words.isDisjoint(with: effort), "\(reason)")
    }

    @Test(arguments: ids)
    func `a claim says what it rests on and whom it binds`(id: String) throws {
        let claim = try claim(id)
        #expect(claim.norm.count > 10 && !claim.norm.hasSuffix("."))
        #expect(!claim.systems.isEmpty && Set(claim.systems).count == claim.systems.count)
    }

    /// The reason of a must in the chapters G, P and F is a page or an RFC, by name.
    @Test func `a must of G, P or F names the page or RFC that states it`() {
        let sources = ["Apple, ", "Google, ", "RFC "]
        for claim in Claim.all where ["G", "P", "F"].contains(claim.chapter.rawValue) && claim.level == .must {
            #expect(sources.contains { claim.norm.contains($0) }, "\(claim.id): \(claim.norm)")
        }
    }

    @Test func `environment is what no relay can change, and nothing else`() {
        #expect(Claim.all.filter { $0.level == .environment }.map(\.id) == ["G8", "G16", "P25", "P26"])
    }

    @Test func `names rules that are in the book`() {
        let book = Set(RuleBook.all.map(\.id))
        let named = Set(Claim.all.flatMap(\.rules))
        #expect(named.subtracting(book).isEmpty)
    }

    /// A rule tells its principal claims itself; the table may name more.
    @Test(arguments: RuleBook.all.map(\.id))
    func `names every rule of the book for what it says it judges`(id: String) throws {
        let rule = try #require(RuleBook.all.first { $0.id == id })
        #expect(!rule.claims.isEmpty)
        #expect(Set(rule.claims).isSubset(of: Claim.judged(by: id).map(\.id)), "\(rule.claims)")
    }

    @Test func `tells what a rule judges and what a defect breaks`() {
        #expect(Claim.judged(by: "last-state-delivered").map(\.id).starts(with: ["R0.8", "R0.11", "R0.15"]))
        #expect(Claim.judged(by: "no-such-rule").isEmpty)
        #expect(Claim.broken(by: "retries-after-410").map(\.id) == ["R0.22", "P9"])
        #expect(Claim.broken(by: "no-such-defect").isEmpty)
    }

    @Test func `a claim that speaks to fewer relays than its chapter says so`() throws {
        #expect(try claim("P3").systems == [.apns])
        #expect(try claim("P22").systems == [.broadcasts])
        #expect(try claim("R3.7").systems == [.sendora])
    }

    /// What the chapters owe: so many claims judged, each by a rule that a defect shows to bite.
    @Test(arguments: zip([.openCode, .apns, .shared] as [Claim.Chapter], [25, 15, 10]))
    func `judges and proves a good part of a chapter`(chapter: Claim.Chapter, least: Int) {
        #expect(chapter.claims.filter { !$0.rules.isEmpty && !$0.defects.isEmpty }.count >= least)
    }
}

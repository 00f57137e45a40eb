// Claims, metrics and the words of a report, as `pushrig list` and `pushrig explain` tell them.

import Basics
import Conformance
import Foundation
import Metrics
import ReferenceRelay
import Scenarios
import Testing

@testable import Harness

@Suite struct `Words about claims and reports` {
    private func explain(_ name: String) throws -> [String] {
        try Knowledge.explain(name).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test(arguments: ["R0.9", "r0.9"])
    func `a claim is explained by level, sentence, norm, rule and defect`(name: String) throws {
        let lines = try explain(name)
        #expect(lines.count == 6 && lines.last == "")
        #expect(lines[0] == "R0.9: a claim on OpenCode's relay, should.")
        #expect(lines[1] == Claim.named("R0.9")?.sentence)
        #expect(lines[2].hasPrefix("Norm: "))
        #expect(lines[3] == "Judged by: throttle-per-session")
        #expect(lines[4] == "See it broken: `pushrig relay --defect shares-throttle`")
    }

    @Test func `a claim that nothing judges names what is missing`() throws {
        let lines = try explain("R3.16")
        #expect(lines[0].hasPrefix("R3.16: a claim on ") && lines[0].hasSuffix(", should."))
        #expect(lines[3].hasPrefix("Judged by no rule. What an app's breaker drops"))
        #expect(lines.count == 5)
    }

    @Test func `what a rule does not see of its claim is told`() throws {
        #expect(try explain("p24")[4].hasPrefix("Not seen: The PING: "))
    }

    @Test func `a rule is explained with its claims`() throws {
        let sentence = try #require(Claim.named("G22")?.sentence)
        let lines = try explain("Last-State-Delivered")
        #expect(lines[0] == "last-state-delivered: a rule, must.")
        #expect(lines[3].hasPrefix("If it is broken: ") && lines.contains("G22: \(sentence)"))
    }

    @Test(arguments: ["G7", "P13"])
    func `every chapter is explained`(id: String) throws {
        #expect(try Knowledge.explain(id).hasPrefix("\(id): a claim on "))
        #expect(try Knowledge.explain(id).contains("See it broken: "))
    }

    @Test func `an unknown claim names the nearest`() {
        let failure = #expect(throws: Failure.self) { try Knowledge.explain("R0.46") }
        #expect(failure?.hint?.hasPrefix("did you mean `R0.4") == true)
    }

    @Test func `a word that a report and a device use is explained twice`() throws {
        let text = try Knowledge.explain("superseded")
        #expect(text.hasPrefix("superseded, in a report: an expected push that was not accepted and need not be"))
        #expect(text.contains("superseded: what a device did with a push."))
        #expect(text.contains("superseded, in a gate: pushes that were superseded."))
    }

    @Test(
        arguments: [
            "delivered", "superseded", "late", "lost", "excused", "unsent", "undecided", "duplicated", "reordered",
            "unexpected", "misdirected", "altered", "staleness",
        ])
    func `each word of a report is explained`(word: String) throws {
        #expect(try Knowledge.explain(word).hasPrefix("\(word), in a report: "))
        #expect(try Knowledge.list("words").contains("\n\(word) ") || word == "delivered")
    }

    @Test func `every class of pushes is a word of the report`() throws {
        for deliveryClass in Metrics.DeliveryClass.allCases {
            #expect(try Knowledge.explain(deliveryClass.rawValue).contains(", in a report: "))
        }
    }

    @Test func `every metric that is listed is one, and has a unit`() throws {
        let lines = try Knowledge.list("metrics").split(separator: "\n").map(String.init)
        #expect(lines.count == GateMeasure.vocabulary.count)
        for (line, metric) in zip(lines, GateMeasure.vocabulary) {
            #expect(line.hasPrefix(metric.name + " ") && line.hasSuffix("; \(metric.measure.unitInWords)"))
            #expect(try GateMeasure(parsing: metric.name, kinds: []) == metric.measure)
        }
    }

    @Test func `every metric that is listed stands in the documentation`() throws {
        let page = try String(contentsOfFile: Place.root + "/docs/scenarios.md", encoding: .utf8)
        for metric in GateMeasure.vocabulary {
            if case .deliveries(_, _, isRate: true) = metric.measure { continue }
            #expect(page.contains("`\(metric.name)`"), "\(metric.name)")
        }
    }

    @Test func `a metric is explained, also that of one call`() throws {
        let lines = try explain("delivery.complete.p50")
        #expect(
            lines[0]
                == "delivery.complete.p50, in a gate: 50th percentile of the time from the planned instant of an event "
                + "to the first accepted arrival of its push, for the call `complete` alone.")
        #expect(lines[1] == "It is compared with a duration with its unit.")
    }

    @Test func `the table of claims names the defects that there are, each and no other`() {
        let defects = Set(Defect.allCases.map(\.rawValue))
        let named = Set(Claim.all.flatMap(\.defects))
        #expect(named.subtracting(defects).isEmpty)
        #expect(defects.subtracting(named).isEmpty)
        for defect in Defect.allCases {
            #expect(Claim.named(defect.claim)?.defects.contains(defect.rawValue) == true, "\(defect)")
        }
    }

    @Test func `a defect is explained with the claims that it breaks`() throws {
        let lines = try explain("shares-throttle")
        #expect(lines[0].hasSuffix("(`pushrig relay --defect shares-throttle`); it breaks R0.9."))
        #expect(lines[1] == "R0.9: \(Claim.named("R0.9")?.sentence ?? "")")
    }

    /// docs/claims.md counts the claims of each chapter, and those with a rule.
    @Test(arguments: Claim.Chapter.allCases)
    func `the documentation counts the claims of a chapter`(chapter: Claim.Chapter) throws {
        let page = try String(contentsOfFile: Place.root + "/docs/claims.md", encoding: .utf8)
        let judged = chapter.claims.filter { !$0.rules.isEmpty }.count
        let row = "| \(chapter.rawValue) | \(chapter.claims.count) | \(judged) | \(chapter.title) |"
        #expect(page.contains("\n\(row)\n"), "\(row)")
    }
}

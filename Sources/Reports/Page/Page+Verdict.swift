// The first thing on the page: the verdict, why, and the figures one is asked for.

import Basics
import Conformance
import Metrics
import Verdicts

extension ReportPage {
    var verdict: Markup {
        let exit = record.exit
        let reasons: Markup =
            exit.reasons.isEmpty ? "" : "<ul>\(exit.reasons.markup(reason))</ul>"
        return """
            <section class="verdict \(exit.tone.rawValue)" id="verdict" aria-label="Verdict">
            \(exit.tone.glyph)<div><h2>\(exit.heading)</h2><p>\(record.verdictSentence)</p>\(reasons)</div></section>
            \(tiles(keyFigures))
            """
    }

    /// Linked to where the page tells more of it.
    private func reason(_ text: String) -> Markup {
        guard let place = place(of: text) else { return "<li>\(text)</li>" }
        return "<li><a href=\"#\(place)\">\(text)</a></li>"
    }

    private func place(of reason: String) -> String? {
        if let rule = record.verdicts.first(where: { reason.contains($0.id + " ") }),
            !rule.verdict.findings.isEmpty || rule.standing == .healed
        {
            return RuleAnchor.id(rule.id)
        }
        if record.gates.contains(where: { reason.contains($0.text) }) { return "gates" }
        if record.soundness.contains(where: { !$0.passed && reason.contains($0.name) }) { return "own" }
        return reason.hasPrefix("the relay ") ? "errors" : nil
    }

    private var keyFigures: [Tile] {
        let c = record.correlation
        let lost = c.count(.lost)
        return [
            Tile(
                name: "Events sent", value: Numbers.count(c.sent), remark: "\(Numbers.count(c.answered)) answered"),
            Tile(
                name: "Pushes expected", value: Numbers.count(c.expected),
                remark: "\(Numbers.count(c.pushes)) requests reached the mock"),
            Tile(name: "Peak sessions", value: Numbers.count(c.peakSessions)),
            Tile(name: "Delivery, median", value: c.delivery.text(at: 50)),
            Tile(name: "Delivery, p99", value: c.delivery.text(at: 99), remark: "slowest \(c.delivery.text(at: 100))"),
            Tile(
                name: "Lost", value: Numbers.count(lost),
                remark: c.expected == 0 ? "" : "\(Numbers.share(lost, of: c.expected)) of those expected",
                tone: lost > 0 ? .bad : nil),
        ]
    }
}

/// Where on the page a rule stands.
enum RuleAnchor {
    static func id(_ rule: String) -> String { "rule-" + rule }
}

extension RunRecord {
    /// One sentence about gates and rules.
    var verdictSentence: String {
        let held = gates.count { $0.passed == true }
        let kept = verdicts.count { $0.standing == .kept }
        let failing = verdicts.count(where: \.standing.failsTheRun)
        let warnings = verdicts.count { $0.standing == .warning }
        let known = verdicts.count { $0.standing == .knownBroken }
        let outside = verdicts.count { $0.standing == .environment }
        let idle = verdicts.count { $0.standing == .notExercised }
        var parts = [gates.isEmpty ? "No gate was set" : "\(held) of \(gates.count) gates held"]
        var rules = "\(kept) of \(verdicts.count) rules were kept"
        if failing > 0 { rules += ", \(failing) broken" }
        if known > 0 { rules += ", \(known) known broken" }
        if outside > 0 { rules += ", \(outside) broken by the environment" }
        if warnings > 0 { rules += ", \(Numbers.count(warnings, "warning"))" }
        if idle > 0 { rules += ", \(idle) not exercised" }
        parts.append(verdicts.isEmpty ? "no rule was judged" : rules)
        return parts.joined(separator: "; ") + "." + (correlation.unseenSentence.map { " " + $0 } ?? "")
    }
}

extension Histogram {
    /// The latency at a percentile as text, or a dash when there is none.
    func text(at percentile: Double) -> String {
        count == 0 ? "–" : Numbers.duration(nanoseconds: percentile == 100 ? max : value(at: percentile))
    }
}

extension Correlation {
    /// How many accepted pushes nobody ever saw, by why, the most frequent first; nil: nothing was accepted.
    var unseenSentence: String? {
        guard accepted > 0 else { return nil }
        let asked = accepted - unasked
        let rest = unasked == 0 ? "" : "No phone was asked about \(Numbers.count(unasked)) accepted."
        guard asked > 0 else { return rest }
        let whys = unseen.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let pushes = asked == 1 ? "1 accepted push" : "\(Numbers.count(asked)) accepted pushes"
        let seen =
            whys.isEmpty
            ? "The modelled phones showed \(Numbers.count(asked)) of \(pushes)."
            : "Nobody ever saw \(Numbers.count(whys.reduce(0) { $0 + $1.value })) of \(pushes): "
                + whys.map { "\(Numbers.count($0.value)) \($0.key)" }.joined(separator: ", ") + "."
        return rest.isEmpty ? seen : seen + " " + rest
    }
}

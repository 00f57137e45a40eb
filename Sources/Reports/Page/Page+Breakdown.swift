// What was answered, what devices made of it, and what became of each expected push.

import Metrics
import Verdicts

extension ReportPage {
    var breakdown: Markup {
        let c = record.correlation
        return """
            \(relayAnswers)<div class="pair">
            <div class="card"><h3>Answers of the mock</h3>\(bars(c.reasons, of: "Answer", total: c.pushes) {
                $0 != "200"
            })</div>
            <div class="card"><h3>Outcomes on the devices</h3>\(bars(c.outcomes, of: "Outcome", total: c.pushes) {
                $0.hasPrefix("ignored") || $0.hasPrefix("un") || $0.hasPrefix("not")
            })</div>
            </div>

            """
    }

    /// What the relay said to us that the profile does not expect.
    private var relayAnswers: Markup {
        let c = record.correlation
        guard !c.wrongAnswers.isEmpty else { return "" }
        let table = Table(
            caption: "\(Numbers.count(c.failed)) of \(Numbers.count(c.sent)) calls, grouped by status and body",
            heads: ["Answer", "#calls", "Body, or why there is none"], hasLongNames: false,
            rows: c.wrongAnswers.map { answer in
                let status = answer.status == 0 ? "none" : String(answer.status)
                return ("\(status)", [Cell.number(Numbers.count(answer.count)), Cell.text("<code>\(answer.body)</code>")])
            })
        return "<div class=\"card\"><h3>Wrong answers of the relay</h3>\(table.markup)</div>\n"
    }

    /// A table of counts with bars, the largest first.
    private func bars(
        _ counts: [String: Int], of what: String, total: Int, isTrouble: (String) -> Bool
    ) -> Markup {
        guard !counts.isEmpty else { return "<p class=\"empty\">No data.</p>" }
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return Table(
            caption: "\(Numbers.count(total)) pushes", heads: [what, "#count", "#share", ""],
            rows: sorted.map { name, value in
                let width = Double(value) / Double(max(total, 1)) * 100
                let meter: Markup =
                    "<span class=\"meter \(isTrouble(name) ? "err" : "")\"><i style=\"width:\(width)%\"></i></span>"
                return (
                    "\(name)",
                    [Cell.number(Numbers.count(value)), Cell.number(Numbers.share(value, of: total)), Cell.text(meter)]
                )
            }
        ).markup
    }

    /// The classes that an expectation can end in, and how they are drawn.
    private static let ends: [(DeliveryClass, String)] = [
        (.delivered, "k-delivered"), (.superseded, "k-superseded"), (.late, "k-late"), (.lost, "k-lost"),
        (.excused, "k-excused"), (.unsent, "k-excused"), (.undecided, "k-excused"),
    ]

    var deliveries: Markup {
        let c = record.correlation
        let kinds = c.kindsInOrder
        guard !kinds.isEmpty else { return "<p class=\"empty\">No data.</p>\n" }
        let rows = kinds + (kinds.count > 1 ? [(key: "all", value: c.totals)] : [])
        let table = Table(
            caption: "Pushes by kind of event",
            heads: [
                "Kind", "", "#expected",
            ] + DeliveryClass.allCases.map { "#\($0.rawValue)" },
            rows: rows.map { kind, counts in
                (
                    "\(kind)",
                    [
                        Cell.text(stack(counts)),
                        Cell.count(DeliveryClass.ofExpectations.reduce(0) { $0 + (counts[$1] ?? 0) }),
                    ]
                        + DeliveryClass.allCases.map { word in
                            switch word {
                            case .delivered, .superseded, .excused, .unsent, .undecided: Cell.count(counts[word] ?? 0)
                            case .late: Cell.count(counts[word] ?? 0, alarm: .warn)
                            default: Cell.count(counts[word] ?? 0, alarm: .bad)
                            }
                        }
                )
            })
        let key = legend(
            [
                ("delivered", "k-delivered"), ("superseded by a newer state", "k-superseded"),
                ("late, after its deadline", "k-late"), ("lost", "k-lost"), ("excused, unsent or undecided", "k-excused"),
            ], onlyNarrow: false)
        return "<div class=\"card\">\(key)\(table.markup)\(examples)</div>\n"
    }

    /// Of each class that the relay has to answer for.
    private var examples: Markup {
        let rows = DeliveryClass.allCases.filter(\.isTrouble).flatMap { word in
            (record.correlation.examples[word] ?? []).map { (word, $0) }
        }
        guard !rows.isEmpty else { return "" }
        return Table(
            caption: "Examples, and the command that shows the history around each", heads: ["Class", "What", "More"],
            rows: rows.map { word, example in
                (
                    "\(word.rawValue)",
                    [Cell.text("\(example.words)"), Cell.text("<code>\(example.more(in: record.directory))</code>")]
                )
            }
        ).markup
    }

    private func stack(_ counts: [DeliveryClass: Int]) -> Markup {
        let total = Self.ends.reduce(0) { $0 + (counts[$1.0] ?? 0) }
        guard total > 0 else { return "" }
        let parts = Self.ends.markup { word, style in
            guard let value = counts[word], value > 0 else { return "" }
            let width = Double(value) / Double(total) * 100
            let tip = "\(word.rawValue) \(Numbers.count(value))"
            return "<i class=\"\(style)\" style=\"width:\(width)%\" title=\"\(tip)\"></i>"
        }
        return "<span class=\"stack\">\(parts)</span>"
    }
}

extension Correlation {
    /// Classes by kind, the pushes without a kind last.
    var kindsInOrder: [(key: String, value: [DeliveryClass: Int])] {
        classes.sorted { ($0.key.hasPrefix("(") ? 1 : 0, $0.key) < ($1.key.hasPrefix("(") ? 1 : 0, $1.key) }
    }
}

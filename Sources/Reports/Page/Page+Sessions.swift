// The section about what users saw: how old cards were over time, and the worst sessions as lanes and as cards.

import Basics
import Metrics
import Sessions
import Verdicts

extension ReportPage {
    var sessionTruth: Markup {
        guard let sessions else {
            return """
                <p class="empty">Nothing is known of sessions: no plan was played, or run.json tells nothing of them.</p>

                """
        }
        guard sessions.shown > 0 else {
            return "<p class=\"empty\">No card was shown in this run, so none can have been behind.</p>\n"
        }
        return tiles(figures(sessions)) + chart(sessions) + list(sessions)
            + sessions.worst.enumerated().map { ($0.offset, $0.element) }.markup { session($1, rank: $0 + 1, sessions) }
    }

    private func figures(_ sessions: SessionsSeen) -> [Tile] {
        let worst = sessions.worst.first
        return [
            Tile(name: "Sessions with a card", value: Numbers.count(sessions.shown)),
            Tile(
                name: "Behind", value: share(sessions),
                remark: "of the \(Numbers.duration(sessions.lived)) that cards lived, all together"),
            Tile(
                name: "Oldest card", value: worst.map { Numbers.duration($0.age) } ?? "–",
                remark: worst.map { "session \($0.session) at \(Numbers.offset($0.at))" } ?? "none was ever behind"),
        ]
    }

    private func share(_ sessions: SessionsSeen) -> String {
        sessions.lived > .zero ? Numbers.percent(sessions.behindFor.seconds / sessions.lived.seconds) : "–"
    }

    private func chart(_ sessions: SessionsSeen) -> Markup {
        let chart = StalenessChart(sessions: sessions)
        let keys = legend(StalenessChart.lines.map { ($0.name, "stroke \($0.style)") }, onlyNarrow: false)
        return """
            <div class="card"><h3>How old cards were</h3>\
            \(figure(chart.summary, isEmpty: chart.isEmpty, legend: keys, chart.markup))\(agesTable(sessions))</div>

            """
    }

    private func agesTable(_ sessions: SessionsSeen) -> Markup {
        let total = sessions.placeLength.seconds * Double(sessions.places.count)
        // Every so many, so that the table stays short; each row is the worst of those it stands for.
        let size = max(1, (sessions.places.count + 29) / 30)
        let rows = stride(from: 0, to: sessions.places.count, by: size).map { start in
            let places = sessions.places[start..<min(start + size, sessions.places.count)]
            func most(_ path: KeyPath<StalenessPlace, Interval?>) -> Markup {
                Cell.number(places.compactMap { $0[keyPath: path] }.max().map(Numbers.duration) ?? "–")
            }
            let cards = places.map(\.cards).max() ?? 0
            return (
                name: "\(Ticks.elapsedLabel(Double(start) * sessions.placeLength.seconds, of: total))" as Markup,
                cells: [
                    Cell.number(Numbers.trimmed(cards, places: 1)), most(\.median), most(\.p95), most(\.most),
                ]
            )
        }
        let table = Table(
            caption: "The greatest of each stretch", heads: ["From", "#cards", "#median", "#p95", "#oldest"], rows: rows)
        return "<details><summary>Figures as a table</summary>\(table.markup)</details>\n"
    }

    private func list(_ sessions: SessionsSeen) -> Markup {
        guard !sessions.worst.isEmpty else { return "" }
        let table = Table(
            caption: "By the greatest age of a card; the command tells all of the session",
            heads: ["Session", "#phone", "#oldest", "#at", "#behind in all", "Command"],
            rows: sessions.worst.enumerated().map { index, session in
                (
                    "<span class=\"rank\">\(index + 1)</span>\(String(session.session))",
                    [
                        Cell.number("\(session.phone + 1)"), Cell.number(Numbers.duration(session.age)),
                        Cell.number(Numbers.offset(session.at)), Cell.number(Numbers.duration(session.behind)),
                        Cell.text("<code class=\"line\">\(session.more(in: record.directory))</code>"),
                    ]
                )
            })
        return "<div class=\"card\"><h3>The worst sessions</h3>\(table.markup)</div>\n"
    }

    // MARK: One session

    private func session(_ session: SessionSeen, rank: Int, _ sessions: SessionsSeen) -> Markup {
        let lanes = SessionLanes(session: session, rank: rank)
        let used = LaneMark.Kind.allCases.filter { kind in lanes.drawn.contains { $0.kind == kind } }
        let keys: Markup = """
            <ul class="legend marks">\(used.markup { "<li>\($0.sample)\($0.word)</li>" })</ul>
            """
        let title = "Session \(session.session): \(Numbers.duration(session.age)) old at \(Numbers.offset(session.at))"
        return """
            <details class="card session" \(rank == 1 ? "open=\"\"" as Markup : "")>\
            <summary><span class="rank">\(rank)</span>\(title)</summary>
            \(figure(lanes.summary, isEmpty: false, legend: keys, lanes.markup))\(marksTable(session))\
            \(cards(session, sessions))\
            <h4>All of it</h4><pre class="command"><code>\(session.more(in: record.directory))</code></pre></details>

            """
    }

    private func marksTable(_ session: SessionSeen) -> Markup {
        let left = session.left == 0 ? "" : "; \(Numbers.count(session.left)) further ones are left out"
        let table = Table(
            caption: "What happened around the worst moment, in order of time\(left)",
            heads: ["Time", "Lane", "#event", "What"],
            rows: session.marks.map { mark in
                (
                    "\(Numbers.offset(mark.at))",
                    [
                        Cell.text("\(mark.kind.lane.word)"), Cell.number(mark.stepWords ?? ""),
                        Cell.text("\(mark.kind.word): \(mark.words)"),
                    ]
                )
            })
        return "<details><summary>Marks as a table</summary>\(table.markup)</details>\n"
    }

    private func cards(_ session: SessionSeen, _ sessions: SessionsSeen) -> Markup {
        let drawn = [
            session.card.map { card in
                DrawnCard(
                    card: card, caption: "At its oldest, right before \(Numbers.offset(session.at))",
                    age: "\(Numbers.duration(session.age)) old")
            },
            session.next.map { DrawnCard(card: $0, caption: "What it showed next, from \(Numbers.offset($0.since)) on") },
        ].compactMap { $0 }
        let why: Markup =
            if let lack = sessions.cardsLack {
                "<p class=\"nocard\">No card is drawn: \(lack).</p>"
            } else if session.card == nil {
                "<p class=\"nocard\">No card is drawn as it was then: the journal does not tell what it showed.</p>"
            } else if session.next == nil {
                "<p class=\"nocard\">No newer state was shown afterwards, as far as the run goes.</p>"
            } else {
                ""
            }
        return """
            <h4>The card of phone \(session.phone + 1)</h4><div class="phones">\(drawn.markup(\.markup))</div>\(why)

            """
    }
}

// A search as one page: load against what users and the relay's machine felt of it, each trial as a point.

import Basics
import Capacity
import Verdicts

struct CurvePage {
    let record: FindRecord

    var text: String {
        let lines = FindText.text(record, folder: ".").split(separator: "\n").map(String.init)
        let started = "\(record.startedAt.iso8601.prefix(10)) \(record.startedAt.iso8601.dropFirst(11).prefix(8)) UTC"
        let facts = [
            "started \(started)", "lasted \(FindText.minutes(record.duration.seconds))", "seed \(record.seed)",
            "\(record.machine.cores) cores, \(record.machine.processor)",
        ] + (record.noiseFloor.map { ["this machine alone: late by \(Numbers.duration(nanoseconds: $0)) at p99"] } ?? [])
        let stop: Markup = record.stop.map { "<p>\($0.rawValue): \($0.meaning).</p>" } ?? "<p>The search goes on.</p>"
        let charts = CurveChart.panels(record).filter { !$0.isEmpty }
        let body: Markup = """
            <header><p class="kicker">PushRig find</p><h1>\(record.asked.scenarioPath)</h1>
            <p class="meta">\(facts.markup { "<span>\($0)</span>" })</p></header>
            <section aria-labelledby="found-h"><h2 id="found-h">\(lines.first ?? "")</h2>\(stop)
            \(lines.dropFirst().dropLast().markup { "<p>\($0)</p>" })</section>
            <section aria-labelledby="curve-h"><h2 id="curve-h">By load</h2>
            <p class="dim">Each point is a trial. Filled ones held, crossed ones did not, hollow ones are void and count for
            nothing. The lines are the bounds.</p>
            \(charts.markup { "<h3>\($0.title)</h3>\($0.markup(.wide))\($0.markup(.narrow))" })</section>
            <section aria-labelledby="trials-h"><h2 id="trials-h">Trials</h2>\(trials)</section>
            <section aria-labelledby="again-h"><h2 id="again-h">Again</h2><pre class="command">\(record.command)</pre></section>
            <footer>Written by PushRig \(record.toolVersion). The same stands in find.json.</footer>

            """
        return HTMLDocument(
            title: "\(record.asked.scenarioPath): capacity", version: record.toolVersion, style: Self.style, body: body
        ).text
    }

    private static let style = "h1{overflow-wrap:anywhere}.hollow{fill:none;stroke:currentColor;opacity:.5}"

    private var trials: Markup {
        func time(_ value: Double?) -> String { value.map { Numbers.duration(nanoseconds: $0) } ?? "–" }
        return Table(
            caption: "Trials", heads: [
                "Trial", "#Load", "#Seconds", "Came to", "#p50", "#p99", "#Our lateness", "#Relay's processor", "Why", "Run",
            ],
            rows: record.trials.map { trial in
                let word = trial.void != nil ? "void" : trial.words.map(\.rawValue).joined(separator: ", ")
                let folder = trial.folder + "/report.html"
                return (
                    "\(trial.number) \(trial.kind.rawValue)",
                    [
                        "<td class=\"n\">\(FindText.rate(trial.rate, record.axis))</td>",
                        "<td class=\"n\">\(Numbers.trimmed(trial.seconds, places: 1))</td>", "<td>\(word)</td>",
                        "<td class=\"n\">\(time(trial.figures.p50))</td>", "<td class=\"n\">\(time(trial.figures.p99))</td>",
                        "<td class=\"n\">\(time(trial.figures.lateness))</td>",
                        "<td class=\"n\">\(trial.figures.processor.map(Numbers.percent) ?? "–")</td>",
                        "<td>\(([trial.void].compactMap { $0 } + trial.reasons).joined(separator: "; "))</td>",
                        "<td><a href=\"\(folder)\">report</a></td>",
                    ]
                )
            }
        ).markup
    }
}

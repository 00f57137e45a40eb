// The page for people: one file, no network. Sections in the order in which a reader should doubt and then believe.

import Basics
import Sessions
import Verdicts

struct ReportPage {
    let record: RunRecord
    /// Nil: nothing is known of them.
    var sessions: SessionsSeen?

    private struct Section {
        var id: String
        /// As the list of sections names it.
        var short: String
        var title: String
        var lead: String
        var body: Markup
    }

    private var sections: [Section] {
        [
            Section(
                id: "own", short: "Trust", title: "Can these figures be trusted?",
                lead: "What we ourselves did to the measurement: our lateness, what we dropped, what went missing.",
                body: soundness),
            Section(
                id: "latency", short: "Latency", title: "Latency",
                lead: "Counted from the planned instant, so that a stalled relay cannot hide the wait it caused.",
                body: latency),
            Section(
                id: "time", short: "Over time", title: "Over time",
                lead: "Bands show what was done to the relay on purpose. "
                    + "An error is an event that failed, or a push not answered 200.",
                body: timeline),
            Section(
                id: "sessions", short: "Sessions", title: "What users saw",
                lead: "A card is behind from the offer of the first state newer than the shown one until the phone has taken "
                    + "that or a newer one; its age counts from that offer. What a phone that is away, or that draws a little "
                    + "later, adds to it is not counted; what a fault of ours adds is, and the lanes name it. Our marker is "
                    + "left out of texts.",
                body: sessionTruth),
            Section(
                id: "errors", short: "Errors and outcomes", title: "Answers, errors and outcomes",
                lead: "What the mock answered, and what the virtual devices did with what was accepted.",
                body: breakdown),
            Section(
                id: "classes", short: "Deliveries", title: "Deliveries by kind",
                lead: "What became of each push the plan called for. "
                    + "Duplicated, reordered and unexpected pushes are counted in addition.", body: deliveries),
            Section(
                id: "gates", short: "Gates", title: "Gates", lead: "Thresholds that fail the run.", body: gates),
            Section(
                id: "conformance", short: "Conformance", title: "Conformance",
                lead: "Requirements judged over the whole history, each with the evidence for its verdict.",
                body: conformance),
            Section(
                id: "tokens", short: "Tokens", title: "Dead tokens and last states",
                lead: "Does the relay stop when a token dies, and does it leave the user with the truth?",
                body: tokens),
            Section(
                id: "lateness", short: "Our lateness", title: "Our lateness in full",
                lead: "How long after its planned instant each event left the load generator.", body: lateness),
            Section(
                id: "environment", short: "Environment", title: "Environment", lead: "All it takes to run this again.",
                body: environment),
        ]
    }

    var text: String {
        let sections = self.sections
        let links = sections.markup { "<li><a href=\"#\($0.id)\">\($0.short)</a></li>\n" }
        let bodies = sections.markup { section in
            """
            <section id="\(section.id)" aria-labelledby="\(section.id)-h">
            <h2 id="\(section.id)-h">\(section.title)</h2><p class="dim">\(section.lead)</p>
            \(section.body)</section>

            """
        }
        let body: Markup = """
            \(head)\(verdict)
            <nav aria-label="Sections"><ul>
            \(links)</ul></nav>
            \(bodies)<footer>Written by PushRig \(record.toolVersion). The same figures stand in run.json; \
            the histograms, lossless, in latency.hlog.</footer>

            """
        return HTMLDocument(title: "\(record.name): \(record.exit.word)", version: record.toolVersion, body: body).text
    }

    private var head: Markup {
        let day = record.startedAt.iso8601
        let started = "\(day.prefix(10)) \(day.dropFirst(11).prefix(8)) UTC"
        let scale = record.clockScale == 1 ? [] : ["clock × \(Numbers.trimmed(record.clockScale, places: 2))"]
        let facts =
            [
                "relay profile \(record.profile)", "started \(started)", "lasted \(Numbers.duration(record.duration))",
                "seed \(record.seed)",
            ] + scale
        return """
            <header><p class="kicker">PushRig run report</p><h1>\(record.name)</h1>
            <p class="meta">\(facts.markup { "<span>\($0)</span>" })</p></header>

            """
    }
}

// The words of a report and of a search, and the metrics of gates, in words.

import Capacity
import Reports
import Scenarios

extension KnowledgeTopic {
    static let words = KnowledgeTopic(
        "words", rows: { reportWords.map { ($0.key, $0.value) } },
        explain: { name in
            reportWords.first { $0.key == name.lowercased() }.map { "\($0.key), in a report: \($0.value)\n" }
        })

    static let metrics = KnowledgeTopic(
        "metrics",
        rows: { GateMeasure.vocabulary.map { ($0.name, "\($0.measure.meaning); \($0.measure.unitInWords)") } },
        explain: { name in
            guard let measure = try? GateMeasure(parsing: name, kinds: nil) else { return nil }
            var text = "\(name), in a gate: \(measure.meaning).\nIt is compared with \(measure.unitInWords).\n"
            if case .latency = measure {
                let statistics = GateMeasure.Statistic.allCases.map(\.rawValue).joined(separator: ", ")
                text += "Instead of its last word: \(statistics).\n"
            }
            return text
        })

    /// What a push that was expected came to (the first seven: each is in exactly one), and what else a push was.
    private static let reportWords: KeyValuePairs<String, String> = [
        "delivered":
            "an expected push that was accepted in time, for the right token, of the right type and event, "
            + "with the content that was asked for.",
        "superseded":
            "an expected push that was not accepted and need not be: by the time it was due a newer state of the same activity "
            + "on the same phone had been accepted, and the profile allows that (`coalesce`), or both waited for their token "
            + "(`held`), or a fault of ours held the older one up; or the card was told the same last (`dedupe`).",
        "late": "an expected push that was accepted after its deadline.",
        "lost":
            "an expected push that was not accepted in its time, though its event was sent and nothing of ours explains it.",
        "excused":
            "an expected push that was not accepted because of a fault or an outage of ours, or because its token was dead; "
            + "the report names which, and it is not held against the relay.",
        "unsent":
            "an expected push whose event, or the registration of its token, never left us, or could not while we held the "
            + "relay down.",
        "undecided":
            "an expected push that had not been accepted when the run ended, before its deadline; a longer `phases.drain` "
            + "decides it.",
        "duplicated":
            "a push that was accepted although it had been accepted before, and the relay had been told so; not one whose call "
            + "had to be sent twice.",
        "reordered":
            "a Live Activity push that was accepted after a newer state of the same activity; not where the profile's `order` "
            + "is `parallel`, nor where the wire may have turned the two about.",
        "unexpected":
            "an accepted push that no event asked for, or, where we started the relay, one that carries no marker.",
        "misdirected": "an accepted push that carries an event's state to a token that it was not for.",
        "altered":
            "a push that was accepted for the right token with the wrong event, or with content that does not decode or is not "
            + "what the relay was given; it does not count as delivery.",
        "staleness":
            "how long a card has been out of date: 0 while it shows the newest state that was offered to the relay, else "
            + "the time since the first state newer than the shown one was offered. Percentiles are weighted by time, over "
            + "the cards that live.",
    ]

    static let searches = KnowledgeTopic(
        "searches", rows: { StopReason.allCases.map { ($0.rawValue, $0.meaning) } + trialWords.map { ($0.key, $0.value) } },
        explain: { name in
            let name = name.lowercased()
            if let stop = StopReason(rawValue: name) { return "\(name), the end of a search by `find`: \(stop.meaning).\n" }
            return trialWords.first { $0.key == name }.map { "\($0.key), of a trial of `find`: \($0.value)\n" }
        })

    private static let trialWords: KeyValuePairs<String, String> = [
        "void":
            "it counts for nothing: the rig, or the machine, was the limit. Three in a row end the search as rig-limit; a few "
            + "that are scattered cost time only.",
        "warm-up": "the first one, for the relay's caches and compilers; it counts for nothing.",
    ]
}

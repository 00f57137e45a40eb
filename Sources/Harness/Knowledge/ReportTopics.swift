// The words of a report and the metrics of gates, in words.

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
            "an expected push that did not come and need not: by the time it was due a newer state of the same "
            + "activity had been accepted, which the profile allows (`coalesce`).",
        "late": "an expected push that was accepted after its deadline.",
        "lost": "an expected push that never came, though its event was sent and nothing of ours explains it.",
        "excused":
            "an expected push that never came because of a fault or an outage of ours, which the report names; it is not "
            + "held against the relay.",
        "unsent": "an expected push whose event never left us, such as one due while we held the relay down.",
        "undecided":
            "an expected push that had not come when the run ended, before its deadline; a longer `phases.drain` decides it.",
        "duplicated":
            "a push that was accepted although the same state had been accepted for the same token before, and the "
            + "relay knew.",
        "reordered": "a Live Activity push that was accepted after a newer state of the same activity.",
        "unexpected": "an accepted push that no event asked for, such as one to a token that nobody has.",
        "misdirected": "an accepted push that carries an event's state to a token that it was not for.",
        "altered":
            "a push that was accepted for the right token with the wrong event, or with content that is not what the relay "
            + "was given.",
        "staleness":
            "how long a card has been out of date: 0 while it shows the newest state that was offered to the relay, else "
            + "the time since the first state newer than the shown one was offered. Percentiles are weighted by time, over "
            + "the cards that live.",
    ]
}

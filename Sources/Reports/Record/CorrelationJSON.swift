// The correlation as JSON and back. Series stand in columns: one array per figure, one place per second.

import Basics
import Metrics

enum CorrelationJSON {
    private static var columns: [(name: String, path: WritableKeyPath<SeriesRow, Int>)] {
        [
            ("planned", \.planned), ("sent", \.sent), ("answered", \.answered), ("pushes", \.pushes),
            ("accepted", \.accepted), ("errors", \.errors),
        ]
    }

    static func encode(_ c: Correlation) -> JSONValue {
        var classes = JSONObject()
        for (kind, counts) in c.classes.sorted(by: { $0.key < $1.key }) { classes[kind] = encode(counts) }
        var series: JSONObject = ["second": JSONWriting.integers(c.series.map(\.second))]
        for (name, path) in columns { series[name] = JSONWriting.integers(c.series.map { $0[keyPath: path] }) }
        series["activeSessions"] = JSONWriting.integers(c.activeSeries)
        return [
            "expected": .integer(Int64(c.expected)), "excused": .integer(Int64(c.excused)),
            "unsent": .integer(Int64(c.unsent)), "undecided": .integer(Int64(c.undecided)),
            "lostUnaccepted": .integer(Int64(c.lostUnaccepted)), "events": .integer(Int64(c.events)),
            "sent": .integer(Int64(c.sent)), "answered": .integer(Int64(c.answered)),
            "dropped": .integer(Int64(c.dropped)), "failed": .integer(Int64(c.failed)),
            "pushes": .integer(Int64(c.pushes)), "peakSessions": .integer(Int64(c.peakSessions)),
            "totals": encode(c.totals), "classes": .object(classes),
            "delivery": JSONWriting.histogram(c.delivery), "deliveryByKind": JSONWriting.histograms(c.deliveryByKind),
            "answer": JSONWriting.histogram(c.answer), "answerByKind": JSONWriting.histograms(c.answerByKind),
            "answerUncorrected": JSONWriting.histogram(c.answerUncorrected),
            "lateness": JSONWriting.histogram(c.lateness),
            "reasons": JSONWriting.counts(c.reasons), "outcomes": JSONWriting.counts(c.outcomes),
            "deadTokens": encode(c.deadTokens), "lastState": encode(c.lastState),
            "series": .object(series),
        ]
    }

    static func decode(_ reading: JSONReading) throws(Failure) -> Correlation {
        var c = Correlation()
        for (kind, counts) in try reading["classes"].members() { c.classes[kind] = try decodeClasses(counts) }
        c.totals = try decodeClasses(reading["totals"])
        c.expected = try reading["expected"].integer()
        c.excused = try reading["excused"].integer()
        c.unsent = try reading["unsent"].integer()
        c.undecided = try reading["undecided"].integer()
        c.lostUnaccepted = try reading["lostUnaccepted"].integer()
        c.events = try reading["events"].integer()
        c.sent = try reading["sent"].integer()
        c.answered = try reading["answered"].integer()
        c.dropped = try reading["dropped"].integer()
        c.failed = try reading["failed"].integer()
        c.pushes = try reading["pushes"].integer()
        c.peakSessions = try reading["peakSessions"].integer()
        c.delivery = try reading["delivery"].histogram()
        c.deliveryByKind = try reading["deliveryByKind"].histograms()
        c.answer = try reading["answer"].histogram()
        c.answerByKind = try reading["answerByKind"].histograms()
        c.answerUncorrected = try reading["answerUncorrected"].histogram()
        c.lateness = try reading["lateness"].histogram()
        c.reasons = try reading["reasons"].counts()
        c.outcomes = try reading["outcomes"].counts()
        c.deadTokens = try decodeDeadTokens(reading["deadTokens"])
        c.lastState = try decodeLastState(reading["lastState"])
        try decodeSeries(reading["series"], into: &c)
        return c
    }

    private static func decodeSeries(_ reading: JSONReading, into c: inout Correlation) throws(Failure) {
        let seconds: [Int] = try reading["second"].integers()
        c.series = seconds.map { SeriesRow(second: $0) }
        for (name, path) in columns {
            let values: [Int] = try reading[name].integers()
            guard values.count == seconds.count else { throw try reading[name].wrong("has not one place per second") }
            for (index, value) in values.enumerated() { c.series[index][keyPath: path] = value }
        }
        c.activeSeries = try reading["activeSessions"].integers()
    }

    private static func encode(_ counts: [DeliveryClass: Int]) -> JSONValue {
        var object = JSONObject()
        for word in DeliveryClass.allCases {
            if let count = counts[word] { object[word.rawValue] = .integer(Int64(count)) }
        }
        return .object(object)
    }

    private static func decodeClasses(_ reading: JSONReading) throws(Failure) -> [DeliveryClass: Int] {
        var counts: [DeliveryClass: Int] = [:]
        for (key, count) in try reading.members() {
            guard let word = DeliveryClass(rawValue: key) else { throw count.wrong("is not a delivery class") }
            counts[word] = try count.integer()
        }
        return counts
    }

    private static func encode(_ dead: DeadTokens) -> JSONValue {
        [
            "died": .integer(Int64(dead.died)), "pushesAfterDeath": .integer(Int64(dead.pushesAfterDeath)),
            "worstToken": dead.worstToken.map { .string($0) } ?? .null,
            "worstPushes": .integer(Int64(dead.worstPushes)),
            "sample": .array(dead.sample.map { .integer(Int64($0)) }),
        ]
    }

    private static func decodeDeadTokens(_ reading: JSONReading) throws(Failure) -> DeadTokens {
        var dead = DeadTokens()
        dead.died = try reading["died"].integer()
        dead.pushesAfterDeath = try reading["pushesAfterDeath"].integer()
        dead.worstToken = try reading["worstToken"].optional()?.text()
        dead.worstPushes = try reading["worstPushes"].integer()
        dead.sample = try reading["sample"].integers()
        return dead
    }

    private static func encode(_ state: LastState) -> JSONValue {
        [
            "sessions": .integer(Int64(state.sessions)), "delivered": .integer(Int64(state.delivered)),
            "missingCount": .integer(Int64(state.missingCount)),
            "missing": .array(
                state.missing.map {
                    [
                        "session": .integer(Int64($0.session)), "step": .integer(Int64($0.step)),
                        "kind": .string($0.kind), "token": .string($0.token),
                    ]
                }),
        ]
    }

    private static func decodeLastState(_ reading: JSONReading) throws(Failure) -> LastState {
        var state = LastState()
        state.sessions = try reading["sessions"].integer()
        state.delivered = try reading["delivered"].integer()
        state.missingCount = try reading["missingCount"].integer()
        for item in try reading["missing"].list() {
            state.missing.append(
                LastState.Missing(
                    session: try item["session"].integer(), step: try item["step"].integer(),
                    kind: try item["kind"].text(), token: try item["token"].text()))
        }
        return state
    }
}

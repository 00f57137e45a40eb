// The correlation as JSON and back. Series stand in columns: one array per figure, one place per second.

import Basics
import Metrics

enum CorrelationJSON {
    private static var columns: [(name: String, path: WritableKeyPath<SeriesRow, Int>)] {
        [
            ("planned", \.planned), ("sent", \.sent), ("answered", \.answered), ("pushes", \.pushes),
            ("accepted", \.accepted), ("errors", \.errors), ("cardMilliseconds", \.cardMilliseconds),
            ("cardAges", \.cardAges), ("deliveries", \.deliveries), ("deliveryMicroseconds", \.deliveryMicroseconds),
            ("slowestMicroseconds", \.slowestMicroseconds),
        ]
    }

    private static var counters: [(name: String, path: WritableKeyPath<Correlation, Int>)] {
        [
            ("expected", \.expected), ("lostUnaccepted", \.lostUnaccepted), ("foreign", \.foreign), ("events", \.events),
            ("sent", \.sent), ("answered", \.answered), ("taken", \.taken), ("dropped", \.dropped), ("failed", \.failed),
            ("pushes", \.pushes), ("unasked", \.unasked), ("undecoded", \.undecoded), ("peakSessions", \.peakSessions),
        ]
    }

    private static var histograms: [(name: String, path: WritableKeyPath<Correlation, Histogram>)] {
        [
            ("delivery", \.delivery), ("answer", \.answer), ("answerUncorrected", \.answerUncorrected),
            ("lateness", \.lateness), ("staleness", \.staleness),
        ]
    }

    static func encode(_ c: Correlation, _ directory: String) -> JSONValue {
        var object = JSONObject()
        for (name, path) in counters { object[name] = .integer(Int64(c[keyPath: path])) }
        object["totals"] = encode(c.totals)
        var classes = JSONObject()
        for (kind, counts) in c.classes.sorted(by: { $0.key < $1.key }) { classes[kind] = encode(counts) }
        object["classes"] = .object(classes)
        object["excuses"] = JSONWriting.counts(c.excuses)
        object["withheld"] = .integer(Int64(c.withheld))
        object["withheldFor"] = JSONWriting.counts(c.withheldFor)
        object["retired"] = .integer(Int64(c.retired))
        object["throttled"] = .integer(Int64(c.throttled))
        object["triedAgain"] = .integer(Int64(c.triedAgain))
        var examples = JSONObject()
        for word in DeliveryClass.allCases {
            if let list = c.examples[word] { examples[word.rawValue] = .array(list.map { encode($0, directory) }) }
        }
        object["examples"] = .object(examples)
        for (name, path) in histograms { object[name] = JSONWriting.histogram(c[keyPath: path]) }
        object["deliveryByKind"] = JSONWriting.histograms(c.deliveryByKind)
        object["answerByKind"] = JSONWriting.histograms(c.answerByKind)
        object["reasons"] = JSONWriting.counts(c.reasons)
        object["outcomes"] = JSONWriting.counts(c.outcomes)
        object["unseen"] = JSONWriting.counts(c.unseen)
        object["deadTokens"] = encode(c.deadTokens)
        object["lastState"] = [
            "sessions": .integer(Int64(c.lastState.sessions)), "delivered": .integer(Int64(c.lastState.delivered)),
            "missingCount": .integer(Int64(c.lastState.missingCount)),
        ]
        object["wrongAnswers"] = .array(
            c.wrongAnswers.map {
                ["status": .integer(Int64($0.status)), "body": .string($0.body), "count": .integer(Int64($0.count))]
            })
        var series: JSONObject = ["second": JSONWriting.integers(c.series.map(\.second))]
        for (name, path) in columns { series[name] = JSONWriting.integers(c.series.map { $0[keyPath: path] }) }
        series["activeSessions"] = JSONWriting.integers(c.activeSeries)
        object["series"] = .object(series)
        object["latencyCourse"] = encode(c.course)
        return .object(object)
    }

    static func decode(_ reading: JSONReading) throws(Failure) -> Correlation {
        var c = Correlation()
        for (name, path) in counters { c[keyPath: path] = try reading[name].count() }
        for (kind, counts) in try reading["classes"].members() { c.classes[kind] = try decodeClasses(counts) }
        c.totals = try decodeClasses(reading["totals"])
        c.excuses = try reading["excuses"].countsByName()
        // Records of older versions have neither.
        if reading.value["withheld"] != nil { c.withheld = try reading["withheld"].count() }
        if reading.value["withheldFor"] != nil { c.withheldFor = try reading["withheldFor"].countsByName() }
        if reading.value["retired"] != nil { c.retired = try reading["retired"].count() }
        if reading.value["throttled"] != nil { c.throttled = try reading["throttled"].count() }
        if reading.value["triedAgain"] != nil { c.triedAgain = try reading["triedAgain"].count() }
        for (key, list) in try reading["examples"].members() {
            guard let word = DeliveryClass(rawValue: key) else { throw list.wrong("is not a delivery class") }
            for item in try list.list() { c.examples[word, default: []].append(try decodeExample(item)) }
        }
        for (name, path) in histograms { c[keyPath: path] = try reading[name].histogram() }
        c.deliveryByKind = try reading["deliveryByKind"].histograms()
        c.answerByKind = try reading["answerByKind"].histograms()
        c.reasons = try reading["reasons"].countsByName()
        c.outcomes = try reading["outcomes"].countsByName()
        c.deadTokens = try decodeDeadTokens(reading["deadTokens"])
        let lastState = try reading["lastState"]
        c.lastState.sessions = try lastState["sessions"].count()
        c.lastState.delivered = try lastState["delivered"].count()
        c.lastState.missingCount = try lastState["missingCount"].count()
        for item in try reading["wrongAnswers"].list() {
            c.wrongAnswers.append(
                WrongAnswer(
                    status: try item["status"].integer(), body: try item["body"].text(), count: try item["count"].count()))
        }
        try decodeSeries(reading["series"], into: &c)
        // Records of older versions have none.
        if reading.value["latencyCourse"] != nil { c.course = try decodeCourse(reading["latencyCourse"]) }
        return c
    }

    private static func encode(_ example: Example, _ directory: String) -> JSONValue {
        [
            "session": .integer(Int64(example.session)), "step": .integer(Int64(example.step)),
            "kind": .string(example.kind), "atNanoseconds": .integer(example.at.nanoseconds),
            "entries": .array(example.entries.map { .integer(Int64($0)) }), "more": .string(example.more(in: directory)),
        ]
    }

    private static func decodeExample(_ item: JSONReading) throws(Failure) -> Example {
        Example(
            session: try item["session"].integer(), step: try item["step"].integer(), kind: try item["kind"].text(),
            at: Instant(nanoseconds: try item["atNanoseconds"].integer()), entries: try item["entries"].integers())
    }

    private static func decodeSeries(_ reading: JSONReading, into c: inout Correlation) throws(Failure) {
        let seconds = try reading["second"].countsInOrder()
        c.series = seconds.map { SeriesRow(second: $0) }
        // Records of earlier versions lack the later columns.
        for (name, path) in columns where reading.value[name] != nil {
            let values = try reading[name].countsInOrder()
            guard values.count == seconds.count else { throw try reading[name].wrong("has not one place per second") }
            for (index, value) in values.enumerated() { c.series[index][keyPath: path] = value }
        }
        c.activeSeries = try reading["activeSessions"].countsInOrder()
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
            counts[word] = try count.count()
        }
        return counts
    }

    private static func encode(_ dead: DeadTokens) -> JSONValue {
        [
            "died": .integer(Int64(dead.died)), "pushesAfterDeath": .integer(Int64(dead.pushesAfterDeath)),
            "worstDeath": dead.worstDeath.map { .integer(Int64($0)) } ?? .null,
            "worstPushes": .integer(Int64(dead.worstPushes)),
            "sample": .array(dead.sample.map { .integer(Int64($0)) }),
        ]
    }

    private static func decodeDeadTokens(_ reading: JSONReading) throws(Failure) -> DeadTokens {
        var dead = DeadTokens()
        dead.died = try reading["died"].count()
        dead.pushesAfterDeath = try reading["pushesAfterDeath"].count()
        dead.worstDeath = try reading["worstDeath"].optional()?.integer()
        dead.worstPushes = try reading["worstPushes"].count()
        dead.sample = try reading["sample"].integers()
        return dead
    }
}

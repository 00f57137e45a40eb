// What was seen of sessions as JSON and back; docs/run.schema.json describes the shape. Units stand in the names.

package import Basics
import Metrics
import Schemas
import Verdicts

extension SessionsSeen {
    /// `directory`: where the run's journal stands.
    package func json(in directory: String) -> JSONValue {
        [
            "shown": .integer(Int64(shown)), "behind": .integer(Int64(behind)),
            "livedNanoseconds": .integer(lived.nanoseconds), "behindNanoseconds": .integer(behindFor.nanoseconds),
            "placeNanoseconds": .integer(placeLength.nanoseconds), "places": .array(places.map(\.json)),
            "worst": .array(worst.map { $0.json(in: directory) }), "cardsLack": cardsLack.map { .string($0) } ?? .null,
        ]
    }

    package init(_ reading: JSONReading) throws(Failure) {
        self.init(
            shown: try reading["shown"].integer(), behind: try reading["behind"].integer(),
            lived: try reading["livedNanoseconds"].interval(), behindFor: try reading["behindNanoseconds"].interval(),
            placeLength: try reading["placeNanoseconds"].interval(), cardsLack: try reading["cardsLack"].optional()?.text())
        guard placeLength > .zero else { throw try reading["placeNanoseconds"].wrong("is not above 0") }
        for place in try reading["places"].list() { places.append(try StalenessPlace(place)) }
        for session in try reading["worst"].list() { worst.append(try SessionSeen(session)) }
    }
}

extension StalenessPlace {
    fileprivate var json: JSONValue {
        [
            "cards": .number((cards * 1_000).rounded() / 1_000), "p50Nanoseconds": Self.value(median),
            "p95Nanoseconds": Self.value(p95), "maxNanoseconds": Self.value(most),
        ]
    }

    private static func value(_ age: Interval?) -> JSONValue { age.map { .integer($0.nanoseconds) } ?? .null }

    fileprivate init(_ reading: JSONReading) throws(Failure) {
        self.init(
            cards: try reading["cards"].number(), median: try reading["p50Nanoseconds"].optional()?.interval(),
            p95: try reading["p95Nanoseconds"].optional()?.interval(),
            most: try reading["maxNanoseconds"].optional()?.interval())
    }
}

extension SessionSeen {
    /// The command that tells the session from its beginning to its end.
    package func more(in directory: String) -> String {
        ShellWords.line(["pushrig", "journal", directory.isEmpty ? "RUN" : directory, "--session", String(session)])
    }

    fileprivate func json(in directory: String) -> JSONValue {
        [
            "session": .integer(Int64(session)), "phone": .integer(Int64(phone + 1)),
            "oldestNanoseconds": .integer(age.nanoseconds), "atNanoseconds": .integer(at.nanoseconds),
            "offeredNanoseconds": .integer(offeredAt.nanoseconds), "behindNanoseconds": .integer(behind.nanoseconds),
            "shownStep": .integer(Int64(shownStep)), "newerStep": .integer(Int64(newerStep)),
            "marks": .array(marks.map(\.json)), "left": .integer(Int64(left)),
            "stale": .array(
                stale.map {
                    [
                        "startNanoseconds": .integer($0.lowerBound.nanoseconds),
                        "endNanoseconds": .integer($0.upperBound.nanoseconds),
                    ]
                }),
            "card": card?.json ?? .null, "next": next?.json ?? .null,
            "more": .string(more(in: directory)),
        ]
    }

    fileprivate init(_ reading: JSONReading) throws(Failure) {
        let phone: Int = try reading["phone"].integer()
        guard 1...256 ~= phone else { throw try reading["phone"].wrong("is no number of a phone") }
        self.init(
            session: try reading["session"].integer(), phone: phone - 1, age: try reading["oldestNanoseconds"].interval(),
            at: try reading["atNanoseconds"].interval(), offeredAt: try reading["offeredNanoseconds"].interval(),
            behind: try reading["behindNanoseconds"].interval(), shownStep: try reading["shownStep"].integer(),
            newerStep: try reading["newerStep"].integer())
        for mark in try reading["marks"].list() { marks.append(try LaneMark(mark)) }
        left = try reading["left"].integer()
        for stretch in try reading["stale"].list() {
            let (start, end) = (try stretch["startNanoseconds"].interval(), try stretch["endNanoseconds"].interval())
            guard start <= end else { throw stretch.wrong("ends before it begins") }
            stale.append(start..<end)
        }
        if let reading = try reading["card"].optional() { card = try CardSeen(reading) }
        if let reading = try reading["next"].optional() { next = try CardSeen(reading) }
    }
}

extension LaneMark {
    fileprivate var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "atNanoseconds": .integer(at.nanoseconds),
            "step": step.map { .integer(Int64($0)) } ?? .null, "words": .string(words),
        ]
    }

    fileprivate init(_ reading: JSONReading) throws(Failure) {
        self.init(
            try reading["kind"].word(), at: try reading["atNanoseconds"].interval(),
            step: try reading["step"].optional()?.integer(), try reading["words"].text())
    }
}

extension CardSeen {
    private static var slots: [(name: String, path: WritableKeyPath<CardText, String?>)] {
        [("title", \.title), ("status", \.status), ("body", \.body), ("progress", \.progress), ("since", \.since)]
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = ["sinceNanoseconds": .integer(since.nanoseconds)]
        for slot in Self.slots { object[slot.name] = text[keyPath: slot.path].map { .string($0) } ?? .null }
        object["fraction"] = text.fraction.map { .number($0) } ?? .null
        return .object(object)
    }

    fileprivate init(_ reading: JSONReading) throws(Failure) {
        var text = CardText()
        for slot in Self.slots { text[keyPath: slot.path] = try reading[slot.name].optional()?.text() }
        text.fraction = try reading["fraction"].optional()?.number()
        self.init(since: try reading["sinceNanoseconds"].interval(), text: text)
    }
}

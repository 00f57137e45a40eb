// Reading an object of a rule: known members only, each of its kind, and every error with a pointer to its place.

import Basics

/// One object and where it stands.
struct ObjectReader {
    private let object: JSONObject
    private let place: String

    /// Refuses other members than `keys`, with the nearest of them as a hint.
    init(_ value: JSONValue, at pointer: String, keys: [String]) throws(FaultRuleError) {
        guard let object = value.object else {
            throw FaultRuleError(
                pointer: pointer, message: "an object is expected here", hint: "with " + keys.joined(separator: ", "))
        }
        self.object = object
        place = pointer
        for key in object.keys where !keys.contains(key) {
            throw FaultRuleError(
                pointer: self.pointer(key), message: "unknown member \"\(key)\"",
                hint: Suggestion.hint(for: key, among: keys))
        }
    }

    var count: Int { object.count }

    /// A member that is absent or null is nil.
    subscript(key: String) -> JSONValue? { object[key].flatMap { $0.isNull ? nil : $0 } }

    /// By scalars: an accent that follows a slash or a tilde would make one character with it.
    func pointer(_ key: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in key.unicodeScalars {
            switch scalar {
            case "~": escaped.append(contentsOf: "~0".unicodeScalars)
            case "/": escaped.append(contentsOf: "~1".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return place + "/" + String(escaped)
    }

    func error(_ key: String, _ message: String, hint: String? = nil) -> FaultRuleError {
        FaultRuleError(pointer: pointer(key), message: message, hint: hint)
    }

    /// `path` is written as a pointer already.
    func errorBelow(_ path: String, _ message: String, hint: String? = nil) -> FaultRuleError {
        FaultRuleError(pointer: place + "/" + path, message: message, hint: hint)
    }

    func unknownWord(_ key: String, _ word: String, among words: [String]) -> FaultRuleError {
        error(key, "unknown \(key) \"\(word)\"", hint: Suggestion.hint(for: word, among: words))
    }

    func text(_ key: String) throws(FaultRuleError) -> String? {
        guard let value = self[key] else { return nil }
        guard let text = value.string, !text.isEmpty else { throw error(key, "a string that is not empty is expected here") }
        return text
    }

    /// One of a closed set of words.
    func word(_ key: String, of words: [String]) throws(FaultRuleError) -> String? {
        guard let word = try text(key) else { return nil }
        guard words.contains(word) else { throw unknownWord(key, word, among: words) }
        return word
    }

    /// A whole number, at most 10⁹.
    func count(_ key: String, atLeast least: Int) throws(FaultRuleError) -> Int? {
        guard let value = self[key] else { return nil }
        guard let number = value.int, Int64(least)...1_000_000_000 ~= number else {
            throw error(key, "a whole number is expected here, from \(least) to 1000000000")
        }
        return Int(number)
    }

    /// A whole number of a range.
    func count(_ key: String, from least: Int, to most: Int) throws(FaultRuleError) -> Int? {
        guard let value = self[key] else { return nil }
        guard let number = value.int, Int64(least)...Int64(most) ~= number else {
            throw error(key, "a whole number from \(least) to \(most) is expected here")
        }
        return Int(number)
    }

    /// May be empty, which `text` may not.
    func anyText(_ key: String, maxBytes: Int) throws(FaultRuleError) -> String? {
        guard let value = self[key] else { return nil }
        guard let text = value.string, text.utf8.count <= maxBytes else {
            throw error(key, "a text of at most \(maxBytes) bytes is expected here")
        }
        return text
    }

    func flag(_ key: String) throws(FaultRuleError) -> Bool? {
        guard let value = self[key] else { return nil }
        guard let flag = value.bool else { throw error(key, "true or false is expected here") }
        return flag
    }

    /// Above 0 and at most 1.
    func share(_ key: String) throws(FaultRuleError) -> Double? {
        guard let value = self[key] else { return nil }
        guard let share = value.double, share > 0, share <= 1 else {
            throw error(key, "a share is greater than 0 and at most 1", hint: "0.1 is every tenth")
        }
        return share
    }

    /// At most a year: later than any mock lives, and far from where sums of durations overflow.
    func interval(_ key: String, isPositive: Bool) throws(FaultRuleError) -> Interval? {
        guard let value = self[key] else { return nil }
        guard let interval = value.string.flatMap({ Interval(parsing: $0) }), !isPositive || interval > .zero,
            interval <= .seconds(365 * 86_400)
        else {
            throw error(key, "a duration of at most a year is expected here", hint: #"such as "10s", "250ms" or "1m30s""#)
        }
        return interval
    }
}

extension Interval {
    /// In the largest unit that needs no fraction, so that reading it gives the same interval.
    var exactText: String {
        for (suffix, size) in [("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000)]
            as [(String, Int64)]
        where nanoseconds % size == 0 { return "\(nanoseconds / size)\(suffix)" }
        for (suffix, size) in [("ms", 1_000_000), ("us", 1_000)] as [(String, Int64)] where nanoseconds % size == 0 {
            return "\(nanoseconds / size)\(suffix)"
        }
        return "\(nanoseconds)ns"
    }
}

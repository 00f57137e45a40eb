// What stands between `{{` and `}}`: a variable, or `now` with an offset, and filters behind bars.

import Basics
import YAML

extension TemplateCompiler {
    /// How the value stands where it is; at most one, the last of the filters.
    enum Filter: String, CaseIterable {
        case json, optional, raw, url
    }

    private static let steps = ["upper", "lower", "base64", "hex", "uuid", "truncate:", "map:", "default:", "number"]

    mutating func variablePiece(_ inside: Substring, at place: YAMLPlace) -> Piece? {
        let parts = inside.split(separator: "|", omittingEmptySubsequences: false).map { String($0.trimmed) }
        if let time = time(parts[0], at: place) { return piece(time, parts.dropFirst(), at: place) }
        guard let variable = variable(named: parts[0]) else {
            let columns = feeds.map { FeedNames.prefix + $0 }
            let known = parts[0].hasPrefix(FeedNames.prefix) ? columns : ownNames + capturedNames + Self.builtIn
            mistakes.add("unknown variable `\(parts[0])`", hint: suggestion(for: parts[0], in: known), at: place)
            return nil
        }
        used.insert(variable)
        return piece(variable, parts.dropFirst(), at: place)
    }

    /// `now`, `now+60s`, `now-5m`; nil: it is another variable, or a mistake was noted.
    private func time(_ word: String, at place: YAMLPlace) -> TemplateTime? {
        guard word.hasPrefix("now"), !ownNames.contains(word), !capturedNames.contains(word) else { return nil }
        let rest = word.dropFirst(3).trimmed
        guard let sign = rest.first else { return TemplateTime() }
        guard sign == "+" || sign == "-" else { return nil }
        guard let offset = Interval(parsing: String(rest.dropFirst().trimmed)) else {
            mistakes.add("`\(word)` has no offset such as `now+60s`", hint: "a duration with its unit", at: place)
            return TemplateTime()
        }
        return TemplateTime(offset: sign == "-" ? Interval(nanoseconds: -offset.nanoseconds) : offset)
    }

    private func piece(_ time: TemplateTime, _ words: ArraySlice<String>, at place: YAMLPlace) -> Piece? {
        var (time, words) = (time, words)
        if let unit = words.first.flatMap(TemplateTime.Unit.init) {
            time.unit = unit
            words = words.dropFirst()
        }
        guard case .variable(let variable, let filter, var filters)? = piece(.now(time), words, at: place) else { return nil }
        // Without a step it is a number in JSON where it is one.
        filters = filters ?? TemplateFilters([], isNumber: time.unit != .iso)
        return .variable(variable, filter, filters)
    }

    private func piece(_ variable: TemplateVariable, _ words: ArraySlice<String>, at place: YAMLPlace) -> Piece? {
        var steps: [TemplateFilter] = []
        var isNumber = false
        var last: Filter?
        for (index, word) in zip(words.indices, words) {
            if let filter = Filter(rawValue: word) {
                guard index == words.endIndex - 1 else {
                    mistakes.add("`|\(word)` is the last of the filters", hint: "write it at the end", at: place)
                    return nil
                }
                last = filter
            } else if word == "number" {
                isNumber = true
            } else {
                guard let step = step(word, of: variable, at: place) else { return nil }
                steps.append(step)
            }
        }
        if variable == .event(.marker), !steps.isEmpty || isNumber {
            mistakes.add(
                "a filter would make the marker unreadable", hint: "write `{{marker}}` as it is", at: place)
            return nil
        }
        return .variable(variable, last, steps.isEmpty && !isNumber ? nil : TemplateFilters(steps, isNumber: isNumber))
    }

    private func step(_ word: String, of variable: TemplateVariable, at place: YAMLPlace) -> TemplateFilter? {
        let name = word.prefix { $0 != ":" }
        let value = word.dropFirst(name.count + 1)
        switch (name, word.contains(":")) {
        case ("upper", false): return .upper
        case ("lower", false): return .lower
        case ("base64", false): return .base64(ofToken: Self.isToken(variable))
        case ("uuid", false): return .uuid
        case ("hex", false): return Self.isToken(variable) ? .lower : .hex
        case ("default", true): return .fallback(Array(value.utf8))
        case ("truncate", true):
            if let count = Int(value), 1...100_000 ~= count { return .truncate(count) }
            mistakes.add(
                "`truncate` takes a number of characters from 1 to 100000, not `\(value)`", hint: "such as `truncate:120`",
                at: place)
        case ("map", true):
            let pairs = value.split(separator: ",").map { $0.split(separator: "=", omittingEmptySubsequences: false) }
            if !pairs.isEmpty, pairs.allSatisfy({ $0.count == 2 }) {
                return .map(pairs.map { .init(from: Array($0[0].trimmed.utf8), to: Array($0[1].trimmed.utf8)) })
            }
            mistakes.add(
                "`map` takes pairs of words, not `\(value)`", hint: "such as `map:working=WORK,done=DONE`", at: place)
        default:
            mistakes.add(
                "unknown filter `\(word)`",
                hint: suggestion(
                    for: word, in: Filter.allCases.map(\.rawValue) + Self.steps + (isTime(variable) ? Self.units : [])),
                at: place)
        }
        return nil
    }

    private static let units = TemplateTime.Unit.allCases.map(\.rawValue)

    private func isTime(_ variable: TemplateVariable) -> Bool {
        if case .now = variable { true } else { false }
    }

    private static func isToken(_ variable: TemplateVariable) -> Bool {
        switch variable {
        case .session(let name): SessionVariable.tokens.contains(name)
        case .event(.phoneToken): true
        default: false
        }
    }
}

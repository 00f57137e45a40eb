// What is taken from a relay's answer for later calls of the same session. All of it is bounded: how many values, the
// length of their names, the length of each.

package import Basics

/// A value of an answer that later calls may use.
package struct Capture: Hashable, Sendable {
    /// Index into `Profile.captures`.
    package var name: Int
    package enum Place: Hashable, Sendable {
        /// In the answer's JSON.
        case json(JSONPointerPath)
        /// In the answer's header of that name, in lower case: what stands behind a text in it, up to its end; of an empty
        /// text, all of it.
        case header(String, behind: String)
    }

    package var place: Place

    package init(name: Int, place: Place) {
        (self.name, self.place) = (name, place)
    }

    package init(name: Int, pointer: JSONPointerPath) { self.init(name: name, place: .json(pointer)) }

    /// Names in one profile, at most: bits of a `Names`.
    package static let mostNames = 8
    package static let longestName = 64
    /// Stands in the record where a value only authenticates calls.
    package static let unrecorded = "(secret)"
    /// Of a value, as text.
    package static let mostBytes = 256
}

/// Some of a profile's captured values, by their numbers.
package struct CapturedNames: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package init(_ number: Int) { self.init(rawValue: 1 << UInt8(number)) }

    /// The lowest number among them.
    package var first: Int? { rawValue == 0 ? nil : rawValue.trailingZeroBitCount }
}

extension Template {
    /// Variables without which it cannot be rendered: all but those that may be left out.
    package var needed: [TemplateVariable] { Self.needed(segments) }

    /// The captured values that it may say.
    package var captured: CapturedNames { Self.captured(segments) }

    /// All that it may say.
    var variables: [TemplateVariable] { Self.variables(segments) }

    private static func variables(_ segments: [TemplateSegment]) -> [TemplateVariable] {
        segments.flatMap { segment -> [TemplateVariable] in
            switch segment {
            case .variable(let variable, _), .filtered(let variable, _, _): [variable]
            case .optional(let variable, let inner): [variable] + variables(inner)
            case .list(_, _, let items): items.flatMap { variables($0.segments) }
            case .quoted(let inner, _): variables(inner)
            case .literal: []
            }
        }
    }

    private static func captured(_ segments: [TemplateSegment]) -> CapturedNames {
        segments.reduce(into: []) { names, segment in
            switch segment {
            case .variable(.captured(let number), _), .filtered(.captured(let number), _, _):
                names.insert(CapturedNames(number))
            case .optional(_, let inner): names.formUnion(captured(inner))
            case .list(_, _, let items): for item in items { names.formUnion(captured(item.segments)) }
            case .quoted(let inner, _): names.formUnion(captured(inner))
            case .literal, .variable, .filtered: break
            }
        }
    }

    private static func needed(_ segments: [TemplateSegment]) -> [TemplateVariable] {
        segments.flatMap { segment -> [TemplateVariable] in
            switch segment {
            case .variable(let variable, _): [variable]
            case .filtered(let variable, let filters, _): filters.hasFallback ? [] : [variable]
            case .quoted(let inner, _): needed(inner)
            case .list(_, _, let items): items.filter { $0.condition == nil }.flatMap { needed($0.segments) }
            case .literal, .optional: []
            }
        }
    }
}

extension ProfileCall {
    /// Variables without which it cannot be made.
    package var needed: [TemplateVariable] {
        (body?.needed ?? []) + path.needed + fields.flatMap(\.value.needed)
            + (auth?.templates.flatMap(\.needed) ?? [])
    }

    /// Columns of feeders without which it cannot be made, as places in `Profile.feeds`.
    package var neededFeeds: [Int] {
        Set(needed.compactMap { if case .fed(let number) = $0 { number } else { nil } }).sorted()
    }

    /// Captured values without which it cannot be made.
    package var neededCaptures: CapturedNames {
        needed.reduce(into: []) { names, variable in
            if case .captured(let number) = variable { names.insert(CapturedNames(number)) }
        }
    }

    /// It says what only a phone's event can tell.
    package var needsPhoneToken: Bool { needed.contains(.event(.phoneToken)) }

    /// What its path and its body say.
    private var said: [TemplateVariable] { (body?.needed ?? []) + path.needed }

    /// Phones that it names, from 0: by their tokens, or as its profile says (`phone`). A call that takes tokens back speaks of
    /// those phones only; of all, where it names none.
    package var namedPhones: Set<Int> {
        if let phone { return [phone] }
        return said.reduce(into: []) { phones, variable in
            if case .session(let token) = variable, SessionVariable.tokens.contains(token) { phones.insert(token.phone) }
        }
    }

    /// It says which activity it means: by its token, by its phone, or by what an answer told of it.
    package var namesActivity: Bool {
        usesActivityToken || needsPhoneToken
            || said.contains { variable in
                if case .captured = variable { return true }
                return variable == .event(.phone)
            }
    }

    /// It names an activity's update token, which in a reaction is the phone's.
    package var usesActivityToken: Bool {
        needed.contains { variable in
            if case .session(let session) = variable { return session.role == .activityToken }
            return false
        }
    }
}

extension [ProfileCall] {
    /// Captured values that stand in an `auth` or a header and in no body, so that nobody who judges needs them.
    var secretCaptures: CapturedNames {
        var (secret, said): (CapturedNames, CapturedNames) = ([], [])
        for call in self {
            for template in (call.auth?.templates ?? []) + call.fields.map(\.value) { secret.formUnion(template.captured) }
            if let body = call.body { said.formUnion(body.captured) }
        }
        return secret.subtracting(said)
    }
}

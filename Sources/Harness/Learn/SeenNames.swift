// Texts by which a relay's callers name users, sessions and what the relay has named itself: each with the variable that takes
// its place in a profile.

import Basics

struct SeenNames {
    enum Kind: Hashable {
        /// Whoever's phones are registered.
        case user
        /// Anything else that several calls speak of.
        case session
        /// What an answer told: which call it was, as `Telling.form` has it, and the pointer that leads to it there.
        case captured(form: String, pointer: String)
        /// One for each event.
        case event
    }

    struct Name {
        var kind: Kind
        /// In how many requests it was seen.
        var count: Int
        /// What stands for it, as a template has it.
        var template: String
    }

    /// Where an answer tells a text.
    struct Telling {
        var call: Int
        /// The call's method and path, with one sign for all that has a digit: each call of one form tells alike.
        var form: String
        var pointer: String

        /// By text: what each answer of those calls tells, the first of them first.
        static func all(_ calls: [ObservedCall], where tells: (ObservedCall) -> Bool) -> [String: [Telling]] {
            var tellings: [String: [Telling]] = [:]
            for (number, call) in calls.enumerated() where tells(call) {
                let parts = call.pathParts.map { $0.contains(where: \.isNumber) ? "#" : $0 }
                let form = call.method + " " + parts.joined(separator: "/")
                let texts = (try? JSONValue(parsing: call.answer))?.texts ?? []
                for (pointer, text) in texts where tellings[text]?.count ?? 0 < 4 {
                    tellings[text, default: []].append(Telling(call: number, form: form, pointer: pointer))
                }
            }
            return tellings
        }
    }

    private(set) var names: [String: Name] = [:]
    /// Where names of users stand.
    private(set) var userPlaces: Set<ObservedCall.Place> = []
    /// In the order in which they were first seen.
    private(set) var order: [String] = []
    private static let shortest = 3
    private static let longWord = 16

    /// `literals`: texts that are to stay as they are; `doubts`: how many forms were refused in their place. `told`: what those
    /// answers tell that can be captured.
    init(
        _ calls: [ObservedCall], _ tokens: SeenTokens, topic: String, told: [String: [Telling]], dropped: Set<Int>,
        literals: Set<String>, doubts: [String: Int] = [:]
    ) {
        let literals = literals.union(doubts.filter { $0.value >= Self.forms }.keys)
        var seen: [String: (calls: [Int], places: [ObservedCall.Place], isWithPhone: Bool, isWithCard: Bool)] = [:]
        // Whatever has a digit and stands alone in a body may be a name within another text.
        let known = Set(calls.flatMap(\.values).filter { place, text in
            if case .header = place { return false }
            return text.utf8.count >= 6 && text.contains(where: \.isNumber) && !text.contains(" ")
        }.map(\.text))
        for (number, call) in calls.enumerated() {
            let values = call.values
            let roles = call.parts.compactMap { tokens.find($0.text, at: $0.place)?.role }
            let isOfPhone = roles.contains { $0 != .activity }
            for (place, whole) in values {
                for text in Self.words(whole, at: place, known) {
                    guard text.utf8.count >= Self.shortest, text.utf8.count <= 200, tokens.find(text, at: place) == nil,
                        text != topic, !text.hasPrefix(topic + "."), !literals.contains(text)
                    else { continue }
                    if seen[text] == nil { order.append(text) }
                    var entry = seen[text] ?? ([], [], false, false)
                    if entry.calls.last != number { entry.calls.append(number) }
                    entry.places.append(place)
                    if isOfPhone { entry.isWithPhone = true }
                    if roles.contains(.activity) { entry.isWithCard = true }
                    seen[text] = entry
                }
            }
        }
        var taken: [Kind: [(text: String, calls: Set<Int>)]] = [:]
        var kinds = order.map { text in
            let entry = seen[text]!
            let telling = told[text]?.first { $0.call < entry.calls[0] && !dropped.contains($0.call) }
            return Self.kind(text, entry.calls, entry.places, entry.isWithPhone, telling)
        }
        // What begins a card, and is said only where another name is too, is a session of whoever has that.
        let sets = Dictionary(
            uniqueKeysWithValues: zip(order, kinds).filter { $0.1 == .user }.map { ($0.0, Set(seen[$0.0]!.calls)) })
        for (place, text) in order.enumerated() {
            guard let own = sets[text], seen[text]!.isWithCard,
                sets.values.contains(where: { own.isStrictSubset(of: $0) })
            else { continue }
            kinds[place] = .session
        }
        // What stands where those are named is one, though a phone is named beside it.
        let cards = zip(order, kinds).filter { $0.1 == .session && seen[$0.0]!.isWithCard }
        let sessionPlaces = Set(cards.flatMap { seen[$0.0]!.places })
        for (place, text) in order.enumerated() where kinds[place] == .user {
            if seen[text]!.places.contains(where: sessionPlaces.contains) { kinds[place] = .session }
        }
        let users = zip(order, kinds).filter { $0.1 == .user }.map(\.0)
        // Someone with two phones stands beside two names as well.
        let shared = WatchedSessions.wider(Dictionary(uniqueKeysWithValues: users.map { ($0, seen[$0]!.calls) }))
            .filter { text in !seen[text]!.places.contains { Self.isPerson($0.key) } }
        let people = WatchedSessions.groups(users.filter { !shared.contains($0) }.map { seen[$0]!.calls })
        // What names under one key begin with, where they all do.
        var heads: [String: Set<String>] = [:]
        for (text, kind) in zip(order, kinds) where kind == .user || kind == .session {
            for place in seen[text]!.places where !place.key.isEmpty { heads[place.key, default: []].insert(Self.head(text)) }
        }
        for (text, kind) in zip(order, kinds) {
            guard let kind, !shared.contains(text) else { continue }
            let entry = seen[text]!
            // What several users say is the name of no session of theirs.
            if kind == .session, Set(entry.calls.compactMap { people[$0] }).count > 1 { continue }
            var template = ""
            switch kind {
            case .captured(_, let pointer):
                let key = pointer.split(separator: "/").last.map(String.init) ?? "value"
                let plain = key.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(48)
                let usual = plain.isEmpty || plain.first!.isNumber ? "told" + plain : String(plain)
                let others = Set(names.values.map(\.template))
                let same = names.values.first { $0.kind == kind }
                template = same?.template ?? (1...).lazy.map { "{{\(usual)\($0 == 1 ? "" : "\($0)")}}" }.first { candidate in
                    !others.contains(candidate) && !TourDraft.isKnown(String(candidate.dropFirst(2).dropLast(2)))
                }!
            case .event: template = Self.isUUID(text) ? "{{uuid}}" : "{{session}}-{{step}}"
            case .user, .session:
                // Names that stand side by side are different ones; those that never do are the same one of somebody else.
                let own = Set(entry.calls)
                let beside = taken[kind, default: []].filter { !$0.calls.isDisjoint(with: own) }
                let variable = kind == .user ? "secret" : "sessionID"
                let hasHead = entry.places.allSatisfy { heads[$0.key]?.count ?? 1 == 1 }
                template = Self.shape(text, variable, beside.count, hasHead ? Self.head(text) : "", form: doubts[text] ?? 0)
                taken[kind, default: []].append((text, own))
            }
            if kind == .user { userPlaces.formUnion(entry.places) }
            names[text] = Name(kind: kind, count: entry.calls.count, template: template)
        }
    }

    /// A value; in a header what stands behind its scheme. `known`: names that stand alone elsewhere, and may stand in it.
    private static func words(_ text: String, at place: ObservedCall.Place, _ known: Set<String>) -> [String] {
        if let inner = ObservedCall.inner(text).first(where: { known.contains($0.text) }) { return [inner.text] }
        guard case .header = place, let blank = text.firstIndex(of: " ") else { return [text] }
        return [String(text[text.index(after: blank)...])]
    }

    private static func isPerson(_ key: String) -> Bool {
        ["user", "account", "owner", "subject", "member", "secret"].contains { key.hasSuffix($0) || key.hasPrefix($0) }
    }

    private static func kind(
        _ text: String, _ seen: [Int], _ places: [ObservedCall.Place], _ isWithPhone: Bool, _ telling: Telling?
    ) -> Kind? {
        guard !text.contains(where: \.isWhitespace), !text.hasPrefix("{"), !text.hasPrefix("[") else { return nil }
        let words = [
            "user", "account", "owner", "subject", "session", "thread", "order", "chat", "room", "secret", "device", "id",
        ]
        let keys = places.map(\.key)
        let isNamed = keys.contains { key in words.contains { key == $0 || key.hasSuffix($0) || key.hasSuffix($0 + "s") } }
        let hasDigit = text.contains(where: \.isNumber)
        // Words of a path are the relay's own, those of a header a protocol's.
        let isWord = !hasDigit && places.contains { place in
            switch place {
            case .path, .header: true
            case .query, .json, .form, .text: false
            }
        }
        // Long words are words, unless they look as if they were drawn.
        let isDrawn = text.dropFirst().contains(where: \.isUppercase) && text.contains(where: \.isLowercase)
        let isLikely = isNamed || hasDigit && text.utf8.count >= 6 || text.utf8.count >= longWord && isDrawn && !isWord
        guard isLikely, !isVersion(text), !isTime(text) else { return nil }
        if let telling { return .captured(form: telling.form, pointer: telling.pointer) }
        // A key that opens the relay for everybody is nobody's name.
        if places.allSatisfy(\.isCredential) { return nil }
        guard seen.count > 1 else {
            let isOfEvent = keys.contains { key in
                ["idempotency-key", "eventid", "event_id", "messageid", "message_id", "requestid", "dedupe", "x-request-id"]
                    .contains(key)
            }
            return isUUID(text) || isOfEvent && hasDigit ? .event : nil
        }
        return isWithPhone ? .user : .session
    }

    private static func isVersion(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isNumber || $0 == "." || $0 == "v" } && (text.contains(".") || text.first == "v")
    }

    /// A second or millisecond of these years, or a date and time.
    private static func isTime(_ text: String) -> Bool {
        if [10, 13].contains(text.count), text.first == "1", text.allSatisfy(\.isNumber) { return true }
        let date = text.prefix(10)
        return text.dropFirst(10).first == "T" && date.filter { $0 == "-" }.count == 2
    }

    /// How many forms there are.
    private static let forms = 3

    /// Digits of 16 bytes, as a UUID has without its signs.
    private static func isHex(_ text: String) -> Bool { text.utf8.count == 32 && text.utf8.allSatisfy { Hex.value($0) != nil } }

    static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && text.utf8.allSatisfy { $0 == 45 || Hex.value($0) != nil }
    }

    /// A name of the same form: as a UUID, with the same words before it, at the same host.
    private static func shape(_ text: String, _ variable: String, _ number: Int, _ head: String, form: Int) -> String {
        // A relay that refuses the likeliest may want a UUID, or nothing but digits.
        if form == 1, !isUUID(text) { return "{{\(variable)|uuid}}" }
        if form > 0 { return "{{session}}\(number == 0 ? "" : "\(number)")" }
        if isHex(text), variable == "secret", number == 0 { return "{{secret}}" }
        if isUUID(text) {
            return number == 0 ? "{{\(variable)|uuid}}" : "{{\(variable)|\(number == 1 ? "upper" : "hex")|uuid}}"
        }
        let tail = number == 0 ? "" : "-\(number + 1)"
        if let at = text.firstIndex(of: "@") { return "{{\(variable)}}\(tail)\(text[at...])" }
        if text.allSatisfy(\.isNumber) { return number == 0 ? "{{session}}" : "{{session}}\(number)" }
        return "\(head){{\(variable)}}\(tail)"
    }

    /// Letters and a sign in front of a name, such as `user-`; empty where there are none.
    private static func head(_ text: String) -> String {
        let head = text.prefix { $0.isLetter }
        guard let sign = text.dropFirst(head.count).first, "-_:".contains(sign), head.count < text.count - 1 else { return "" }
        return "\(head)\(sign)"
    }
}

// The calls of a relay, made of requests that somebody else made: what differs from user to user becomes a variable, and what
// differs in words alone is one call.

import Basics
import Journal

/// What was watched, as far as it tells of calls.
struct LearnedCalls {
    private let observed: [ObservedCall]
    private let pushes: [PushEntry]
    private let tokens: SeenTokens
    let topic: String
    private let origin: String
    /// How many forms the relay has refused in the place of a text; behind the last one it stays as it is.
    private(set) var doubts: [String: Int] = [:]
    /// Requests that came to nothing when they were made again.
    private(set) var dropped: Set<Int> = []
    /// What answers tell, by text.
    private let told: [String: [SeenNames.Telling]]
    /// Where a health check was answered 2xx.
    private(set) var readyPath: String?
    private static let most = 40
    private static let mostRefused = 10
    /// So long behind a call its push may come.
    private static let patience = Interval.seconds(5)
    /// Statuses that say what is wrong with a request.
    private static let refusals: Set<Int> = [400, 401, 403, 404, 409, 410, 413, 415, 422]

    init(_ observed: [ObservedCall], _ pushes: [PushEntry], topic: String, origin: String) {
        (self.observed, self.origin) = (observed, origin)
        self.pushes = pushes.filter { $0.status == 200 }
        self.topic = self.pushes.lazy.compactMap(TourProbe.bundle).first ?? topic
        tokens = SeenTokens(self.pushes)
        readyPath = observed.first { $0.method == "GET" && 200..<300 ~= $0.status && Self.isHealth($0) }?.path
        told = SeenNames.Telling.all(observed) { 200..<300 ~= $0.status && !Self.isHealth($0) && !Self.takesBack($0) }
    }

    struct Draft {
        var curl: CurlCall
        var traits: TourDraft.Traits
        /// Numbers of the requests that it was made of.
        var requests: [Int]
        /// Texts for which a variable stands.
        var names: [String]
    }

    /// Nothing more is to stand in the place of a text of that draft. False: nothing does.
    mutating func doubt(_ draft: Draft) -> Bool {
        guard let name = draft.names.min(by: { doubts[$0] ?? 0 < doubts[$1] ?? 0 }) else { return false }
        doubts[name, default: 0] += 1
        return true
    }

    mutating func drop(_ draft: Draft) { dropped.formUnion(draft.requests) }

    /// Requests that cannot stand in a profile.
    var unreadable: Int { observed.count { $0.isUnreadable } }

    // MARK: Drafts

    /// What ends something comes last.
    var drafts: [Draft] { settled.drafts }

    /// The drafts, and the order in which each session that was seen made them, as numbers of them. What is to be refused comes
    /// at the end of the first.
    var plan: (drafts: [Draft], scripts: [[Int]]) {
        let (drafts, names) = settled
        let refused = drafts.indices.filter { drafts[$0].traits.refusedWith != nil }
        let places = Dictionary(
            drafts.indices.filter { !refused.contains($0) }.flatMap { place in drafts[place].requests.map { ($0, place) } },
            uniquingKeysWith: { first, _ in first })
        var scripts = WatchedSessions.scripts(observed, names, told)
            .map { Self.withoutRepeats($0.compactMap { places[$0] }) }
        scripts = scripts.reduce(into: []) { if !$1.isEmpty, !$0.contains($1) { $0.append($1) } }
        if scripts.isEmpty { scripts = [[]] }
        scripts = Array(scripts.prefix(Self.mostScripts))
        let missing = drafts.indices.filter { place in !refused.contains(place) && !scripts.joined().contains(place) }
        scripts[0] += missing + refused
        return (drafts, scripts)
    }

    private static let mostScripts = 8

    private static func withoutRepeats(_ script: [Int]) -> [Int] {
        script.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    private var settled: (drafts: [Draft], names: SeenNames) {
        var literals: Set<String> = []
        while true {
            let (drafts, names, uncaptured) = drafts(literals)
            guard !uncaptured.isEmpty else { return (drafts, names) }
            literals.formUnion(uncaptured)
        }
    }

    /// With the texts that an answer told which no draft is given.
    private func drafts(_ literals: Set<String>) -> (drafts: [Draft], names: SeenNames, uncaptured: [String]) {
        let names = SeenNames(observed, tokens, topic: topic, told: told, dropped: dropped, literals: literals, doubts: doubts)
        let variables = tokenVariables(names)
        let (texts, rows, shown) = (texts(names), rows(variables), shownWords)
        var drafts: [Draft] = []
        var places: [String: Int] = [:]
        for (number, call) in observed.enumerated() where isCall(call) && !dropped.contains(number) {
            var draft = draft(call, texts[number] ?? [], names, variables, rows)
            let key = Self.key(draft, shown)
            if let place = places[key] {
                drafts[place].requests.append(number)
            } else if drafts.count < Self.most {
                draft.requests = [number]
                places[key] = drafts.count
                drafts.append(draft)
            }
        }
        // What an answer tells is captured by the call that was answered so.
        var uncaptured: [String] = []
        for name in names.order {
            guard case .captured(_, let pointer)? = names.names[name]?.kind else { continue }
            let telling = Set((told[name] ?? []).filter { $0.pointer == pointer }.map(\.call))
            guard let place = drafts.firstIndex(where: { !telling.isDisjoint(with: $0.requests) }) else {
                uncaptured.append(name)
                continue
            }
            let variable = String(names.names[name]!.template.dropFirst(2).dropLast(2))
            if !drafts[place].traits.captures.contains(where: { $0.name == variable }) {
                drafts[place].traits.captures.append((variable, pointer))
            }
        }
        for place in drafts.indices {
            let times = drafts[place].requests.count
            drafts[place].traits.notes.insert("Seen \(times == 1 ? "once" : "\(times) times").", at: 0)
        }
        let refused = drafts.filter { $0.traits.refusedWith != nil }.prefix(Self.mostRefused)
        let usual = drafts.filter { $0.traits.refusedWith == nil }
        let ordered = usual.filter { $0.traits.unregisters.isEmpty } + usual.filter { !$0.traits.unregisters.isEmpty } + refused
        return (ordered, names, uncaptured)
    }

    private func isCall(_ call: ObservedCall) -> Bool {
        if call.method == "OPTIONS" || call.method == "HEAD" { return false }
        if Self.isHealth(call) || call.isUnreadable { return false }
        return 200..<300 ~= call.status || Self.refusals.contains(call.status)
    }

    /// Two requests of one key are the same call: their texts for phones, and their numbers, may differ.
    private static func key(_ draft: Draft, _ shown: [String]) -> String {
        let path = draft.curl.url.prefix { $0 != "?" }
        var key = "\(draft.curl.method) \(path) \(draft.traits.refusedWith ?? 0) "
        let body = shown.reduce(draft.curl.body ?? "") { $0.replacing(JSONValue.string($1).text, with: "\"…\"") }
        let values = draft.curl.url.dropFirst(path.count) + body
        for letter in values where !(letter.isNumber && key.last == "#") { key.append(letter.isNumber ? "#" : letter) }
        return key
    }

    /// Words of requests that pushes showed as they were: they are for people, and no two calls differ by them.
    private var shownWords: [String] {
        let shown = Set(pushes.flatMap { push in
            (try? JSONValue(parsing: String(decoding: push.payload, as: UTF8.self)))?.texts.map(\.text) ?? []
        })
        return Set(observed.flatMap(\.values).map(\.text)).filter { $0.contains(" ") && shown.contains($0) }.sorted()
    }

    /// Whoever asks so asks whether the relay is up.
    private static func isHealth(_ call: ObservedCall) -> Bool {
        let words = ["health", "healthz", "ready", "readyz", "live", "livez", "status", "ping", "up"]
        return call.method == "GET" && call.queryText == nil && words.contains(call.pathParts.last?.lowercased() ?? "")
            && !call.ownHeaders.contains { ObservedCall.Place.header($0.name).isCredential }
    }

    /// By token: which of a user's tokens of its role it is. One that comes for the same session or user is a newer one.
    private func tokenVariables(_ names: SeenNames) -> [String: String] {
        var variables: [String: String] = [:]
        var earlier: [SeenTokens.Role: [(variable: String, owners: Set<String>)]] = [:]
        for call in observed where 200..<300 ~= call.status {
            let values = call.parts
            let owners = Set(values.map(\.text).filter { [.user, .session].contains(names.names[$0]?.kind) })
            for (place, text) in values {
                guard let found = tokens.find(text, at: place), variables[found.token] == nil else { continue }
                let sessions = owners.filter { names.names[$0]?.kind == .session }
                let own = found.role == .activity && !sessions.isEmpty ? sessions : owners
                let before = earlier[found.role, default: []].filter { !$0.owners.isDisjoint(with: own) }
                // What comes beside a second phone's token is that phone's.
                let isOfSecond = values.contains { value in
                    tokens.find(value.text, at: value.place).map { variables[$0.token] } == "deviceToken2"
                }
                let candidates = found.role.variables.filter { ($0.last == "2") == isOfSecond } + found.role.variables
                let free = candidates.first { candidate in !before.contains { $0.variable == candidate } }
                let variable = free ?? found.role.variables[0]
                variables[found.token] = variable
                earlier[found.role, default: []].append((variable, own))
            }
        }
        return variables
    }

    /// Variables of a phone's tokens that one call told, by call.
    private func rows(_ variables: [String: String]) -> [[String]] {
        observed.filter { 200..<300 ~= $0.status && !Self.takesBack($0) }.map { call in
            call.parts.compactMap { place, text in
                tokens.find(text, at: place).flatMap { $0.role == .activity ? nil : variables[$0.token] }
            }
        }
    }

    /// A text that stands where calls name whoever has a phone, and is the name of nobody who has.
    private func isStranger(_ text: String, _ place: ObservedCall.Place, _ names: SeenNames) -> Bool {
        switch place {
        case .header, .path: return false
        case .query, .json, .form, .text: break
        }
        return names.userPlaces.contains(place) && names.names[text] == nil && tokens.find(text, at: place) == nil
    }

    private func draft(
        _ call: ObservedCall, _ marked: Set<ObservedCall.Place>, _ names: SeenNames, _ variables: [String: String],
        _ rows: [[String]]
    ) -> Draft {
        let isTaken = 200..<300 ~= call.status
        var (used, notes, named): ([String], [String], [String]) = ([], [], [])
        var isUnknown = false
        func filled(_ text: String, _ place: ObservedCall.Place) -> String {
            // Whoever says no words there may take none.
            if marked.contains(place) { return text.contains(where: \.isWhitespace) ? "{{text}}" : "{{marker}}" }
            if text == topic { return "{{topic}}" }
            if let found = tokens.find(text, at: place) {
                let variable = variables[found.token] ?? found.role.variables[0]
                if !named.contains(variable) { named.append(variable) }
                return "{{\(variable)\(found.filter.map { "|" + $0 } ?? "")}}"
            }
            if let name = names.names[text] {
                if !used.contains(text) {
                    used.append(text)
                    notes.append("\(name.template) stands for \(JSONValue.string(text).text), of \(name.count) requests.")
                }
                return name.template
            }
            if let time = Self.time(text, call.sentWall) { return time }
            // Such as behind a scheme, or `eq.`.
            guard let (start, inner) = ObservedCall.inner(text).first(where: { _, inner in
                names.names[inner] != nil || tokens.find(inner, at: place) != nil
            }) else {
                guard isStranger(text, place, names) else { return text }
                isUnknown = true
                return "nobody-{{secret}}"
            }
            return text[..<start] + filled(inner, place)
        }
        let parts = call.pathParts.enumerated().map { place, part in
            let text = filled(part, .path(place))
            return text.contains("{{") ? text : FormText.encoded(part[...])
        }
        var url = origin + "/" + parts.joined(separator: "/")
        if let query = call.queryText {
            let fields = FormText.fields(query)?.map { name, value in
                FormText.encoded(name[...]) + "=" + FormText.encoded(filled(value, .query(name))[...])
            }
            url += "?" + (fields?.joined(separator: "&") ?? query)
        }
        var body: String?
        if let json = call.json {
            body = Self.mapped(json, "") { pointer, value in
                if let text = value.string { return .string(filled(text, .json(pointer))) }
                return value.int.flatMap { Self.time($0, call.sentWall) }.map { .string($0) } ?? value
            }.text
        } else if call.isForm, let fields = FormText.fields(call.body) {
            body = fields.map { FormText.encoded($0[...]) + "=" + FormText.encoded(filled($1, .form($0))[...]) }
                .joined(separator: "&")
        } else if !call.body.isEmpty {
            body = filled(call.body, .text)
        }
        let headers = call.ownHeaders.map { header in
            let isType = header.name == "content-type"
            return (name: header.name, value: isType ? header.value : filled(header.value, .header(header.name)))
        }
        if headers.contains(where: { $0.name == "authorization" && !$0.value.contains("{{") }) {
            notes.append("Its credential stands here as it was sent: keep this file to yourself.")
        }
        let curl = CurlCall(method: call.method, url: url, headers: headers, body: body)
        var traits = TourDraft.Traits(notes: notes)
        if isUnknown {
            (traits.isUnknown, traits.refusedWith) = (true, isTaken ? nil : call.status)
            traits.notes.append("No call had registered whoever it speaks for.")
        } else if !isTaken {
            traits.refusedWith = call.status
        }
        if isTaken, Self.takesBack(call) {
            let hasSession = used.contains { names.names[$0]?.kind != .user }
            traits.unregisters = named.isEmpty ? [hasSession ? "activityToken" : "deviceToken"] : named
            // A phone's row has what one call told of it.
            if traits.unregisters == ["deviceToken"], let row = rows.first(where: { $0.contains("deviceToken") }) {
                traits.unregisters = row
            }
            if named.isEmpty { traits.notes.append("It names no token: which one it takes back is a guess.") }
        }
        return Draft(curl: curl, traits: traits, requests: [], names: used)
    }

    private static func takesBack(_ call: ObservedCall) -> Bool {
        if call.method == "DELETE" { return true }
        let path = call.path.lowercased()
        return ["unregister", "unsubscribe", "remove", "delete", "logout", "signout", "sign-out"].contains { path.contains($0) }
    }

    /// Where the words of a call stand that its pushes showed, by the number of the request: of each push those that look
    /// most like a text, wherever the request says the same. A push is of the request that explains it best, and of the last
    /// of those.
    private func texts(_ names: SeenNames) -> [Int: Set<ObservedCall.Place>] {
        let keys = ["body", "message", "text", "title", "content", "subtitle", "alert", "detail", "description"]
        let counts = observed.reduce(into: [String: Int]()) { counts, call in
            for text in Set(call.values.map(\.text)) { counts[text, default: 0] += 1 }
        }
        let shown = pushes.map { push in
            (try? JSONValue(parsing: String(decoding: push.payload, as: UTF8.self)))?.texts.map(\.text) ?? []
        }
        // Of how many requests the pushes show what they alone say there: a relay that passes it on does so each time.
        let alone = Dictionary(
            observed.filter { 200..<300 ~= $0.status }.flatMap(\.values).filter { counts[$0.text] == 1 && $0.text.count >= 3 }
                .map { ($0.text, $0.place) }, uniquingKeysWith: { first, _ in first })
        let shows = Set(shown.joined()).reduce(into: [ObservedCall.Place: Int]()) { shows, text in
            if let place = alone[text] { shows[place, default: 0] += 1 }
        }
        // What one request alone says tells it best.
        func weight(_ value: (place: ObservedCall.Place, text: String)) -> Int {
            let place = keys.firstIndex { value.place.key.hasSuffix($0) }
            return (counts[value.text] == 1 ? 100_000 : 0) + min(shows[value.place] ?? 0, 9) * 10_000
                + (value.text.contains(" ") ? 5_000 : 0)
                + (place.map { 2_000 - 200 * $0 } ?? 0) + min(value.text.count, 100)
        }
        let candidates = observed.map { call in
            guard 200..<300 ~= call.status else { return [(place: ObservedCall.Place, text: String)]() }
            return call.values.filter { place, text in
                switch place {
                case .header, .path: return false
                case .query, .json, .form, .text: break
                }
                let isFree = names.names[text].map { $0.kind == .event && !SeenNames.isUUID(text) } ?? true
                return text.count >= 3 && isFree && tokens.find(text, at: place) == nil
            }
        }
        var places: [Int: Set<ObservedCall.Place>] = [:]
        for (push, shown) in zip(pushes, shown) {
            var best: (call: Int, text: String, weight: Int)?
            for (number, call) in observed.enumerated()
            where call.sentAt <= push.arrivedAt {
                let isSoon = push.arrivedAt <= call.answeredAt + Self.patience
                for value in candidates[number]
                where (isSoon || counts[value.text] == 1) && weight(value) >= best?.weight ?? 0 {
                    if shown.contains(where: { $0.contains(value.text) }) { best = (number, value.text, weight(value)) }
                }
            }
            guard let best else { continue }
            places[best.call, default: []].formUnion(candidates[best.call].filter { $0.text == best.text }.map(\.place))
        }
        // Where several calls say what their pushes show, others do that had no push as they were watched.
        let usual = places.values.joined().reduce(into: [ObservedCall.Place: Int]()) { $0[$1, default: 0] += 1 }
        for (number, own) in candidates.enumerated() where places[number] == nil {
            let likely = own.filter { usual[$0.place] ?? 0 > 1 && counts[$0.text] == 1 }
            guard let best = likely.max(by: { usual[$0.place]! < usual[$1.place]! }) else { continue }
            places[number] = Set(own.filter { $0.text == best.text }.map(\.place))
        }
        return places
    }

    private static func mapped(
        _ value: JSONValue, _ pointer: String, _ change: (String, JSONValue) -> JSONValue
    ) -> JSONValue {
        switch value {
        case .object(let object):
            var output = JSONObject()
            for (key, inner) in object {
                let step = "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
                output[key] = mapped(inner, pointer + step, change)
            }
            return .object(output)
        case .array(let items): return .array(items.enumerated().map { mapped($1, "\(pointer)/\($0)", change) })
        default: return change(pointer, value)
        }
    }

    // MARK: Times

    private static let day: Int64 = 86_400

    private static func time(_ number: Int64, _ wall: WallTime) -> String? {
        if abs(number - wall.seconds) < day { return "{{now|unix}}" }
        if abs(number - wall.milliseconds) < day * 1_000 { return "{{now|ms}}" }
        return nil
    }

    private static func time(_ text: String, _ wall: WallTime) -> String? {
        if let number = Int64(text) { return time(number, wall) }
        let date = text.prefix(10)
        let isDate = date.count == 10 && date.filter { $0 == "-" }.count == 2 && text.dropFirst(10).first == "T"
        return isDate && date.allSatisfy { $0.isNumber || $0 == "-" } ? "{{now|iso}}" : nil
    }
}

// The profile that a tour plays by: the calls as curl says them, and, once they were made and all was well, what each brought
// about. What came then is owed from then on.

import Basics
import Pushes
import Scenarios

struct TourDraft {
    /// What a call of the first play brought about.
    struct Seen: Equatable {
        var statuses: Set<Int> = []
        var pushes: [SeenPush] = []
    }

    /// A push that bore the call's marker.
    struct SeenPush: Hashable {
        var provider = Provider.apns
        var type: PushType
        var event: ActivityEvent?
        /// The variable that its token is.
        var token: String
        /// Pointers to texts that stand there as they were said.
        var passes: [String] = []
        /// It has the call's text.
        var isMarked = true

        /// As a profile says it.
        var channel: String { provider == .fcm ? "fcm" : type.word.description }
        var words: String { channel + (event.map { " \($0.word)" } ?? "") }
    }

    /// What watching other callers has told of a call.
    struct Traits {
        var captures: [(name: String, pointer: String)] = []
        /// Variables of the tokens that it takes back.
        var unregisters: [String] = []
        /// It is to be refused with that.
        var refusedWith: Int?
        /// It speaks for somebody whom no call has registered.
        var isUnknown = false
        /// Each a line about it.
        var notes: [String] = []
    }

    let calls: [CurlCall]
    let names: [String]
    let topic: String
    /// By call; empty before the first play.
    var seen: [Seen] = []
    /// All pushes came to one host of APNs.
    var isOfOneHost = false
    /// What further plays have told; nil: there were none.
    var terms: LearnedTerms?
    /// What stands in pushes as it was said, where further plays have told; nil: the text alone is known.
    var passes: [LearnedPasses.Row]?
    /// What cards go on showing, and what calls set by themselves.
    var carried: [(row: LearnedValues.Row, sets: [Int: JSONValue])] = []
    /// Files of schemas, by their key.
    var schemas: [(key: String, name: String)] = []
    /// By call; empty where nobody was watched.
    var traits: [Traits] = []
    /// In which orders sessions make the calls, as their numbers.
    var scripts: [[Int]]
    /// Who writes the profile, of what.
    let author: String

    /// Words of a call that stand for what PushRig says, and the variables that they are. `{{text}}` has the marker before it.
    static let words = ["token": "deviceToken", "user": "secret", "session": "sessionID"]
    private static let noes = [400, 401, 403, 404, 409, 410, 413, 422, 429, 500, 502, 503, 504]
    private let activity = SeenTokens.Role.activity.rawValue
    private static let tokens = SessionVariable.tokens.map(\.rawValue)
    /// Letters that a wrong encoding spoils.
    static let text = "Half way – é 🚀 & + %"

    init(
        _ calls: [CurlCall], traits: [Traits] = [], topic: String, author: String = "`pushrig exec --tour` from lines of curl"
    ) throws(Failure) {
        (self.traits, self.author) = (traits, author)
        self.calls = calls
        self.topic = topic
        scripts = [Array(calls.indices)]
        var names: [String] = []
        for call in calls {
            let parts = call.path.prefix { $0 != "?" }.split(separator: "/").filter { !$0.contains("{") }
            // What has digits may be somebody's id.
            let word = parts.last { !$0.dropFirst(2).contains(where: \.isNumber) } ?? parts.last ?? "call"
            let name = String(word.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }.prefix(32))
            let usual = name.isEmpty ? "call" : name
            let isFree = { !names.contains($0) && !GateMeasure.reservedWords.contains($0.lowercased()) }
            names.append(isFree(usual) ? usual : (2...).lazy.map { "\(usual)-\($0)" }.first(where: isFree)!)
        }
        self.names = names
        guard let first = calls.first else {
            throw Failure(
                .usage, "--tour needs at least one --call",
                hint: "such as --call 'curl -d \"{{text}}\" http://127.0.0.1:8787/send/{{token}}'")
        }
        if let other = calls.first(where: { $0.origin != first.origin }) {
            throw Failure(
                .usage, "calls of a tour go to one relay, not to \(first.origin) and \(other.origin)",
                hint: "leave out those that are not the relay's")
        }
    }

    /// Whether a variable of that name is there already.
    static func isKnown(_ name: String) -> Bool {
        SessionVariable(rawValue: name) != nil || EventVariable(rawValue: name) != nil || ["now", "text"].contains(name)
            || words[name] != nil
    }

    /// Some call says a text by which its push is found again.
    var isMarked: Bool { calls.indices.contains(where: isMarked) }

    /// That one does.
    func isMarked(_ call: Int) -> Bool { Self.filled(calls[call].said).contains("{{marker}}") }

    /// Captured values that a call says.
    func needs(_ call: Int) -> Set<String> {
        let text = Self.filled(calls[call].said)
        return Set(traits.flatMap(\.captures).map(\.name)).filter { text.contains("{{\($0)}}") }
    }

    /// Of a call: variables of tokens that it names.
    func named(_ call: Int) -> [String] {
        let text = Self.filled(calls[call].said)
        return Self.tokens.filter { text.contains("{{\($0)}}") || text.contains("{{\($0)|") }
    }

    /// With the words of a profile; filters stay.
    static func filled(_ text: String) -> String {
        var (output, rest) = ("", text[...])
        while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
            let inner = rest[open.upperBound..<close.lowerBound].filter { $0 != " " }
            let name = inner.prefix { $0 != "|" }
            let filter = inner.dropFirst(name.count)
            let variable = words[String(name)] ?? String(name)
            output += rest[..<open.lowerBound] + (variable == "text" ? "{{marker}} " : "") + "{{\(variable)\(filter)}}"
            rest = rest[close.upperBound...]
        }
        return output + rest
    }

    /// Each push goes to a token that its own call names: the callers keep them.
    var callersKeepTokens: Bool {
        let pushing = seen.indices.filter { !seen[$0].pushes.isEmpty }
        return !pushing.isEmpty
            && pushing.allSatisfy { call in seen[call].pushes.allSatisfy { named(call).contains($0.token) } }
    }

    // MARK: As YAML

    /// The profile, as far as it is known.
    var profile: String {
        var text = """
            # Written by \(author), and from what each call brought about when all was well.
            # Every key: docs/scenarios.md, The profile.

            name: relay
            topic: \(Self.quoted(topic))

            """
        if callersKeepTokens {
            text += "\n# Each call names the token that it pushes to. Say under `answers` which answer tells that it is dead.\n"
                + "tokens: caller\n"
        }
        if isOfOneHost {
            text += "\n# All pushes came to one host of APNs. Strike this where the relay knows the other one, too.\n"
                + "environments: one\n"
        }
        text += "\n# So long after a call its push may come: a guess.\ndeadlines: { default: 10s }\n"
        if let terms {
            text += terms.lines + schemaLines + passLines + carriedLines
        } else {
            text += "# How long it may rest behind a 429 or 5xx says `rest`.\n"
            let passes = Self.passes(seen.flatMap(\.pushes))
            if !passes.isEmpty, let from = textPointer {
                text += "\npasses:\n" + passes.map { "  - { \($0), from: \(Self.quoted(from)) }\n" }.joined()
            }
            if !seen.isEmpty {
                text += "\n# A call that is told no is its caller's again. Its push is excused where a fault refused it.\n"
                    + "answers: [{ status: [\(Self.noes.map(String.init).joined(separator: ", "))], means: permanent }]\n"
            }
        }
        text += "\ncalls:\n"
        for call in calls.indices { text += yaml(of: call) }
        return text
    }

    private var schemaLines: String {
        guard !schemas.isEmpty else { return "" }
        return "\n# What all pushes held: an app of yours may read less, or more.\nschemas:\n"
            + schemas.map { "  \($0.key): \($0.name)\n" }.joined()
    }

    private var carriedLines: String {
        guard !carried.isEmpty else { return "" }
        return "\n# A card showed them as they were said last, also where a call did not say them again.\ncarries:\n"
            + carried.map { item in
                let rises = item.row.rises ? ", rises: true" : ""
                return "  \(item.row.name): { at: \(Self.quoted(item.row.at)), from: \(Self.quoted(item.row.from))\(rises) }\n"
            }.joined()
    }

    private var passLines: String {
        guard let passes, !passes.isEmpty else { return "" }
        return "\npasses:\n" + passes.map { row in
            let event = row.event.map { ", event: \($0.word)" } ?? ""
            return "  - { channel: \(row.channel)\(event), at: \(Self.quoted(row.at)), from: \(Self.quoted(row.from)) }\n"
        }.joined()
    }

    private static func passes(_ pushes: [SeenPush]) -> [String] {
        Set(pushes.flatMap { push in
            let event = push.event.map { ", event: \($0.word)" } ?? ""
            return push.passes.map { "channel: \(push.channel)\(event), at: \(quoted($0))" }
        }).sorted()
    }

    /// Where the one text stands in the bodies of calls; nil where it does not in all of those that push.
    private var textPointer: String? {
        let pushing = calls.indices.filter { seen.indices.contains($0) && !seen[$0].pushes.isEmpty }
        let places = Set(pushing.map(textPointer))
        return places.count == 1 ? places.first! : nil
    }

    private func textPointer(_ call: Int) -> String? {
        (calls[call].body.flatMap { try? JSONValue(parsing: $0) })?.texts.first { $0.text == "{{text}}" }?.pointer
    }

    private func yaml(of number: Int) -> String {
        let call = calls[number]
        let known = seen.indices.contains(number) ? seen[number] : nil
        let traits = traits.indices.contains(number) ? traits[number] : Traits()
        let lines = call.line.isEmpty ? [] : [call.line.split(whereSeparator: \.isNewline).joined(separator: " ")]
        var text = (lines + traits.notes).map { "  # \($0)\n" }.joined()
        let path = Self.filled(call.path).replacing(" ", with: "%20")
        text += "  \(names[number]):\n    method: \(Self.quoted(call.method))\n    path: \(Self.quoted(path))\n"
        var headers = call.headers
        let isForm = call.header("content-type")?.lowercased().hasPrefix("application/x-www-form-urlencoded") ?? false
        if let body = call.body {
            let json = try? JSONValue(parsing: body)
            switch json {
            case .object?, .array?:
                text += "    json: \(Self.filled(json!.text))\n"
                if isForm { headers.removeAll { $0.name.lowercased() == "content-type" } }
            default:
                if isForm, let fields = FormText.fields(body) {
                    text += "    form: { "
                        + fields.map { "\(Self.quoted($0)): \(Self.quoted(Self.filled($1)))" }.joined(separator: ", ") + " }\n"
                    headers.removeAll { $0.name.lowercased() == "content-type" }
                } else {
                    text += "    text: \(Self.quoted(Self.filled(body)))\n"
                }
            }
        }
        if !headers.isEmpty {
            text += "    headers: { "
                + headers.map { "\(Self.quoted($0.name.lowercased())): \(Self.quoted(Self.filled($0.value)))" }
                .joined(separator: ", ") + " }\n"
        }
        let said = Self.filled(call.said)
        if said.contains("{{text}}") || said.contains("{{text|") {
            text += "    variables: { text: \(Self.quoted(Self.text)) }\n"
        }
        let statuses = traits.refusedWith.map { [$0] } ?? (known?.statuses ?? []).sorted()
        text += "    expect: [\((statuses.isEmpty ? Array(200...206) : statuses).map(String.init).joined(separator: ", "))]\n"
        // Its refusal is what is wanted, and gives it back to nobody.
        if traits.refusedWith != nil { text += "    answers: []\n" }
        let pushes = known?.pushes ?? []
        if traits.isUnknown, pushes.isEmpty { text += "    unknown: true\n" }
        // Where calls say their text at one place, the profile says it for all.
        if terms == nil, textPointer == nil, let from = textPointer(number), case let passes = Self.passes(pushes),
            !passes.isEmpty
        {
            text += "    passes: [\(passes.map { "{ \($0), from: \(Self.quoted(from)) }" }.joined(separator: ", "))]\n"
        }
        // What a push shows that bears no text is no call's.
        if terms != nil, pushes.contains(where: { !$0.isMarked }) { text += "    passes: []\n" }
        if !traits.captures.isEmpty {
            let captures = traits.captures.map { "\($0.name): \(Self.quoted($0.pointer))" }
            text += "    captures: { \(captures.joined(separator: ", ")) }\n"
        }
        // Of no use any more is the token of a card that has ended.
        let taken = traits.unregisters.isEmpty && ends(number) && !callersKeepTokens ? [activity] : traits.unregisters
        if !taken.isEmpty {
            text += "    unregisters: [\(taken.joined(separator: ", "))]\n"
        } else if case let tokens = registers(number), !tokens.isEmpty {
            text += "    registers: [\(tokens.joined(separator: ", "))]\n"
        }
        let sets = carried.compactMap { item in item.sets[number].map { "\(item.row.name): \($0.text)" } }
        if !sets.isEmpty { text += "    sets: { \(sets.joined(separator: ", ")) }\n" }
        if prepares(number) { text += "    prepares: true\n" }
        if !pushes.isEmpty {
            text += "    pushes:\n" + pushes.map { push in
                let event = push.event.map { ", event: \($0.word)" } ?? ""
                let told = (push.isMarked ? "" : ", marked: false") + (terms?.words(of: push, by: number) ?? "")
                return "      - { channel: \(push.channel)\(event), token: \(push.token)\(told) }\n"
            }.joined()
            if ends(number) { text += "    final: true\n" }
        }
        return text + "\n"
    }

    /// A card is ended by it.
    func ends(_ call: Int) -> Bool { seen.indices.contains(call) && seen[call].pushes.contains { $0.event == .end } }

    /// A card is begun by it.
    func starts(_ call: Int) -> Bool { seen.indices.contains(call) && seen[call].pushes.contains { $0.event == .start } }

    /// It came before anything was registered, and brought nothing about by itself.
    private func prepares(_ call: Int) -> Bool {
        guard traits.indices.contains(call), seen.indices.contains(call), seen[call].pushes.isEmpty,
            traits[call].captures.isEmpty, let script = scripts.first(where: { $0.contains(call) })
        else { return false }
        return script.prefix { registers($0).isEmpty && seen[$0].pushes.isEmpty }.contains(call)
            && script.contains { !registers($0).isEmpty }
    }

    /// Variables of the tokens that it registers.
    func registers(_ call: Int) -> [String] {
        let own = traits.indices.contains(call) ? traits[call] : Traits()
        let pushes = seen.indices.contains(call) && !seen[call].pushes.isEmpty
        guard own.refusedWith == nil, own.unregisters.isEmpty, !pushes || !callersKeepTokens else { return [] }
        return Self.newest(named(call))
    }

    /// Without those whose place a newer one takes in the same call.
    private static func newest(_ tokens: [String]) -> [String] {
        let newer: [SessionVariable] = [.rotatedToken, .newStartToken, .newRegistrationToken]
        let replaced = newer.filter { tokens.contains($0.rawValue) }.map(\.role.rawValue)
        return tokens.filter { !replaced.contains($0) }
    }

    static func quoted(_ text: String) -> String { JSONValue.string(text).text }
}

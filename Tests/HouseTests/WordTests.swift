// The words of pushes stand in one room. Elsewhere they are cases of its enums: a comparison with the word's text would
// still compile when the word changes, and would then be wrong without a sound.

import Testing

/// The words of the enums in `Sources/Pushes`, read from the sources themselves.
private let pushWords: Set<String> = {
    var words: Set<String> = []
    for path in Repository.sources where path.hasPrefix("Sources/Pushes/") {
        for line in Repository.read(path).split(separator: "\n") {
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            if parts.count == 3, parts[0].drop(while: { $0 == " " }).hasPrefix("case ."), parts[0].hasSuffix(": "),
                parts[1].allSatisfy({ $0.isLowercase || $0 == "-" })
            {
                words.insert(String(parts[1]))
            }
        }
    }
    return words
}()

/// Where those words mean something else, by file: what a comparison may name there, and why.
private let otherMeanings: [String: Set<String>] = [
    // `since=end`, `after=end`: a place in the history.
    "Sources/MockServer/Core/Admin/Events/EventStreams+Parameters.swift": ["end"],
    // `"refuse-tls": "alert"`: a TLS alert.
    "Sources/Faults/FaultAction+Close.swift": ["alert"],
    // What an app does with an activity, as the admin API names it.
    "Sources/MockServer/Core/Phones/PhoneActs.swift": ["end"],
    // The key `aps.alert`.
    "Sources/APNs/PayloadReader.swift": ["alert"],
]

/// A word of pushes compared as text.
private struct TextComparison: CustomStringConvertible {
    var line: Int
    var word: String
    var description: String { "line \(line): \"\(word)\"" }

    /// All in a source: words next to `==` and `!=`, in patterns, as raw values, and in what is searched for a text.
    static func all(in source: String, words: Set<String> = pushWords) -> [TextComparison] {
        var found: [TextComparison] = []
        for (number, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let code = line.drop { $0 == " " }
            guard !code.hasPrefix("//") else { continue }
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
            for index in stride(from: 1, to: parts.count - 1, by: 2) where words.contains(parts[index]) {
                if isCompared(before: Array(parts[..<index]), after: Array(parts[(index + 1)...])) {
                    found.append(TextComparison(line: number + 1, word: parts[index]))
                }
            }
        }
        return found
    }

    /// `before` and `after` are the line's pieces between quotation marks, code and texts in turn.
    private static func isCompared(before: [String], after: [String]) -> Bool {
        let left = before.last!.trimming
        let right = after.first!.trimming
        let code = before.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: "␣")
        let rest = after.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: "␣")
        for sign in ["==", "!=", "~="] where left.hasSuffix(sign) || right.hasPrefix(sign) { return true }
        // A pattern: what stands between `case` and the colon is texts and commas only. Also `case shown = "shown"`.
        let statement = String(code.drop { $0 == " " })
        if let pattern = statement.suffix(after: "case "), pattern.allSatisfy({ "␣, ".contains($0) }) { return true }
        if statement.hasPrefix("case "), left.hasSuffix("=") { return true }
        for call in ["contains(", "hasPrefix(", "hasSuffix(", "firstIndex(of: ", "matches(", "equals(", "isString(node, "]
        where before.last!.hasSuffix(call) { return true }
        // `["shown", "updated"].contains(word)`
        let list = rest.prefix { $0 != "]" }
        if list.count < rest.count, list.allSatisfy({ "␣, ".contains($0) }), let end = rest.firstIndex(of: "]"),
            ["].contains(", "].firstIndex("].contains(where: { rest[end...].hasPrefix($0) })
        {
            return true
        }
        return false
    }
}

extension String {
    fileprivate var trimming: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    fileprivate func suffix(after start: String) -> Substring? { hasPrefix(start) ? dropFirst(start.count) : nil }
}

@Suite("The words of pushes")
struct PushWordTests {
    @Test("are known here")
    func known() {
        for word in ["liveactivity", "start", "fcm", "sandbox", "ignored-older", "throttled"] {
            #expect(pushWords.contains(word))
        }
        #expect(pushWords.count == 11 + 3 + 2 + 2 + 24 + 3)
    }

    @Test("are nowhere compared as text", arguments: Repository.sources.filter { !$0.hasPrefix("Sources/Pushes/") })
    func comparisons(path: String) {
        // A relay under test is written as if by somebody else.
        if path.hasPrefix("Sources/ReferenceRelay/") { return }
        let allowed = otherMeanings[path] ?? []
        let found = TextComparison.all(in: Repository.read(path)).filter { !allowed.contains($0.word) }
        #expect(found.isEmpty, "\(path) compares text: \(found)")
    }

    @Test(
        "would be found in any of these comparisons",
        arguments: [
            #"if push.outcome == "stored" { return }"#, #"guard word != "fcm" else { return }"#,
            #""update" == text ? 1 : 2"#, #"case "start": .start"#, #"        case "", "shown", "ended", "silent": true"#,
            #"    case shown = "shown""#, #"let isIgnored = outcome.hasPrefix("ignored-older")"#,
            #"if ["shown", "updated"].contains(word) { }"#, #"outcomes.contains("undecodable")"#,
            #"words.firstIndex(of: "sandbox")"#, #"let is = ["a", "end"].firstIndex(of: x)"#,
            #"if scanner.isString(node, "update") { return }"#, #"if word.matches("liveactivity") {"#,
            #"let isSandbox = try one(of: ["production", "sandbox"]) == "sandbox""#,
        ])
    func isFound(line: String) { #expect(!TextComparison.all(in: "import Basics\n" + line).isEmpty) }

    @Test(
        "may stand where nothing is compared",
        arguments: [
            #"paper.text(place, baseline, line.name, "label", anchor: "end")"#, #"object["sandbox"] = address(sandbox)"#,
            #""channel*": "liveactivity", "event": "update","#, #"case .start: "start""#, #"// if outcome == "stored""#,
            #""act": "started", "push": .integer(1)"#, #"let text = condition ? "end" : "start""#,
            #"try arguments.one(of: ["production", "sandbox", "both"], "--environment")"#, #"case "stop": .stop"#,
        ])
    func isNotFound(line: String) { #expect(TextComparison.all(in: line).isEmpty) }
}

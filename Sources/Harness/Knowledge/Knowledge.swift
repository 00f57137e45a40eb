// What there is, in words: for `pushrig list` and `pushrig explain`. The topics stand beside this file, one idea each.

package import Basics
import Pushes

/// One list of names, and what can be said of each.
struct KnowledgeTopic: Sendable {
    /// The word after `pushrig list`.
    let kind: String
    /// A name and a line about it, for each thing there is.
    let rows: @Sendable () -> [(name: String, line: String)]
    /// All that is said of a name, with a newline at the end; nil for a name of other topics.
    let explain: @Sendable (String) -> String?
    /// Names to suggest when one is misspelt; by default those of the rows.
    let names: @Sendable () -> [String]

    init(
        _ kind: String, rows: @escaping @Sendable () -> [(name: String, line: String)],
        names: (@Sendable () -> [String])? = nil, explain: @escaping @Sendable (String) -> String?
    ) {
        self.kind = kind
        self.rows = rows
        self.names = names ?? { rows().map(\.name) }
        self.explain = explain
    }
}

package enum Knowledge {
    /// In the order in which they explain a name that stands in several.
    static let topics: [KnowledgeTopic] = [
        .reasons, .broadcastReasons, .fcmReasons, .oauthReasons, .pushTypes, .words, .metrics, .searches, .outcomes, .warnings,
        .causes, .claims, .rules, .settings, .credentials, .faults, .defects, .dialects,
        .glossary, .keys,
    ]

    package static let kinds = topics.map(\.kind)

    /// A line for each thing of this kind; fails when there is no such kind. `provider`: whose reasons; nil: those of APNs.
    package static func list(_ kind: String, of provider: String? = nil) throws(Failure) -> String {
        if let provider {
            guard kind == "reasons" else {
                throw Failure(
                    .usage, "a list of \(kind) is not of one provider", hint: "`pushrig list reasons --provider \(provider)`")
            }
            if Provider(word: provider) == .fcm { return try list(KnowledgeTopic.fcmReasons.kind) }
        }
        guard let topic = topics.first(where: { $0.kind == kind }) else {
            throw Failure(.usage, "there is no list of '\(kind)'", hint: Suggestion.hint(for: kind, among: kinds))
        }
        let rows = topic.rows()
        let width = (rows.map(\.name.count).max() ?? 0) + 2
        return rows.map { $0.name + String(repeating: " ", count: width - $0.name.count) + $0.line + "\n" }.joined()
    }

    /// What every topic says of the name, with a blank line between; fails when none knows it.
    package static func explain(_ name: String) throws(Failure) -> String {
        let texts = topics.compactMap { $0.explain(name) }
        guard texts.isEmpty else { return texts.joined(separator: "\n") }
        if let keys = KnowledgeTopic.keys(named: name) { return keys }
        throw Failure(
            .usage, "nothing is known of '\(name)'",
            hint: Suggestion.nearest(to: name, among: topics.flatMap { $0.names() }).map { "did you mean `\($0)`?" }
                ?? "`pushrig list KIND` tells what there is: \(kinds.joined(separator: ", "))")
    }
}

// Whose type a schema describes. Two systems may give different types one name, and one app changes its types from version
// to version; so a schema is known by all three.

import Basics

/// `x-app` of a schema file.
package struct AppVersion: Hashable, Sendable {
    /// The system, such as `opencode-ios`.
    package var system: String
    /// The type's name, which a start carries as `attributes-type`.
    package var attributesType: String
    /// The version of the app; nil: of each that no other file speaks of.
    package var version: String?
    /// Where it is written.
    package var place: String

    private static let keys = ["system", "attributesType", "version"]

    /// Nil when the file says nothing about it.
    init?(_ file: SchemaFile) throws(Failure) {
        guard let tree = file.tree["x-app"] else { return nil }
        place = file.place("/x-app")
        for key in tree.object?.keys ?? [] where !Self.keys.contains(key) {
            throw Failure(
                .usage, "`x-app` has no key `\(clipped(key))`", hint: Suggestion.hint(for: key, among: Self.keys),
                place: file.place("/x-app/" + JSONPointerPath.escaped(key)))
        }
        var texts: [String?] = []
        for key in Self.keys {
            let text = tree[key]?.string
            guard text?.isEmpty == false || key == "version" && tree[key] == nil else {
                throw Failure(
                    .usage, "`x-app` needs `\(key)`, as text",
                    hint: #"such as { "system": "opencode-a", "attributesType": "SessionActivityAttributes" }"#, place: place)
            }
            texts.append(text)
        }
        (system, attributesType, version) = (texts[0] ?? "", texts[1] ?? "", texts[2])
    }

    /// As it stands in a sentence.
    package var words: String { "\(attributesType) of \(system)" + (version.map { " \($0)" } ?? "") }

    package func isSame(as other: AppVersion) -> Bool {
        system == other.system && attributesType == other.attributesType && version == other.version
    }
}

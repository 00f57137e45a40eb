// What a card shows: `x-card` of a content-state's schema, read and held against the schema, so that each key it names is
// there. docs/schemas.md tells how it is written; `CardRenderer` fills it in.

package import Basics

/// What each place of a card is filled with.
package struct CardLayout: Sendable {
    package enum Slot: String, CaseIterable, Sendable { case title, status, body, progress, since }

    /// Where a value is found.
    enum Source: Hashable, Sendable { case state, attributes }

    enum Piece: Sendable {
        case text(String)
        case value(Source, JSONPointerPath)
    }

    struct Entry: Sendable {
        /// The first whose values are all there is shown.
        var templates: [[Piece]]
        /// What is shown instead of a value.
        var words: [String: String]
    }

    /// A pointer into the attributes, which only their own schema can say something about.
    struct Pending: Sendable {
        var slot: Slot
        var path: JSONPointerPath
        var place: String
    }

    var entries: [Slot: Entry] = [:]
    var pending: [Pending] = []
}

extension Schema {
    /// Why its card cannot show what it takes from the attributes that this schema describes; nil when it can.
    package func cardMistake(attributes: Schema?) -> Failure? {
        for wanted in card?.pending ?? [] {
            guard let attributes else {
                return Failure(
                    .usage, "`x-card` shows `\(wanted.path.text)` of the attributes, and there is no schema of them",
                    hint: "name their schema beside this one", place: wanted.place)
            }
            if let objection = attributes.objection(to: wanted.path, for: wanted.slot) {
                return Failure(
                    .usage, "`x-card`: in the attributes \(objection.message)", hint: objection.hint, place: wanted.place)
            }
        }
        return nil
    }

    /// Why a pointer leads to nothing that a card can show there.
    func objection(to path: JSONPointerPath, for slot: CardLayout.Slot) -> (message: String, hint: String?)? {
        let (node, lacking) = walk(path)
        if let lacking {
            let keys = node.properties.map(\.text)
            let hint = keys.isEmpty ? nil : Suggestion.hint(for: lacking, among: keys)
            return ("`\(clipped(path.text))` leads nowhere: there is no `\(clipped(lacking))`", hint)
        }
        switch node.kind {
        case .integer, .number: return nil
        case .string, .boolean:
            guard slot == .since else { return nil }
            return ("`\(path.text)` is no number", "`since` is a Date, or seconds that have passed")
        default: return ("`\(path.text)` leads to no single value", "text, numbers, true or false can be shown")
        }
    }

    /// The node that a pointer leads to, into JSON text within strings too; or the last one on the way, and what it lacks.
    func walk(_ path: JSONPointerPath) -> (node: SchemaNode, lacking: String?) {
        var node = parts[0].node
        for step in path.steps {
            if let embedded = node.embedded { node = parts[embedded].node }
            if case .values(let values) = node.additional {
                node = parts[values].node
            } else if let property = node.properties.first(where: { $0.text == step }) {
                node = parts[property.node].node
            } else if let items = node.items, Int(step).map({ $0 >= 0 }) == true {
                node = parts[items].node
            } else {
                return (node, step)
            }
        }
        return (node, nil)
    }
}

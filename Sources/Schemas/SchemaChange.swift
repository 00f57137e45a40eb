// Where two schemas differ in what decodes, whatever they say beyond that.

import Basics

struct SchemaChange {
    private let own: Schema
    private let other: Schema

    /// The first difference; its pointer leads into the schema's file.
    static func first(from own: Schema, to other: Schema) -> SchemaFinding? {
        SchemaChange(own: own, other: other).difference(0, 0, at: "")
    }

    private func difference(_ ownPlace: Int, _ otherPlace: Int, at pointer: String) -> SchemaFinding? {
        let (a, b) = (own.parts[ownPlace].node, other.parts[otherPlace].node)
        func changed(_ keyword: String, _ reason: String) -> SchemaFinding {
            SchemaFinding(pointer: pointer + keyword, reason: reason)
        }
        if a.isIgnored || b.isIgnored {
            return a.isIgnored == b.isIgnored ? nil : changed("/x-ignored", "whether a value is read")
        }
        guard a.kind == b.kind else { return changed("/type", "\(SchemaChecker.words(a)) is not \(SchemaChecker.words(b))") }
        guard a.width == b.width, a.form == b.form else { return changed("/format", "the Swift type of a value") }
        // Where the type is no enum, the overlay may tell which values were agreed on.
        let (values, others) = (a.isOpen ? [] : a.choices.map(\.words), b.isOpen ? [] : b.choices.map(\.words))
        guard Set(values) == Set(others) else {
            return changed("/enum", "the values of an enum; beside `x-open-enum` they are only agreed on")
        }
        if let finding = keys(a, b, at: pointer) { return finding }
        switch (a.additional, b.additional) {
        case (.values(let own), .values(let other)):
            if let finding = value(own, other, at: pointer + "/additionalProperties") { return finding }
        case (.values, _), (_, .values): return changed("/additionalProperties", "a dictionary is no struct")
        default: break
        }
        switch (a.items, b.items) {
        case (let own?, let other?): return value(own, other, at: pointer + "/items")
        case (nil, nil): return nil
        default: return changed("/items", "the values of a list")
        }
    }

    private func value(_ ownPlace: Int, _ otherPlace: Int, at pointer: String) -> SchemaFinding? {
        let (a, b) = (own.parts[ownPlace].node, other.parts[otherPlace].node)
        if a.isNullable != b.isNullable { return SchemaFinding(pointer: pointer + "/type", reason: "whether it may be null") }
        return difference(ownPlace, otherPlace, at: pointer)
    }

    private func keys(_ a: SchemaNode, _ b: SchemaNode, at pointer: String) -> SchemaFinding? {
        for property in b.properties where !a.properties.contains(where: { $0.text == property.text }) {
            let place = pointer + "/properties/" + JSONPointerPath.escaped(property.text)
            return SchemaFinding(pointer: place, reason: "the type has no `\(clipped(property.text))`")
        }
        for property in a.properties {
            let place = pointer + "/properties/" + JSONPointerPath.escaped(property.text)
            guard let same = b.properties.first(where: { $0.text == property.text }) else {
                return SchemaFinding(pointer: place, reason: "the type has a `\(clipped(property.text))`")
            }
            // A key that is required and may be null is an optional to Swift, as is one that is not required.
            let needs = { (schema: Schema, property: SchemaProperty) in
                property.isRequired && !schema.parts[property.node].node.toleratesAbsence
            }
            if needs(own, property) != needs(other, same) {
                let word = needs(own, property) ? "demands" : "does not demand"
                return SchemaFinding(
                    pointer: pointer + "/required", reason: "the type \(word) `\(clipped(property.text))`")
            }
            if let finding = difference(property.node, same.node, at: place) { return finding }
        }
        return nil
    }
}

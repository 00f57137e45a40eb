// A schema that contradicts itself: what no value can keep, or what its own type rules out. Each is a mistake of whoever
// wrote it, told with its place before anything is checked.

import Basics

struct SchemaConsistency {
    private let reader: SchemaReader
    private let nodes: [SchemaNode]

    /// `nodes`: those compiled so far, all below the schema among them.
    init(_ reader: SchemaReader, _ nodes: [SchemaNode]) {
        self.reader = reader
        self.nodes = nodes
    }

    func check(_ place: Int) throws(Failure) {
        let node = nodes[place]
        try checkBounds(node)
        try checkChoices(node)
        try checkRequired(node)
        for (index, agreement) in node.agreements.enumerated() {
            try checkBranch(nodes[agreement], of: node, at: "/allOf/\(index)")
        }
        for condition in node.conditions {
            try checkBranch(nodes[condition.condition], of: node, at: "/if")
            if let then = condition.then { try checkBranch(nodes[then], of: node, at: "/then") }
            if let otherwise = condition.otherwise { try checkBranch(nodes[otherwise], of: node, at: "/else") }
        }
    }

    private func checkBounds(_ node: SchemaNode) throws(Failure) {
        if let least = node.minimum, let most = node.maximum, least > most {
            throw reader.wrong("`minimum` is above `maximum`", hint: "no number is both", at: "/minimum")
        }
        if node.kind == .integer, let least = node.minimum, let most = node.maximum, least.rounded(.up) > most.rounded(.down) {
            throw reader.wrong(
                "no whole number lies between `minimum` and `maximum`", hint: "change one, or write `number`", at: "/minimum")
        }
        if let range = node.width.range, node.kind == .integer {
            if let least = node.minimum, least > Double(range.upperBound) {
                throw reader.wrong(
                    "`minimum` is above all that \(node.width.words) holds", hint: "lower it, or change `format`",
                    at: "/minimum")
            }
            if let most = node.maximum, most < Double(range.lowerBound) {
                throw reader.wrong(
                    "`maximum` is below all that \(node.width.words) holds", hint: "raise it, or change `format`",
                    at: "/maximum")
            }
        }
        // A text has at least as many bytes as scalars; of characters it may have fewer.
        for (keyword, most) in [("maxLength", node.text.maxLength), ("x-max-bytes", node.text.maxBytes)] {
            guard let least = node.text.minLength, let most, least > most else { continue }
            throw reader.wrong("`minLength` is above `\(keyword)`", hint: "no text is both", at: "/minLength")
        }
        if let least = node.text.minLength, least > 0, node.text.maxCharacters == 0 {
            throw reader.wrong("`minLength` is above `x-max-characters`", hint: "no text is both", at: "/minLength")
        }
    }

    private func checkChoices(_ node: SchemaNode) throws(Failure) {
        let isConstant = reader.tree["const"] != nil
        var known: Set<String> = []
        for (index, choice) in node.choices.enumerated() {
            let place = isConstant ? "/const" : "/enum/\(index)"
            let words = "`\(isConstant ? "const" : "enum")` holds \(clipped(choice.words))"
            if let type = objection(to: choice, node) {
                throw reader.wrong("\(words), which \(type) rules out", hint: "strike one of the two", at: place)
            }
            if !known.insert(choice.words).inserted {
                throw reader.wrong("\(words) twice", hint: "strike one", at: place)
            }
        }
    }

    /// The keyword that a value of `enum` breaks.
    private func objection(to choice: SchemaScalar, _ node: SchemaNode) -> String? {
        switch (choice, node.kind) {
        case (.null, .any), (.bool, .any), (.integer, .any), (.number, .any), (.string, .any), (.bool, .boolean): return nil
        case (.null, _): return node.isNullable ? nil : "`type`"
        case (.integer(let value), .integer):
            if node.width.range?.contains(Int128(value)) == false { return "`format`" }
            return bound(Double(value), node)
        case (.integer(let value), .number): return bound(Double(value), node)
        case (.number(let value), .number): return bound(value, node)
        case (.number(let value), .integer): return value == value.rounded() ? bound(value, node) : "`type`"
        case (.string(let text), .string):
            if let form = node.form, !form.isRead(text) { return "`format`" }
            if let least = node.text.minLength, text.unicodeScalars.count < least { return "`minLength`" }
            if let most = node.text.maxLength, text.unicodeScalars.count > most { return "`maxLength`" }
            if let most = node.text.maxCharacters, text.count > most { return "`x-max-characters`" }
            if let most = node.text.maxBytes, text.utf8.count > most { return "`x-max-bytes`" }
            return nil
        default: return "`type`"
        }
    }

    private func bound(_ value: Double, _ node: SchemaNode) -> String? {
        if let least = node.minimum, value < least { return "`minimum`" }
        if let most = node.maximum, value > most { return "`maximum`" }
        return nil
    }

    private func checkRequired(_ node: SchemaNode) throws(Failure) {
        var known: Set<String> = []
        for (index, name) in (try reader.texts("required")).enumerated() {
            if !known.insert(name).inserted {
                throw reader.wrong("`required` holds `\(clipped(name))` twice", hint: "strike one", at: "/required/\(index)")
            }
            guard case .forbidden = node.additional, reader.tree["properties"]?.object?[name] == nil else { continue }
            let keys = reader.tree["properties"]?.object?.keys ?? []
            throw reader.wrong(
                "`required` holds `\(clipped(name))`, which is no key of the object's closed `properties`",
                hint: Suggestion.nearest(to: name, among: keys).map { "did you mean `\($0)`?" }
                    ?? "add it there, or strike `additionalProperties`", at: "/required/\(index)")
        }
    }

    /// A branch of `allOf`, `if`, `then` or `else` speaks of the same value as the schema itself.
    private func checkBranch(_ branch: SchemaNode, of node: SchemaNode, at place: String) throws(Failure) {
        let isNull = branch.kind == .null
        guard node.kind == .any || branch.kind == .any || node.kind == branch.kind || isNull && node.isNullable
            || [node.kind, branch.kind].allSatisfy({ $0 == .integer || $0 == .number })
        else {
            throw reader.wrong(
                "this wants `\(branch.kind.rawValue)`, and the value is `\(node.kind.rawValue)`",
                hint: "no value is both; change one `type`", at: place)
        }
        let own = Set(node.choices.map(\.words))
        if !node.isOpen, !own.isEmpty, !branch.choices.isEmpty, own.isDisjoint(with: branch.choices.map(\.words)) {
            throw reader.wrong(
                "this wants \(clipped(branch.choices[0].words)), and the value is one of `enum`",
                hint: Suggestion.hint(for: branch.choices[0].words, among: node.choices.map(\.words)), at: place)
        }
        for property in branch.properties {
            let below = place + "/properties/" + JSONPointerPath.escaped(property.text)
            if let own = node.properties.first(where: { $0.text == property.text }) {
                try checkBranch(nodes[property.node], of: nodes[own.node], at: below)
            } else if case .forbidden = node.additional {
                throw reader.wrong(
                    "this speaks of `\(clipped(property.text))`, which is no key of the object's closed `properties`",
                    hint: Suggestion.nearest(to: property.text, among: node.properties.map(\.text))
                        .map { "did you mean `\($0)`?" } ?? "add it there, or strike it here", at: below)
            }
        }
    }
}

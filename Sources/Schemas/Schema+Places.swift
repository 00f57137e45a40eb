// Whether a schema knows of a place in what it describes.

extension Schema {
    /// The first key on the way to `steps` that no property has, with those that there are; nil where all are known, or where
    /// anything may stand.
    package func lack(at steps: some Collection<String>) -> (key: String, known: [String])? {
        var number = 0
        for step in steps {
            let node = parts[number].node
            switch node.kind {
            case .array:
                guard let items = node.items else { return nil }
                number = items
            case .object:
                if let property = node.properties.first(where: { $0.text == step }) {
                    number = property.node
                } else if case .values(let values) = node.additional {
                    number = values
                } else {
                    // What else was agreed, or the text that holds JSON, may know it.
                    let isOpen = !node.agreements.isEmpty || !node.conditions.isEmpty || node.properties.isEmpty
                    return isOpen ? nil : (key: step, known: node.properties.map(\.text).sorted())
                }
            default: return nil
            }
        }
        return nil
    }
}

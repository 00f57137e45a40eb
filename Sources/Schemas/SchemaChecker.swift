// Holds values against a schema, push by push. It walks the schema and the scanned value together, so its work is bounded
// by the size of both, and it writes no text unless something is wrong.

package import Basics

/// A schema and the memory to check values with. Confined to one thread.
package final class SchemaChecker {
    /// Who minds: the phone, which decodes as Swift does, or whoever wrote the contract, who reads JSON Schema.
    enum Reader {
        case phone, contract
    }

    /// More findings of one kind than this are not told.
    static let findingsMax = 8

    package let schema: Schema
    let levels = JSONLevels()
    /// Where the properties of the objects stand that are being checked, -1 for none.
    private var places: [Int] = []
    private var verdict = SchemaVerdict()
    /// An `if` is being asked; nothing is told, only whether it holds.
    private var isAsking = false
    private var hasFailed = false

    package init(_ schema: Schema) { self.schema = schema }

    /// Checks a whole text.
    package func check(_ text: Span<UInt8>) -> SchemaVerdict {
        begin()
        if let error = levels.start(text, pointer: "") {
            tell(.phone, "is not JSON: \(error.explanation), at byte \(error.offset)")
        } else {
            check(0, schema.parts[0], for: .phone)
        }
        return verdict
    }

    /// Checks a value of a document that `scanner` holds, such as the content state of a push. `pointer` is the way to it.
    package func check(_ node: Int, of scanner: JSONScanner, at pointer: String) -> SchemaVerdict {
        begin()
        levels.start(scanner, pointer: pointer)
        check(node, schema.parts[0], for: .phone)
        return verdict
    }

    private func begin() {
        verdict = SchemaVerdict()
        places.removeAll(keepingCapacity: true)
        isAsking = false
    }

    /// The value where `levels` stands.
    func check(_ value: Int, _ part: SchemaPart, for reader: Reader) {
        let reader = part.node.isIgnored ? .contract : reader
        let kind = levels.json.node(value).kind
        let isNull = kind == .null && part.node.kind != .any
        if isNull {
            if !part.node.isNullable { tell(reader, "is null, not \(Self.words(part.node))") }
        } else {
            switch (part.node.kind, kind) {
            case (.any, .object): checkMembers(value, part, for: reader)
            case (.any, _), (.boolean, .true), (.boolean, .false): break
            case (.object, .object): checkMembers(value, part, for: reader)
            case (.array, .array): checkItems(value, part, for: reader)
            case (.string, .string): checkString(value, part, for: reader)
            case (.integer, .number), (.number, .number): checkNumber(value, part, for: reader)
            default: return tell(reader, "is \(Self.words(kind)), not \(Self.words(part.node))")
            }
        }
        // An optional enum of Swift has no raw value for null.
        let hasChoice = !isNull || part.node.isNullable && reader == .contract
        if hasChoice, !part.node.choices.isEmpty { checkChoices(value, part, for: reader) }
        for agreement in part.node.agreements { check(value, schema.parts[agreement], for: .contract) }
        for condition in part.node.conditions {
            let branch = holds(value, condition.condition) ? condition.then : condition.otherwise
            if let branch { check(value, schema.parts[branch], for: .contract) }
        }
    }

    private func checkItems(_ value: Int, _ part: SchemaPart, for reader: Reader) {
        guard let items = part.node.items else { return }
        var child = Int(levels.json.node(value).firstChild)
        var index = 0
        while child >= 0 {
            levels.enter(element: index)
            check(child, schema.parts[items], for: reader)
            levels.leave()
            child = Int(levels.json.node(child).next)
            index += 1
        }
    }

    private func checkMembers(_ value: Int, _ part: SchemaPart, for reader: Reader) {
        if case .values(let values) = part.node.additional { return checkDictionary(value, values, for: reader) }
        let base = places.count
        places.append(contentsOf: repeatElement(-1, count: part.node.properties.count))
        defer { places.removeLast(part.node.properties.count) }
        var child = Int(levels.json.node(value).firstChild)
        while child >= 0 {
            if let index = property(of: child, part) {
                if places[base + index] < 0 { places[base + index] = child } else { tellRepeated(child) }
            } else if case .forbidden = part.node.additional {
                tell(.contract, "is a key that was not agreed on", inside: child)
            }
            child = Int(levels.json.node(child).next)
        }
        for index in part.node.properties.indices {
            check(places[base + index], part.node.properties[index], for: reader)
        }
    }

    private func check(_ value: Int, _ property: SchemaProperty, for reader: Reader) {
        let part = schema.parts[property.node]
        guard value >= 0 else {
            guard property.isRequired else { return }
            let reader = part.node.toleratesAbsence ? .contract : reader
            return tell(reader, "lacks the key \"\(property.text)\"")
        }
        // A Swift type that may be absent is optional, so null is the same to it.
        let isAbsent = reader == .phone && !property.isRequired && levels.json.node(value).kind == .null
        if isAbsent, !part.node.isIgnored { return }
        levels.enter(member: value)
        check(value, part, for: reader)
        levels.leave()
    }

    /// Each value alike. A key that stands twice needs to be noticed only where the scanner let one pass.
    private func checkDictionary(_ value: Int, _ values: Int, for reader: Reader) {
        var known: Set<String> = []
        var child = Int(levels.json.node(value).firstChild)
        while child >= 0 {
            let isKnown =
                levels.json.allowsRepeatedKeys && !known.insert(levels.json.key(child) ?? "").inserted
            if isKnown {
                tellRepeated(child)
            } else {
                levels.enter(member: child)
                check(child, schema.parts[values], for: reader)
                levels.leave()
            }
            child = Int(levels.json.node(child).next)
        }
    }

    /// Whether the value keeps all that the node says, as JSON Schema reads it.
    private func holds(_ value: Int, _ node: Int) -> Bool {
        let (wasAsking, hadFailed) = (isAsking, hasFailed)
        (isAsking, hasFailed) = (true, false)
        check(value, schema.parts[node], for: .contract)
        let holds = !hasFailed
        (isAsking, hasFailed) = (wasAsking, hadFailed)
        return holds
    }

    private func tellRepeated(_ child: Int) {
        tell(.contract, "stands twice; readers differ in which of them counts", inside: child)
    }

    /// `inside`: of that member of the object where we stand.
    func tell(_ reader: Reader, _ reason: @autoclosure () -> String, inside member: Int? = nil) {
        guard !isAsking else { return hasFailed = true }
        let count = reader == .phone ? verdict.doesNotDecode.count : verdict.breaksContract.count
        guard count < Self.findingsMax else { return }
        if let member { levels.enter(member: member) }
        let finding = SchemaFinding(pointer: levels.pointer, reason: reason())
        if member != nil { levels.leave() }
        if reader == .phone { verdict.doesNotDecode.append(finding) } else { verdict.breaksContract.append(finding) }
    }
}

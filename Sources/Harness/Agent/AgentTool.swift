// A verb of the command line as a tool of the Model Context Protocol: its options are the properties of the tool's input.
// Source: Model Context Protocol, revision 2025-06-18, "Tools".

import Basics

package struct AgentTool: Sendable {
    /// One option of the verb; its property has the name without dashes, in camel case.
    package struct Option: Sendable {
        package var name: String
        /// What follows it, such as `DIR` or `text|json`; nil: nothing does.
        package var value: String?
        package var help: String
        package var isRepeatable: Bool

        package init(name: String, value: String?, help: String, isRepeatable: Bool) {
            self.name = name
            self.value = value
            self.help = help
            self.isRepeatable = isRepeatable
        }

        var property: String {
            let words = name.drop { $0 == "-" }.split { $0 == "-" || $0 == "." }
            return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
        }

        /// It may stand without its value.
        var isOptional: Bool { value?.hasPrefix("[") ?? false && value?.hasSuffix("]") ?? false }

        /// The words to choose from; nil: any text.
        private var choices: [String]? {
            guard let value, value.contains("|"), value == value.lowercased() else { return nil }
            return value.split(separator: "|").map(String.init)
        }

        var schema: JSONValue {
            guard value != nil else { return ["type": "boolean", "description": .string(help)] }
            var item: JSONObject = ["type": isOptional ? ["string", "boolean"] : "string"]
            if let choices { item["enum"] = .array(choices.map { .string($0) }) }
            if isRepeatable {
                return ["type": "array", "items": .object(item), "description": .string("\(value!): \(help)")]
            }
            item["description"] = .string("\(value!): \(help)")
            return .object(item)
        }
    }

    /// What stands before the options.
    package enum Operand: Sendable {
        case none
        /// A property of that name, and what it is.
        case one(String, String)
        case many(String, String)
    }

    package var verb: String
    package var summary: String
    package var operand: Operand
    /// Property and meaning of what stands behind `--`; nil: nothing may.
    package var command: String?
    package var options: [Option]
    /// Given without being asked for, unless the caller gives them.
    package var usual: [String]

    package init(
        verb: String, summary: String, operand: Operand = .none, command: String? = nil, options: [Option],
        usual: [String] = []
    ) {
        self.verb = verb
        self.summary = summary
        self.operand = operand
        self.command = command
        self.options = options
        self.usual = usual
    }

    var inputSchema: JSONValue {
        var properties = JSONObject()
        var required: [JSONValue] = []
        switch operand {
        case .none: break
        case .one(let name, let help):
            properties[name] = ["type": "string", "description": .string(help)]
            required.append(.string(name))
        case .many(let name, let help):
            properties[name] = ["type": "array", "items": ["type": "string"], "minItems": 1, "description": .string(help)]
            required.append(.string(name))
        }
        if let command {
            properties["command"] = ["type": "array", "items": ["type": "string"], "description": .string(command)]
        }
        for option in options { properties[option.property] = option.schema }
        return [
            "type": "object", "properties": .object(properties), "required": .array(required), "additionalProperties": false,
        ]
    }

    /// The words of the command line that a call stands for. Throws a usage failure that names the property.
    func words(_ input: JSONValue) throws(Failure) -> [String] {
        let given = input.object ?? JSONObject()
        let known = (inputSchema["properties"]?.object ?? JSONObject()).keys
        if let unknown = given.keys.first(where: { !known.contains($0) }) {
            throw Failure(.usage, "\(verb) has no property `\(unknown)`", hint: Suggestion.hint(for: unknown, among: known))
        }
        var words = [verb]
        switch operand {
        case .none: break
        case .one(let name, _): words.append(try operandWord(given[name], name))
        case .many(let name, _):
            guard let items = given[name]?.array, !items.isEmpty else { throw missing(name) }
            for item in items { words.append(try operandWord(item, name)) }
        }
        for option in options {
            guard let value = given[option.property], !value.isNull else { continue }
            words += try Self.words(option, value)
        }
        for word in usual {
            let name = word.prefix { $0 != "=" }
            if !words.contains(where: { $0.prefix { $0 != "=" } == name }) { words.append(word) }
        }
        if let behind = given["command"]?.array, !behind.isEmpty {
            words.append("--")
            for word in behind {
                guard let text = word.string else { throw Failure(.usage, "`command` is an array of texts") }
                words.append(text)
            }
        }
        return words
    }

    private func missing(_ name: String) -> Failure { Failure(.usage, "\(verb) needs `\(name)`") }

    /// One that begins with a dash would be an option.
    private func operandWord(_ value: JSONValue?, _ name: String) throws(Failure) -> String {
        guard let text = value?.string, !text.isEmpty else { throw missing(name) }
        guard !text.hasPrefix("-") else { throw Failure(.usage, "`\(name)` may not begin with a dash: \(text)") }
        return text
    }

    private static func words(_ option: Option, _ value: JSONValue) throws(Failure) -> [String] {
        if option.value == nil {
            guard let isGiven = value.bool else { throw Failure(.usage, "`\(option.property)` is true or false") }
            return isGiven ? [option.name] : []
        }
        if option.isOptional, let isGiven = value.bool { return isGiven ? [option.name] : [] }
        let values = option.isRepeatable ? value.array : [value]
        guard let values else { throw Failure(.usage, "`\(option.property)` is an array of texts") }
        var words: [String] = []
        for value in values {
            // A number is what agents write for `seed`.
            guard let text = value.string ?? value.int.map(String.init) ?? value.double.map({ "\($0)" }) else {
                throw Failure(.usage, "`\(option.property)` is a text")
            }
            words.append(option.name + "=" + text)
        }
        return words
    }
}

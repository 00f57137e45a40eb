// The words of a command line, sorted into options and operands. It knows no verb.

import Basics
import Harness

/// One option of a verb.
struct Option: Sendable {
    var name: String
    /// The name of its value in the help, such as `DIR`; nil: it takes none.
    var value: String?
    var help: String
    var isRepeatable = false
    /// The value where none is given; nil: one must be given.
    var fallback: String?

    init(_ name: String, _ help: String) {
        self.name = name
        self.help = help
    }

    init(_ name: String, _ value: String, isRepeatable: Bool = false, _ help: String) {
        self.name = name
        self.value = value
        self.isRepeatable = isRepeatable
        self.help = help
    }

    /// An option that may stand without its value, and then has `fallback`.
    init(_ name: String, _ value: String, else fallback: String, _ help: String) {
        self.init(name, "[\(value)]", help)
        self.fallback = fallback
    }
}

/// A command line that fits the options of its verb.
struct Arguments: Sendable {
    private(set) var operands: [String] = []
    /// The number of operands before `--`; nil: there was no `--`.
    private(set) var operandsBeforeDivide: Int?
    private var values: [String: [String]] = [:]

    /// The words after the verb. Throws a usage failure that names the wrong word and what was probably meant.
    init(_ words: [String], options: [Option]) throws(Failure) {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            if word == "--" {
                operandsBeforeDivide = operands.count
                operands += rest
                return
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = options.first(where: { $0.name == parts[0] }) else {
                throw Failure(
                    .usage, "unknown option \(parts[0])",
                    hint: Suggestion.hint(for: parts[0], among: options.map(\.name)))
            }
            guard option.isRepeatable || values[option.name] == nil else {
                throw Failure(.usage, "\(option.name) is given twice", hint: "give it once")
            }
            guard let placeholder = option.value else {
                guard parts.count == 1 else {
                    throw Failure(.usage, "\(option.name) takes no value", hint: "write just \(option.name)")
                }
                values[option.name] = [""]
                continue
            }
            let isAlone = parts.count == 1 && rest.first?.hasPrefix("-") ?? true
            if isAlone, let fallback = option.fallback {
                values[option.name] = [fallback]
                continue
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                throw Failure(.usage, "\(option.name) needs a value", hint: "write \(option.name) \(placeholder)")
            }
            values[option.name, default: []].append(value)
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }
    func text(_ name: String) -> String? { values[name]?.last }
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The pairs of a repeatable option `PATH=VALUE`. Throws a usage failure for one without `=` or a path.
    func overrides(_ name: String) throws(Failure) -> [(path: String, value: String)] {
        var overrides: [(path: String, value: String)] = []
        for text in all(name) {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw Failure(.usage, "\(name) \(text) has no value", hint: "write \(name) workload.maxSessions=100")
            }
            overrides.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
        }
        return overrides
    }

    /// The pairs of `--setting NAME=VALUE`. Throws a usage failure for one without `=` or a name.
    func settings() throws(Failure) -> [(name: String, value: String)] {
        var settings: [(name: String, value: String)] = []
        for text in all("--setting") {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw Failure(
                    .usage, "--setting \(text) has no value", hint: "write --setting tokenUpdateScope=peer-and-team")
            }
            settings.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
        }
        return settings
    }

    /// The whole number of an option; nil: not given. Throws a usage failure outside of `range`.
    func integer<I: FixedWidthInteger>(_ name: String, in range: ClosedRange<I>) throws(Failure) -> I? {
        guard let text = text(name) else { return nil }
        guard let number = I(text), range.contains(number) else {
            throw Failure(
                .usage, "\(name) \(text) is not a whole number from \(range.lowerBound) to \(range.upperBound)",
                hint: "for example \(name) \(max(range.lowerBound, min(range.upperBound, 10)))")
        }
        return number
    }

    /// The number of an option, above `least` and at most `most`; nil: not given. Throws a usage failure for others.
    func number(_ name: String, above least: Double, atMost most: Double = 1e15) throws(Failure) -> Double? {
        guard let text = text(name) else { return nil }
        guard let number = Double(text), number > least, number <= most else {
            let bounds = "above \(Int(least)), and \(Int(most)) at most"
            throw Failure(.usage, "\(name) \(text) is not a number \(bounds)", hint: "for example \(name) 60")
        }
        return number
    }

    /// The duration of an option, above 0; nil: not given. Throws a usage failure for what is none.
    func duration(_ name: String) throws(Failure) -> Interval? {
        guard let text = text(name) else { return nil }
        guard let interval = Interval(parsing: text), interval > .zero else {
            throw Failure(.usage, "\(name) \(text) is not a duration", hint: "for example \(name) 10s or \(name) 250ms")
        }
        return interval
    }

    /// The word of an option; nil: not given. Throws a usage failure for one that is not among `choices`.
    func one<S: Collection<String>>(of choices: S, _ name: String) throws(Failure) -> String? {
        guard let text = text(name) else { return nil }
        guard choices.contains(text) else {
            throw Failure(
                .usage, "\(name) cannot be '\(text)'", hint: Suggestion.hint(for: text, among: Array(choices)))
        }
        return text
    }

    /// The operand of a verb that needs just one. Throws a usage failure where there is none, or a second.
    func onlyOperand(_ placeholder: String, example: String) throws(Failure) -> String {
        guard let first = operands.first else {
            throw Failure(.usage, "\(placeholder) is missing", hint: "for example: \(example)")
        }
        guard operands.count == 1 else {
            throw Failure(
                .usage, "there is one \(placeholder) too many: '\(operands[1])'", hint: "for example: \(example)")
        }
        return first
    }

    /// Throws a usage failure where there is an operand.
    func noOperands() throws(Failure) {
        if let first = operands.first {
            throw Failure(.usage, "'\(first)' is not expected here", hint: "options begin with --")
        }
    }
}

extension OutputFormat {
    /// The format that `--format` names; text where it is not given. Throws a usage failure for another word.
    static func chosen(_ arguments: Arguments) throws(Failure) -> OutputFormat {
        try arguments.one(of: allCases.map(\.rawValue), "--format").flatMap(OutputFormat.init) ?? .text
    }
}

// The command line: it finds the verb, prints help, and turns a failure into one line and an exit code.

import Basics
import Glibc
import Harness

/// A verb of the command line, with its help and what it does.
struct Verb: Sendable {
    var name: String
    var operand: String?
    var summary: String
    var example: String
    var options: [Option]
    var perform: @Sendable (Arguments, Invocation) throws -> ExitCode
}

/// The circumstances in which a verb is called.
struct Invocation: Sendable {
    var signals: Signals
    /// The command line as it was given, quoted for a shell.
    var command: String

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

enum PushRigCommand {
    static let verbs: [Verb] = [
        .run, .find, .replay, .compare, .check, .prove, .judge, .merge, .journal, .export, .mock, .exec, .learn, .keys, .schema,
        .initialize, .lint, .mcp, .relay, .bench, .report, .list, .explain,
    ]

    static func main() -> Never {
        let words = CommandLine.arguments
        // Before anything else: the program that this process becomes inherits what we do to signals.
        if words.count > 1, words[1] == ExecWithin.word { exit(ExecWithin.run(Array(words.dropFirst(2)))) }
        let signals = Signals()
        let command = CommandText.line(["pushrig"] + words.dropFirst())
        do {
            exit(try run(Array(words.dropFirst()), Invocation(signals: signals, command: command)).rawValue)
        } catch let failure as Failure {
            Console.error("pushrig: \(failure)\n")
            exit((failure.kind == .usage ? ExitCode.badUsage : .couldNotRun).rawValue)
        } catch {
            Console.error("pushrig: \(error)\n")
            exit(ExitCode.couldNotRun.rawValue)
        }
    }

    private static func run(_ words: [String], _ invocation: Invocation) throws -> ExitCode {
        guard let first = words.first else {
            Console.error(overview)
            return .badUsage
        }
        switch first {
        case "--help", "-h", "help":
            if words.count > 1, let verb = verbs.first(where: { $0.name == words[1] }) {
                Console.out(help(verb))
            } else {
                Console.out(overview)
            }
            return .passed
        case "--version", "version":
            Console.out("pushrig \(Build.version)\n")
            return .passed
        default: break
        }
        guard let verb = verbs.first(where: { $0.name == first }) else {
            throw Failure(
                .usage, "there is no verb '\(first)'", hint: Suggestion.hint(for: first, among: verbs.map(\.name)))
        }
        let rest = Array(words.dropFirst())
        // The words behind -- are somebody else's.
        let ours = rest.prefix { $0 != "--" }
        if ours.contains("--help") || ours.contains("-h") {
            Console.out(help(verb))
            return .passed
        }
        return try verb.perform(try Arguments(rest, options: verb.options), invocation)
    }

    private static var overview: String {
        let width = 10
        let rows = verbs.map { verb in
            "  \(verb.name)" + String(repeating: " ", count: width - verb.name.count) + verb.summary
        }
        return """
            pushrig: the rig on which push relays are tested

            \(rows.joined(separator: "\n"))

            `pushrig VERB --help` tells the options of a verb, with an example.
            Exit codes: 0 passed, 1 could not run, 2 bad usage, 3 gate breached, 4 conformance broken,
            5 inconclusive, 130 interrupted.

            """
    }

    private static func help(_ verb: Verb) -> String {
        let names = verb.options.map { $0.name + ($0.value.map { " \($0)" } ?? "") }
        let width = (names.map(\.count).max() ?? 0) + 2
        let rows = zip(names, verb.options).map { name, option in
            "  " + name + String(repeating: " ", count: width - name.count) + option.help
                + (option.isRepeatable ? " (repeatable)" : "")
        }
        let operand = verb.operand.map { " " + $0 } ?? ""
        return """
            \(verb.summary)

            usage: pushrig \(verb.name)\(operand)\(rows.isEmpty || operand.contains("[options]") ? "" : " [options]")

            \(rows.map { $0 + "\n" }.joined())\(rows.isEmpty ? "" : "\n")example: \(verb.example)

            """
    }
}

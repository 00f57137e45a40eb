import Basics
import Harness

extension Verb {
    static let export = Verb(
        name: "export", operand: "RUN",
        summary: "Writes the history of a run or of a mock as text or as a database, whole or one session of it",
        example: """
            pushrig export Reports/latest --session 12 --to ndjson --out session-12.ndjson
                     pushrig export Reports/latest --to sqlite --out run.sqlite

            ndjson: an object of JSON a line: what was run and what came of it, the scenario's files, what was found, and the
            history, calls as they were made; `pushrig replay` drives it again. csv and sqlite: the history as one table.
            """,
        options: [
            Option("--to", "ndjson|csv|sqlite", "what it becomes (default ndjson)"),
            Option("--session", "N", "only this session, and those that share its user's tokens"),
            Option("--out", "FILE", "where it goes, a file that is not there yet (default: standard output; sqlite needs one)"),
            Option("--full-tokens", "tokens in full"),
        ]
    ) { arguments, _ in
        var command = ExportCommand(directory: try arguments.onlyOperand("RUN", example: "pushrig export Reports/latest"))
        let formats = ExportCommand.Format.allCases.map(\.rawValue)
        command.format = try arguments.one(of: formats, "--to").flatMap { .init(rawValue: $0) } ?? .ndjson
        command.session = try arguments.integer("--session", in: 0...UInt32.max)
        command.file = arguments.text("--out")
        command.showsFullTokens = arguments.has("--full-tokens")
        return try command.run()
    }
}

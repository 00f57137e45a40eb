import Basics
import Harness

extension Verb {
    static let export = Verb(
        name: "export", operand: "RUN",
        summary: "Writes the journal of a run or of a mock as text or a database, all of it or one session",
        example: """
            pushrig export Reports/latest --session 12 --to ndjson --out session-12.ndjson
                     pushrig export Reports/latest --to sqlite --out run.sqlite

            ndjson is a JSON object a line: the run and its verdict, the scenario's files, the findings, and each entry of the
            journal, calls as they were made; `pushrig replay` plays it again. csv and sqlite hold the entries as one table.
            """,
        options: [
            Option("--to", "ndjson|csv|sqlite", "form of the export (default ndjson)"),
            Option("--session", "N", "only session N, and those that share its user's tokens"),
            Option("--out", "FILE", "new file to write (default: standard output; sqlite needs one)"),
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

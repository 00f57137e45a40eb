import Basics
import Harness

extension Verb {
    static let journal = Verb(
        name: "journal", operand: "RUN",
        summary: "Shows the history of a run or of a mock, all of it or around one thing",
        example: """
            pushrig journal Reports/latest --session 12
                     pushrig journal Reports/latest --around 1099511627998
                     pushrig journal pushrig-state --token a1b2c3d4 --format json

            RUN is a run directory, a mock's state directory, or a folder of journal files; a run that was killed, or that
            still goes on, is shown as far as it got. Without an option: what there is, and the first entries.
            """,
        options: [
            Option("--session", "N", "one session: calls, pushes, phones, cards, and what became of what was owed"),
            Option("--token", "TEXT", "the pushes to one token, by its first characters or those of its hash"),
            Option("--entry", "N", "one entry in full: headers, payload, answer"),
            Option("--push", "N", "the same of a push, and what became of what was owed there, with what decided it"),
            Option("--around", "N|TIME", "what stands around an entry, an offset (12.5s) or an instant (2026-11-22T10:00:00Z)"),
            Option("--limit", "N", "at most so many entries (default 200, 40 with --around; as json all)"),
            Option("--full-tokens", "tokens in full"),
            Option("--format", "text|json", "text, or an object of JSON a line"),
        ]
    ) { arguments, _ in
        var command = JournalCommand(directory: try arguments.onlyOperand("RUN", example: "pushrig journal Reports/latest"))
        command.session = try arguments.integer("--session", in: 0...UInt32.max)
        command.token = arguments.text("--token")
        let push: UInt64? = try arguments.integer("--push", in: 1...UInt64.max)
        command.entry = try push ?? arguments.integer("--entry", in: 1...UInt64.max)
        command.isOfPush = push != nil
        if push != nil, arguments.has("--entry") {
            throw Failure(.usage, "--push and --entry name one entry: give one of them")
        }
        command.around = try arguments.text("--around").map { text throws(Failure) in try .init(parsing: text) }
        command.limit = try arguments.integer("--limit", in: 1...1_000_000_000)
        command.showsFullTokens = arguments.has("--full-tokens")
        command.printsJSON = try arguments.one(of: ["text", "json"], "--format") == "json"
        if command.entry != nil, arguments.has("--session") || arguments.has("--token") || arguments.has("--around") {
            throw Failure(.usage, "--entry and --push stand alone", hint: "--around shows what stands beside an entry")
        }
        return try command.run()
    }
}

import Basics
import Harness

extension Verb {
    static let journal = Verb(
        name: "journal", operand: "RUN",
        summary: "Shows the journal of a run or of a mock, all of it or a part",
        example: """
            pushrig journal Reports/latest --session 12
                     pushrig journal Reports/latest --around 1099511627998
                     pushrig journal pushrig-state --token a1b2c3d4 --format json

            RUN is a run directory, a mock's state directory, or a folder of journal files; a run that was killed, or that
            still goes on, is shown as far as it got. Without an option: what there is, and the first entries.
            """,
        options: [
            Option("--session", "N", "session N: calls, pushes, phones, cards, and what became of each push owed"),
            Option("--token", "TEXT", "pushes to the token that begins with TEXT, or whose hash does"),
            Option("--entry", "N", "entry N in full: headers, payload, answer"),
            Option("--push", "N", "entry N, a push, in full, with what became of the pushes owed there, and why"),
            Option("--around", "N|TIME", "entries around an entry, an offset (12.5s) or an instant (2026-11-22T10:00:00Z)"),
            Option("--limit", "N", "most entries shown (default 200, as json all; 40 with --around)"),
            Option("--full-tokens", "tokens in full"),
            Option("--format", "text|json", "text, or a JSON object a line (default text)"),
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

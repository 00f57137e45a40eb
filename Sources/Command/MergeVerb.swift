import Basics
import Harness

extension Verb {
    static let merge = Verb(
        name: "merge", operand: "DIR…",
        summary: "Makes one run of its shards' folders and the mocks that they shared, and judges it",
        example: "pushrig merge shards/0 shards/1 shards/2 shards/3 mock-state --out whole",
        options: [
            Option("--out", "DIR", "folder of the merged run (default Reports/<time>-<scenario>-merged)"),
            Option("--format", "text|json", "output form (default text)"),
            Option("--full-tokens", "tokens in full"),
        ]
    ) { arguments, invocation in
        guard !arguments.operands.isEmpty else {
            throw Failure(.usage, "DIR is missing", hint: "for example: pushrig merge shards/* --out whole")
        }
        var command = MergeCommand(arguments.operands)
        command.outputDirectory = arguments.text("--out")
        command.printsJSON = try arguments.one(of: ["text", "json"], "--format") == "json"
        command.showsFullTokens = arguments.has("--full-tokens")
        command.command = invocation.command
        return try command.run()
    }
}

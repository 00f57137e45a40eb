import Basics
import Harness

extension Verb {
    static let initialize = Verb(
        name: "init", operand: "relay [NAME]",
        summary: "Writes a first profile, session script and scenario for a relay of yours",
        example: """
            pushrig init relay my-relay

            Writes Scenarios/relays/my-relay.yaml, Scenarios/sessions/my-relay.yaml and Scenarios/my-relay.yaml, with comments
            that say what to change, and tells what to do next. Existing files are not overwritten. Without NAME they are called
            mine.
            """,
        options: [Option("--out", "DIR", "folder of scenarios (default Scenarios)")]
    ) { arguments, _ in
        let example = "pushrig init relay my-relay"
        guard let kind = arguments.operands.first else {
            throw Failure(.usage, "init what?", hint: "for example: \(example)")
        }
        guard kind == "relay" else {
            throw Failure(.usage, "init makes no '\(kind)'", hint: "for example: \(example)")
        }
        guard arguments.operands.count <= 2 else {
            throw Failure(.usage, "there is one NAME too many", hint: "for example: \(example)")
        }
        var command = InitCommand()
        command.name = arguments.operands.count == 2 ? arguments.operands[1] : command.name
        command.out = arguments.text("--out") ?? command.out
        return try command.run()
    }
}

import Basics
import Harness

extension Verb {
    static let schema = Verb(
        name: "schema", operand: "from FILE.swift",
        summary: "Writes JSON schemas of a card's attributes and state, from the app's Swift declaration",
        example: """
            pushrig schema from TripAttributes.swift --out -
                     pushrig schema from TripAttributes.swift --overlay trip.overlay.json --out Scenarios/schemas

            Writes trip.attributes.json and trip.content-state.json. What the type cannot say (limits, conditions, titles,
            x-card) stands in the overlay, {"attributes": {…}, "content-state": {…}}, and may not change what decodes. What
            cannot be read is told with line and column; docs/schemas.md says what can be.
            """,
        options: [
            Option("--type", "NAME", "type to read (default: the only one that conforms to ActivityAttributes)"),
            Option("--name", "NAME", "beginning of the files' names (default: after the type)"),
            Option("--overlay", "FILE", "JSON file that is laid over the schemas"),
            Option("--out", "DIR|-", "folder of the files; - prints both as one object (default .)"),
        ]
    ) { arguments, _ in
        let example = "pushrig schema from TripAttributes.swift"
        guard arguments.operands.first == "from" else {
            throw Failure(
                .usage, arguments.operands.first.map { "there is no schema verb '\($0)'" } ?? "from which file?",
                hint: "for example: \(example)")
        }
        guard arguments.operands.count == 2 else {
            let message = arguments.operands.count < 2 ? "FILE.swift is missing" : "there is one FILE.swift too many"
            throw Failure(.usage, message, hint: "for example: \(example)")
        }
        var command = SchemaCommand(source: arguments.operands[1])
        command.type = arguments.text("--type")
        command.name = arguments.text("--name")
        command.overlay = arguments.text("--overlay")
        command.out = arguments.text("--out") ?? command.out
        return try command.run()
    }
}

// `pushrig init relay`: a profile, a session and a scenario to begin with, which load and dry-run as they are.

package import Basics
import OperatingSystem

package struct InitCommand: Sendable {
    /// What the files are named after: 1 to 64 letters, digits, `-` and `_`, no `-` first.
    package var name = "mine"
    /// The folder of scenarios; profiles and sessions have folders of their own in it, as in `Scenarios`.
    package var out = "Scenarios"

    package init() {}

    /// Writes three files, or none where one of them is there, and says what to do next.
    package func run() throws(Failure) -> ExitCode {
        guard (1...64).contains(name.utf8.count), !name.hasPrefix("-"), name.utf8.allSatisfy(Self.mayStand) else {
            throw Failure(
                .usage, "'\(name)' is no name for a relay's files",
                hint: "up to 64 letters, digits, `-` and `_`, such as my-relay")
        }
        let scenario = "\(out)/\(name).yaml"
        let files = [
            (path: "\(out)/relays/\(name).yaml", text: StarterFiles.profile(name)),
            (path: "\(out)/sessions/\(name).yaml", text: StarterFiles.session(name)),
            (path: scenario, text: StarterFiles.scenario(name)),
        ]
        for file in files where FileSystem.exists(file.path) {
            throw Failure(.usage, "\(file.path) is there already", hint: "choose another NAME or --out, or remove it first")
        }
        for file in files {
            try FileSystem.makeDirectory(String(file.path[..<file.path.lastIndex(of: "/")!]))
            try FileSystem.write(file.text, to: file.path)
            Console.out("wrote \(file.path)\n")
        }
        Console.out(
            """

            Next:
              1. write your relay's paths and bodies into \(files[0].path)
              2. write its command and settings into `relay` of \(scenario)
              3. pushrig run \(scenario) --dry-run         reads all files and prints the plan
              4. pushrig run \(scenario)                   a few sessions, and a verdict
              5. pushrig check \(scenario)                 all that the profile can be asked
            docs/adding-a-relay.md tells each step, docs/scenarios.md every key.

            """)
        return .passed
    }

    private static func mayStand(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

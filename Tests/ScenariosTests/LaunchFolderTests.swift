import Basics
import Scenarios
import Testing

@Suite("The folder of the file that says how to launch")
struct LaunchFolderTests {
    @Test("stands for {{scenario.dir}} in launch, and in no other place")
    func folder() throws {
        func scenario(_ rest: String) throws -> ScenarioBase? {
            try ScenarioBase.parse(
                text: "relay:\n  profile: relays/opencode.yaml\n" + rest, path: "/nowhere/mine/base.yaml",
                searchPath: [repository + "/Scenarios"])
        }
        let base = try scenario("  launch: [./relay, \"{{scenario.dir}}/key\", \"{{run.dir}}/x\"]\n")
        #expect(base?.relay.launch == ["./relay", "/nowhere/mine/key", "{{run.dir}}/x"])
        #expect(throws: Failure.self) { try scenario("  url: \"http://{{scenario.dir}}\"\n") }
    }
}

// `--set path=value`.

import Basics
import Scenarios
import Testing

@Suite("An override")
struct OverrideTests {
    @Test("replaces a value as if the file said so")
    func replaces() throws {
        let scenario = try Sample.load(overrides: [
            ("workload.arrivals[0].rate", "20"), ("faults[0].at", "9s"), ("gates[0]", "lost <= 3"),
            ("workload.scripts[0].script.parameters.pause", "{ uniform: [1s, 4s] }"), ("name", "other"),
        ])
        #expect(scenario.workload.arrivals == [.constant(rate: 20, duration: .seconds(5))])
        #expect(scenario.faults[0].at == .seconds(9))
        #expect(scenario.gates[0].threshold == 3)
        #expect(scenario.workload.scripts[0].script.steps[1].time == .after(.uniform(1, 4)))
        #expect(scenario.name == "other")
        #expect(scenario.overrides.first == "workload.arrivals[0].rate=20")
        #expect(scenario.text == Sample.text)
    }

    @Test("takes a launch back, where it runs already")
    func launchesNothing() throws {
        let overrides = [("relay.url", "http://127.0.0.1:8787"), ("relay.launch", "[./relay]"), ("relay.launch", "null")]
        let relay = try Sample.load(overrides: overrides).relay
        #expect(relay.launch == nil && relay.url == "http://127.0.0.1:8787")
    }

    @Test("adds what the file leaves out, whole lists too")
    func adds() throws {
        let scenario = try Sample.load(overrides: [
            ("workload.maxSessions", "100"), ("phases.drain", "1s"), ("workload.scripts[0].with.pause", "7s"),
            ("mock.topics", "[a.b, com.example.app]"),
        ])
        #expect(scenario.workload.maxSessions == 100)
        #expect(scenario.phases.drain == .seconds(1))
        #expect(scenario.workload.scripts[0].script.steps[1].time == .after(.constant(7)))
        #expect(scenario.mock.topics == ["a.b", "com.example.app"])
    }

    @Test(
        "that is wrong is blamed itself",
        arguments: [
            (
                "workload.maxSession", "5",
                "--set workload.maxSession=5: unknown key `maxSession` in `workload` (did you mean `maxSessions`?)"
            ),
            (
                "workload.maxSessions", "many",
                "--set workload.maxSessions=many: `maxSessions` must be a whole number from 1 to 10000000, not "
                    + "the text `many` (such as `maxSessions: 1000`)"
            ),
            (
                "faults[3].at", "5s",
                "--set faults[3].at=5s: `faults` has 1 items (indices begin at 0; an override adds none)"
            ),
            ("name[0]", "5", "--set name[0]=5: `name` is no list (write `[n]` only after a list)"),
            (
                "name.first", "5",
                "--set name.first=5: `name` is the text `tiny` and has no `first` "
                    + "(only keys of the scenario file can be set)"
            ),
            (
                "a..b", "5",
                "--set a..b=5: this is no path to a setting (such as workload.maxSessions=100 or faults[0].at=5s)"
            ),
            (
                "faults[x]", "5",
                "--set faults[x]=5: this is no path to a setting (such as workload.maxSessions=100 or faults[0].at=5s)"
            ),
            (
                String(repeating: "a.", count: 20_000) + "a", "5",
                "--set " + String(repeating: "a.", count: 20_000) + "a=5: the path is deeper than the 32 levels of a file "
                    + "(such as workload.maxSessions=100)"
            ),
            ("gates", "[a", "--set gates=[a: not YAML: did not find expected ',' or ']' (quote the value)"),
        ])
    func wrong(path: String, value: String, says: String) {
        #expect(Sample.complaint(Sample.text, overrides: [(path, value)]) == says)
    }
}

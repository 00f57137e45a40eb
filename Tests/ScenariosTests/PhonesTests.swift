// `phones` of a workload and of a session script, as files say them.

import Basics
import Devices
import Pushes
import Scenarios
import Testing

@Suite("Phones of a scenario")
struct PhonesTests {
    private let some = Sample.with("  arrivals:", "  phones: { wake: { uniform: [1s, 3s] }, never: 0.25, rotate: 1m, ios: 17.2 }\n  arrivals:")

    /// The sample with a line in its script.
    private func scripted(_ line: String, _ text: String) -> String {
        text.replacing("        parameters: { pause: 2s }", with: "        parameters: { pause: 2s }\n        \(line)")
    }

    @Test("there are none unless the workload says so")
    func none() throws {
        #expect(try Sample.load().workload.phones == nil)
        #expect(try Sample.load(Sample.with("  arrivals:", "  phones: {}\n  arrivals:")).workload.phones == PhonesSpec())
    }

    @Test("they have times, a share and a system")
    func keys() throws {
        let phones = try #require(try Sample.load(some).workload.phones)
        #expect(phones.wake == .uniform(1, 3) && phones.never == 0.25 && phones.rotate == .constant(60))
        #expect(phones.system == SystemVersion(17, 2))
    }

    @Test("a script says its own, key by key, and may use its parameters")
    func scripts() throws {
        let scenario = try Sample.load(scripted("phones: { wake: $pause, never: 1 }", some))
        let script = scenario.workload.scripts[0].script
        #expect(script.phones == PhonesSpec(wake: .constant(2), never: 1))
        let both = script.phones.over(try #require(scenario.workload.phones))
        #expect(both == PhonesSpec(wake: .constant(2), never: 1, rotate: .constant(60), system: SystemVersion(17, 2)))
        #expect(both.paced(by: 4).wake == .constant(0.5) && both.paced(by: 4).rotate == .constant(15))
        #expect(both.paced(by: 4).never == 1)
    }

    @Test("their tokens live in one environment")
    func environment() throws {
        let text = Sample.with("  arrivals:", "  phones: { environment: sandbox }\n  arrivals:")
        let phones = try #require(try Sample.load(text).workload.phones)
        #expect(phones.environment == .sandbox && PhonesSpec.usual.environment == .production)
        let script = try Sample.load(scripted("phones: { environment: production }", text)).workload.scripts[0].script
        #expect(script.phones.over(phones).paced(by: 2).environment == .production)
        #expect(PhonesSpec(never: 1).over(phones).paced(by: 2).environment == .sandbox)
    }

    @Test("a mistake is told with its place and its fix")
    func mistakes() {
        func says(_ phones: String, _ text: String) {
            let complaint = Sample.complaint(Sample.with("  arrivals:", "  phones: \(phones)\n  arrivals:"))
            #expect(complaint.hasPrefix("tiny.yaml:20:") && complaint.contains(text), "\(complaint)")
        }
        says("{ never: 1.5 }", "`never` must be a number from 0 to 1, not the number `1.5` (such as `never: 0.36`)")
        says("{ ios: new }", "`ios` must be a version of one or two numbers, not the text `new` (such as `ios: \"18.0\"`)")
        says("{ woke: 1s }", "unknown key `woke` in `phones` (did you mean `wake`?)")
        says("{ environment: both }", "`both` is no value of `environment`")
        says("{ wake: 3 }", "`wake` must be a duration")
        let alone = Sample.complaint(scripted("phones: { never: 1 }", Sample.text))
        #expect(
            alone == "tiny.yaml:25:17: this script says what its phones are like, and the workload has none "
                + "(add `phones: {}` to the scenario's `workload`, or strike it here)")
    }

    @Test("a second phone lives where the first does, unless it says otherwise")
    func second() throws {
        let text = some.replacing("never: 0.25,", with: "never: 0.25, environment: sandbox, secondEnvironment: production,")
        let phones = try #require(try Sample.load(text).workload.phones)
        #expect(phones.environment(ofPhone: 0) == .sandbox && phones.environment(ofPhone: 1) == .production)
        let script = PhonesSpec(environment: .production).over(phones)
        #expect(script.environment(ofPhone: 0) == .production && script.environment(ofPhone: 1) == .production)
        #expect(PhonesSpec(environment: .sandbox).environment(ofPhone: 1) == .sandbox)
    }
}

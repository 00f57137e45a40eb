// Every file in Scenarios loads, and says what its comments claim.

import APNs
import Basics
import Faults
import Foundation
import Pushes
import Scenarios
import Testing

@Suite("The files in Scenarios")
struct RepositoryFilesTests {
    private static let folder = repository + "/Scenarios"

    /// All YAML files, as paths below the folder.
    static let files = yamlFiles(in: "").sorted()

    private static func yamlFiles(in place: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + place)) ?? []
        return names.flatMap { name in
            name.hasSuffix(".yaml") ? [place + name] : name.contains(".") ? [] : yamlFiles(in: place + name + "/")
        }
    }

    @Test("are found from here")
    func found() {
        for name in ["quickstart.yaml", "relays/opencode.yaml", "sessions/S0-happy.yaml", "sessions/S0-retry.yaml"] {
            #expect(Self.files.contains(name))
        }
    }

    @Test("load without a mistake", arguments: files)
    func load(file: String) throws {
        let path = Self.folder + "/" + file
        if file.hasPrefix("relays/") {
            _ = try Profile.load(path: path)
        } else if file.hasPrefix("sessions/") {
            let script = try Scenario.parse(text: Self.scenario(around: path), path: "around.yaml")
            #expect(script.workload.scripts.count == 1)
        } else {
            _ = try Scenario.load(path: path)
        }
    }

    /// Smoke has one-phone users, and one script of two phones.
    @Test("whose sessions may share users do so only with the same phones in each script")
    func sharedPhones() throws {
        func load(_ overrides: [(String, String)]) throws -> Scenario {
            try Scenario.load(path: Self.folder + "/smoke.yaml", overrides: overrides)
        }
        let shared = ("workload.users.sessionsPerUser", "2")
        let asking = ("workload.scripts", "[{ script: sessions/S0-asking.yaml }, { script: sessions/S0-burst.yaml }]")
        let twoPhones = ("workload.scripts", "[{ script: sessions/S0-twophones.yaml }]")
        #expect(try load([]).workload.scripts.count == 7)
        #expect(try load([shared, asking]).workload.users.sessionsPerUser == 2)
        #expect(try load([shared, twoPhones]).workload.users.sessionsPerUser == 2)
        let failure = #expect(throws: Failure.self) { try load([shared]) }
        let words = "sessions of one user share its phones, and the script `S0-twophones` registers a second one, on which the "
            + "activities of `S0-burst` start as well, and nothing tells what becomes of them there (let every script register "
            + "the second phone, or none, or write `sessionsPerUser: 1`)"
        #expect(failure?.description == "--set workload.users.sessionsPerUser=2: " + words)
    }

    @Test("are found along the search path, with or without their ending")
    func searchPath() throws {
        let scenario = try Scenario.load(path: "quickstart", searchPath: [Self.folder])
        #expect(scenario.path == Self.folder + "/quickstart.yaml")
        #expect(
            scenario.sources.map(\.path) == [
                Self.folder + "/quickstart.yaml", Self.folder + "/relays/opencode.yaml",
                Self.folder + "/schemas/opencode-a.content-state.json", Self.folder + "/schemas/opencode-a.attributes.json",
                Self.folder + "/sessions/S0-happy.yaml", Self.folder + "/sessions/S0-retry.yaml",
            ])
        #expect(scenario.relay.profile.name == "opencode")
        #expect(scenario.workload.scripts.map(\.script.name) == ["S0-happy", "S0-retry"])
    }

    @Test("The quickstart holds 2,000 sessions at once and 300 to 600 events a second")
    func quickstart() throws {
        let scenario = try Scenario.load(path: Self.folder + "/quickstart.yaml")
        let workload = scenario.workload
        #expect(scenario.seed != nil)
        #expect(scenario.mock.topics == [scenario.relay.profile.topic])
        let begun = min(workload.arrivals.map(\.count).reduce(0, +), Double(workload.maxSessions))
        #expect(begun >= 2_000)
        let lengths = workload.scripts.map { length(of: $0.script) / workload.pace }
        let arriving = workload.arrivals.map(\.duration.seconds).reduce(0, +)
        #expect(lengths.min()! > arriving, "the first session ends before the last begins")
        let weights = workload.scripts.map(\.weight)
        let events =
            zip(workload.scripts, weights).map { eventCount(of: $0.script) * $1 }.reduce(0, +) / weights.reduce(0, +)
        let rate = begun * events / (lengths.max()! + arriving)
        #expect((300...600).contains(rate), "\(rate) events a second")
        #expect(lengths.max()! + arriving + scenario.phases.drain.seconds < 90)
    }

    @Test("Its dead tokens, refusals and outage come one after the other")
    func quickstartFaults() throws {
        let scenario = try Scenario.load(path: Self.folder + "/quickstart.yaml")
        #expect(scenario.faults.map(\.at) == [.seconds(15), .seconds(20), .seconds(30)])
        #expect(scenario.faults.map(\.rule.duration) == [nil, .seconds(4), .seconds(5)])
        #expect(scenario.faults.map(\.rule.id) == ["dead-tokens", "too-many", "outage"])
        #expect(scenario.faults[0].rule.match.tokenFraction == 0.03)
        #expect(scenario.faults[2].rule.action == .respond(Reason.serviceUnavailable.named, timestamp: nil))
    }

    @Test("Three retries of S0-retry fall into one window of the relay's throttle, and nothing else does")
    func retries() throws {
        let scenario = try Scenario.load(path: Self.folder + "/quickstart.yaml")
        let profile = scenario.relay.profile
        let steps = scenario.workload.scripts[1].script.steps
        let retries = steps.filter { $0.kind == "retry" }
        #expect(retries.map(\.time) == [.at(.constant(60)), .after(.constant(2)), .after(.constant(4))])
        #expect(2 + 4 < profile.coalescing!.window.seconds)
        let texts = retries.map { $0.values.last!.choices.map { String(decoding: $0.jsonValue, as: UTF8.self) } }
        #expect(texts == [[#""Retry 1/5 in 2s""#], [#""Retry 2/5 in 4s""#], [#""Retry 3/5 in 8s""#]])
    }

    /// Seconds, by the means of its distributions.
    private func length(of script: SessionScript) -> Double { walk(script).length }

    private func eventCount(of script: SessionScript) -> Double { walk(script).events }

    private func walk(_ script: SessionScript) -> (length: Double, events: Double) {
        var (clock, events) = (0.0, 0.0)
        for step in script.steps {
            switch step.time {
            case .at(let time): clock = max(clock, time.mean)
            case .after(let gap): clock += gap.mean
            }
            switch step.repetition {
            case nil: events += step.probability
            case .some(let repetition):
                switch repetition.limit {
                case .count(let count):
                    events += count.mean
                    clock += repetition.every.mean * max(count.mean - 1, 0)
                case .until(let end):
                    let more = max(0, ((end.mean - clock) / repetition.every.mean).rounded(.up))
                    events += more
                    clock += repetition.every.mean * max(more - 1, 0)
                }
            }
        }
        return (clock, events)
    }

    private static func scenario(around script: String) -> String {
        let profiles = ["/S1-": "busymate", "/S2-": "opencode-ios", "/S3-": "sendora", "/S4-": "epilogue"]
        let profile = profiles.first { script.contains($0.key) }?.value ?? "opencode"
        return """
            relay: { url: "http://127.0.0.1:1", profile: \(folder)/relays/\(profile).yaml }
            workload: { phones: {}, androids: {}, arrivals: [{ rate: 1, for: 1s }], scripts: [{ script: \(script) }] }
            """
    }
}

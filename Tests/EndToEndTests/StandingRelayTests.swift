// A relay that runs already, and keeps running: each run's mock is found at one address, with one authority and key.

import Basics
import Foundation
import Testing

@Suite("A relay that runs already")
struct StandingRelayTests {
    private func relay(_ mock: MockProcess, _ folder: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: Rig.pushrig)
        process.arguments = [
            "relay", "--dialect", "opencode", "--listen", "127.0.0.1:0", "--apns", "https://\(mock.address)", "--apns-ca",
            mock.ca, "--key", try #require(mock.ready["apnsKey"]?.string), "--key-id",
            try #require(mock.ready["keyId"]?.string), "--team-id", try #require(mock.ready["teamId"]?.string), "--topic",
            "com.anomalyco.mobilevoice", "--throttle", "500ms", "--storage", folder + "/relay.sqlite",
        ]
        return process
    }

    @Test("is tested twice, at a mock whose address and keys stay")
    func twice() throws {
        try Rig.withFolder { folder in
            // Makes the keys and finds a port; the runs take its place.
            let mock = try MockProcess(folder: folder + "/state")
            mock.process.terminate()
            mock.process.waitUntilExit()
            let process = try relay(mock, folder)
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            defer {
                process.terminate()
                process.waitUntilExit()
            }
            var line: [UInt8] = []
            while let byte = try pipe.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 { line.append(byte) }
            let listen = try #require(try JSONValue(parsing: line.span)["listen"]?.string)
            let scenario = """
                name: standing
                seed: 1
                latenessBudget: 5s
                relay:
                  profile: \(Rig.root)/Scenarios/relays/opencode.yaml
                  with: { coalescing: { window: 500ms }, deadlines: { default: 2s, coalesced: 2s } }
                  url: "http://\(listen)"
                mock: { state: \(folder)/state, apns: "\(mock.address)", names: [mock.test] }
                workload:
                  arrivals: [{ rate: 4, for: 1s }]
                  pace: 20
                  scripts: [{ script: \(Rig.root)/Scenarios/sessions/S0-happy.yaml, weight: 1 }]
                phases: { drain: 2500ms }
                """
            try scenario.write(toFile: folder + "/standing.yaml", atomically: true, encoding: .utf8)
            for number in 1...2 {
                let run = try Rig.run(
                    Rig.pushrig,
                    ["run", folder + "/standing.yaml", "--out", folder + "/run\(number)", "--quiet", "--seed", "\(number)"])
                let record = try Rig.json(folder + "/run\(number)/run.json")
                #expect(run.code == 0, "\(run.out)\(run.error)")
                #expect(record["correlation"]?["pushes"]?.int ?? 0 > 10)
                #expect(!FileManager.default.fileExists(atPath: folder + "/run\(number)/mock/ca.pem"))
            }
        }
    }
}

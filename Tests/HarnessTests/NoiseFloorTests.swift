import Basics
import Foundation
import Scenarios
import Testing

@testable import Harness

@Suite("The noise floor", .timeLimit(.minutes(10)))
struct NoiseFloorTests {
    private func measure(_ profile: String, _ arrivals: String, probability: Double = 1) throws -> (floor: Double?, left: [String]) {
        let folder = NSTemporaryDirectory() + "noise-floor-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let text = """
            relay:
              url: http://127.0.0.1:1
              profile: { topic: a.b, \(profile), calls: { one: { path: /one, json: { a: "{{marker}}" }, pushes: [{ channel: alert }] } } }
            workload:
              arrivals: \(arrivals)
              scripts: [{ script: { steps: [{ call: one, at: 0s, probability: \(probability) }] } }]
            """
        let path = folder + "/scenario.yaml"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let scenario = try Scenario.load(path: path)
        let floor = try NoiseFloor.measure(scenario, seed: Seed(1), in: folder)
        return (floor, try FileManager.default.contentsOfDirectory(atPath: folder))
    }

    @Test("is what our own calls are late, over either version of HTTP", arguments: [1, 2])
    func measured(version: Int) throws {
        let (floor, left) = try measure("http: \(version)", "[{ rate: 100, for: 500ms }]")
        let lateness = try #require(floor)
        #expect(lateness > 0 && lateness < 1e9)
        #expect(left == ["scenario.yaml"])
    }

    @Test("is not known where nothing is called")
    func nothing() throws {
        #expect(try measure("http: 2", "[{ rate: 0, for: 1s }, { rate: 1, for: 1s }]", probability: 0).floor == nil)
    }
}

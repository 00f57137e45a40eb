// A warm-up that ends by what it waits for.

import Basics
import Testing

@testable import Scenarios

@Suite("A warm-up with `until`")
struct WarmUpTests {
    private func load(_ phases: String, _ overrides: [(String, String)] = []) throws -> Scenario {
        try Sample.load(Sample.text.replacing("seed: 7", with: "seed: 7\nphases: \(phases)"), overrides: overrides)
    }

    @Test("waits for a gate, which `null` takes back")
    func reads() throws {
        let text = "{ warmUp: 30s, until: delivery.p99 < 1s }"
        let phases = try load(text).phases
        #expect(phases.warmUp == .seconds(30) && phases.until?.text == "delivery.p99 < 1s")
        #expect(try load(text, [("phases.until", "null")]).phases == PhaseSpec(warmUp: .seconds(30)))
    }

    @Test("waits for what is known by the second, and for nothing where no time is given", arguments: [
        ("{ warmUp: 30s, until: staleness.p99 < 1s }", "`until` cannot wait for staleness.p99 of a few seconds"),
        ("{ warmUp: 30s, until: lost == 0 }", "`until` cannot wait for lost of a few seconds"),
        ("{ warmUp: 30s, until: delivery.max < 1s }", "`until` cannot wait for delivery.max of a few seconds"),
        ("{ warmUp: 30s, until: delivery.update.p99 < 1s }", "`until` cannot wait for the pushes of `update` alone"),
        ("{ warmUp: 30s, until: delivery.p99 > 1s }", "`until` waits for what is below something"),
        ("{ until: delivery.p99 < 1s }", "`until` has to hold over 5s, and the warm-up is no longer"),
        ("{ warmUp: 5s, until: delivery.p99 < 1s }", "`until` has to hold over 5s, and the warm-up is no longer"),
        ("{ warmUp: 30s, until: delivery < 1s }", "`delivery` needs a statistic"),
    ])
    func mistakes(phases: String, message: String) {
        #expect { try load(phases) } throws: { "\($0)".contains(message) }
    }
}

// Ten thousand searches a class of noise, on relays whose capacity is known.

import Basics
import Capacity
import Testing

@Suite("Of ten thousand searches")
struct AcceptanceTests {
    static let searches = 10_000

    @Test("nearly all end within five hundredths of the capacity, and hardly any above", arguments: [
        (SimulatedRelay.Noise.quiet, 0.99), (.noisy, 0.99), (.rough, 0.93),
    ])
    func acceptance(noise: SimulatedRelay.Noise, least: Double) {
        var (within, above, unstable, answers) = (0, 0, 0, 0)
        var times: [Double] = []
        var trials = 0
        for number in 0..<Self.searches {
            var relay = SimulatedRelay(noise, seed: Seed(20_261_128).child(noise.name).child(UInt64(number)))
            var search = CapacitySearch(CapacityTerms())
            let reason = search.play(&relay)
            trials += relay.trials
            times.append(relay.seconds)
            guard reason == .found, let lower = search.goals[0].bounds().lower else {
                unstable += reason == .unstable ? 1 : 0
                continue
            }
            answers += 1
            let share = search.grid.rate(lower) / relay.capacity
            if abs(share - 1) <= 0.05 { within += 1 }
            if share > 1.05 { above += 1 }
        }
        times.sort()
        print(
            "capacity, \(noise.name): \(within) of \(Self.searches) within 5 %, \(above) above, \(unstable) unstable, "
                + "\(Double(trials) / Double(Self.searches)) trials, median \(times[times.count / 2] / 60) min, "
                + "p95 \(times[times.count * 95 / 100] / 60) min")
        #expect(Double(within) >= least * Double(Self.searches))
        #expect(Double(above) < 0.005 * Double(Self.searches))
        #expect(Double(unstable) <= (1 - least) * Double(Self.searches))
    }
}

// A relay of known capacity with an unbounded queue, as far as a search sees it: a trial is bad where the backlog grows by more
// than a hundredth of a second a second. What the machine does to a trial is drawn.

import Basics
import Capacity
import Foundation

struct SimulatedRelay {
    struct Noise {
        var name: String
        /// Deviation of a trial's capacity, as a share.
        var deviation: Double
        /// Of trials that a neighbour on the machine spoils.
        var spoilt: Double

        static let quiet = Noise(name: "quiet", deviation: 0.01, spoilt: 0)
        static let noisy = Noise(name: "noisy", deviation: 0.03, spoilt: 1.0 / 33)
        static let rough = Noise(name: "rough", deviation: 0.05, spoilt: 0.1)
    }

    let capacity: Double
    let noise: Noise
    private var generator: Generator
    private(set) var seconds = 0.0
    private(set) var trials = 0

    /// Between trials the queue runs empty.
    static let coolDown = 5.0

    /// Log-uniform over 800…20,000 events per second.
    init(_ noise: Noise, seed: Seed) {
        self.noise = noise
        generator = seed.child("trials").generator()
        capacity = 800 * pow(25, seed.child("capacity").unit)
    }

    mutating func holds(_ rate: Double, seconds length: Double) -> Bool {
        seconds += length + Self.coolDown
        trials += 1
        // Each ten seconds of a longer one are a draw of their own.
        let draws = max(1, Int(length / 10))
        var sum = 0.0
        for _ in 0..<draws {
            let normal = (-2 * log(1 - generator.unit())).squareRoot() * cos(2 * .pi * generator.unit())
            sum += 1 + noise.deviation * normal
            if generator.unit() < noise.spoilt { sum -= 0.1 + 0.5 * generator.unit() }
        }
        return rate <= 1.01 * capacity * sum / Double(draws)
    }
}

extension CapacitySearch {
    /// Searches to the end, at most so many steps.
    mutating func play(_ relay: inout SimulatedRelay) -> StopReason? {
        for _ in 0..<1_000 {
            switch next {
            case .stop(let reason): return reason
            case .trial(let place, let seconds), .confirm(let place, let seconds):
                record([relay.holds(grid.rate(place), seconds: seconds) ? .good : .bad])
            }
        }
        return nil
    }
}

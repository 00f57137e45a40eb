// When a session is over at the latest, where that can be said of its script.

import Basics

extension SessionScript {
    /// Seconds since the session began, before `pace`, after which nothing of it is heeded; nil where its times have no bound.
    var latestEnd: Double? {
        var clock = 0.0
        for step in steps {
            switch step.time {
            case .at(let time):
                guard let most = time.most else { return nil }
                clock = max(clock, most)
            case .after(let time):
                guard let most = time.most else { return nil }
                clock += most
            }
            guard let repetition = step.repetition else { continue }
            switch repetition.limit {
            case .until(let end):
                guard let most = end.most else { return nil }
                clock = max(clock, most)
            case .count(let count):
                guard let most = count.most, let every = repetition.every.most else { return nil }
                clock += max(0, most.rounded() - 1) * max(0.001, every)
            }
        }
        var end = clock + listen
        for reaction in reactions {
            guard let delay = reaction.delay.most else { return nil }
            end = max(end, reaction.within ?? 0) + delay * Double(reaction.times)
        }
        return end
    }
}

extension Distribution {
    /// Nothing less is drawn.
    var least: Double {
        switch self {
        case .constant(let value), .uniform(let value, _): value
        case .exponential, .normal, .logNormal: 0
        }
    }

    /// Nothing more is drawn; nil: there is no bound.
    fileprivate var most: Double? {
        switch self {
        case .constant(let value), .uniform(_, let value): value
        case .exponential, .normal, .logNormal: nil
        }
    }
}

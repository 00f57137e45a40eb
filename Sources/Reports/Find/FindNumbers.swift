// What a search's bounds mean for a plan: in pushes and sessions, and how near they are to an answer.

import Basics
import Capacity
import Metrics
import Verdicts

enum FindNumbers {
    /// What the lowest of the goals' lower bounds is in pushes and sessions; empty where there is none.
    static func lines(_ record: FindRecord) -> [String] {
        guard let lower = record.goals.compactMap(\.result.lower).min(), record.mix.events > 0 else { return [] }
        let mix = record.mix
        let begun = record.axis == .events ? lower / mix.events : mix.seconds > 0 ? lower / mix.seconds : 0
        var parts = ["\(Numbers.rate(begun * mix.pushes)) pushes", "\(Numbers.rate(begun)) new sessions"]
        switch record.axis {
        case .sessions: parts.insert("\(Numbers.rate(begun * mix.events)) calls", at: 0)
        case .events where mix.seconds > 0:
            parts.append("\(Numbers.trimmed((begun * mix.seconds).rounded(), places: 0)) sessions at once")
        case .events: break
        }
        return ["\(FindText.rate(lower, record.axis)) are \(parts.joined(separator: ", "))"]
    }

    /// The bounds are as near as was asked for and measured as long; only the confirmation has not come to its end.
    static func lacksConfirmation(_ goal: FindRecord.Goal, _ record: FindRecord) -> Bool {
        let (result, terms) = (goal.result, record.terms)
        guard result.answer == nil, let lower = result.lower, let upper = result.upper else { return false }
        return upper <= lower * (1 + terms.width) * 1.001 && !result.isConfirmed && terms.confirm > 0
            && result.lowerSeconds >= terms.sum && result.upperSeconds >= terms.sum
    }

    /// What a relay carries that falls behind as it did in that trial: of a load L that grows old by s a second L/(1+s) is
    /// served. Nil where it was not that.
    static func guess(_ trial: FindRecord.Trial) -> Double? {
        guard let slope = trial.figures.slope, slope > BacklogSlope.limit else { return nil }
        return trial.rate / (1 + slope)
    }
}

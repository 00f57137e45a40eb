// The moves of all scripts, compiled for the schedule: flat and without references.

import Basics
import Scenarios

extension Workload {
    /// A call as the schedule needs it.
    struct Step: Sendable {
        /// Among the script's steps.
        let number: UInt16
        let call: Int
        let isAbsolute: Bool
        let time: Draw
        let repetition: Recurrence?
        let probability: Double
    }

    struct Recurrence: Sendable {
        enum Limit: Sendable {
            case count(Draw)
            case until(Draw)
        }

        let every: Draw
        let limit: Limit
    }

    /// Targets are places among the script's own moves.
    enum Move: Sendable {
        case step(Step)
        case wait(Draw, probability: Double)
        /// `arms` are places in `MoveTable.arms`.
        case branch(Range<UInt32>, probability: Double, end: UInt16)
        case jump(UInt16)
    }

    struct Arm: Sendable {
        /// Cumulative; the last of a branch has 1.
        let share: Double
        let first: UInt16
    }

    struct MoveTable: Sendable {
        private(set) var moves: [Move] = []
        private(set) var arms: [Arm] = []
        private(set) var measured: [Double] = []
        /// By script.
        private(set) var ranges: [Range<Int>] = []

        init(_ scripts: [SessionScript]) {
            var table = MeasuredTable()
            for script in scripts {
                precondition(
                    script.steps.count < Int(UInt16.max) && script.moves.count < Int(UInt16.max),
                    "a script has fewer than 65535 steps and moves")
                let begin = moves.count
                for move in script.moves { moves.append(compiled(move, of: script, &table)) }
                ranges.append(begin..<moves.count)
            }
            measured = table.values
        }

        private mutating func compiled(_ move: ScriptMove, of script: SessionScript, _ table: inout MeasuredTable) -> Move {
            switch move {
            case .step(let number): return .step(Step(script.steps[number], number, &table))
            case .wait(let time, let probability): return .wait(Draw(time, &table), probability: probability)
            case .jump(let target): return .jump(UInt16(target))
            case .branch(let own, let probability, let end):
                precondition(!own.isEmpty, "a branch has an arm")
                let begin = UInt32(arms.count)
                let total = own.reduce(0) { $0 + $1.weight }
                var sum = 0.0
                for arm in own {
                    sum += arm.weight / total
                    arms.append(Arm(share: sum, first: UInt16(arm.first)))
                }
                return .branch(begin..<UInt32(arms.count), probability: probability, end: UInt16(end))
            }
        }

        /// The first move of the arm that a draw in [0, 1) means.
        func target(_ own: Range<UInt32>, draw: Double) -> UInt16 {
            for place in own where draw < arms[Int(place)].share { return arms[Int(place)].first }
            return arms[Int(own.upperBound) - 1].first
        }
    }
}

extension Workload.Step {
    fileprivate init(_ step: ScriptStep, _ number: Int, _ table: inout MeasuredTable) {
        let (isAbsolute, time) =
            switch step.time {
            case .at(let time): (true, time)
            case .after(let time): (false, time)
            }
        self.init(
            number: UInt16(number), call: step.call, isAbsolute: isAbsolute, time: Draw(time, &table),
            repetition: step.repetition.map { Workload.Recurrence($0, &table) }, probability: step.probability)
    }
}

extension Workload.Recurrence {
    fileprivate init(_ repetition: Repetition, _ table: inout MeasuredTable) {
        let every = Draw(repetition.every, &table)
        let limit: Limit =
            switch repetition.limit {
            case .count(let count): .count(Draw(count, &table))
            case .until(let end): .until(Draw(end, &table))
            }
        self.init(every: every, limit: limit)
    }
}

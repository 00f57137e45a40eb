// One session, played forward one event at a time. All that a session is while it waits fits in these few bytes; who it
// is to the relay is computed again whenever it speaks.

package import Basics
import Scenarios

package struct SessionCursor {
    private var generator: Generator
    private let start: Int64
    /// Seconds of the script's clock, before pace.
    private var clock = 0.0
    /// While a step recurs: events left, or the clock's end, by the kind of its limit.
    private var limit = 0.0
    package let session: UInt32
    /// Events so far; the number the next event will carry.
    private(set) var taken: UInt32 = 0
    /// Its place among the script's moves.
    private var place: UInt16 = 0
    package let script: UInt16
    private var isRepeating = false

    /// More events than this in one session are cut off.
    static let maxEvents: UInt32 = 1 << 20

    package init(session: UInt32, start: Interval, workload: Workload) {
        generator = workload.scheduleSeed.child(UInt64(session)).generator()
        self.session = session
        self.start = start.nanoseconds
        script = workload.drawScript(for: session, &generator)
    }

    /// One of that script, from the start of the plan.
    init(session: UInt32, script: UInt16, workload: Workload) {
        generator = workload.scheduleSeed.child(UInt64(session)).generator()
        self.session = session
        start = 0
        self.script = script
    }

    /// The session's next event, or nil after its last.
    mutating func next(_ workload: Workload) -> PlannedEvent? {
        let moves = workload.table.ranges[Int(script)]
        while Int(place) < moves.count, taken < Self.maxEvents {
            switch workload.table.moves[moves.lowerBound + Int(place)] {
            case .step(let step):
                if isRepeating ? recur(step, workload) : begin(step, workload) {
                    let event = emit(step, workload)
                    if event.at <= workload.stopAfter { return event }
                    place = UInt16(moves.count)
                    return nil
                }
                isRepeating = false
                place += 1
            case .wait(let time, let probability):
                if happens(probability) { clock += time.sample(&generator, workload) }
                place += 1
            case .branch(let arms, let probability, let end):
                place = happens(probability) ? workload.table.target(arms, draw: generator.unit()) : end
            case .jump(let target): place = target
            }
        }
        return nil
    }

    /// Draws only where there is a choice.
    private mutating func happens(_ probability: Double) -> Bool { probability >= 1 || generator.unit() < probability }

    /// Draws whether and when the step happens; moves the clock only if it does.
    private mutating func begin(_ plan: Workload.Step, _ workload: Workload) -> Bool {
        guard happens(plan.probability) else { return false }
        let drawn = plan.time.sample(&generator, workload)
        let time = plan.isAbsolute ? max(clock, drawn) : clock + drawn
        switch plan.repetition?.limit {
        case nil:
            place += 1
        case .count(let count):
            limit = count.sample(&generator, workload).rounded() - 1
            guard limit >= 0 else { return false }
            isRepeating = true
        case .until(let end):
            limit = end.sample(&generator, workload)
            guard time < limit else { return false }
            isRepeating = true
        }
        clock = time
        return true
    }

    private mutating func recur(_ plan: Workload.Step, _ workload: Workload) -> Bool {
        guard let repetition = plan.repetition else { return false }
        if case .count = repetition.limit {
            guard limit >= 1 else { return false }
            limit -= 1
            clock += max(0.001, repetition.every.sample(&generator, workload))
            return true
        }
        let time = clock + max(0.001, repetition.every.sample(&generator, workload))
        guard time < limit else { return false }
        clock = time
        return true
    }

    private mutating func emit(_ step: Workload.Step, _ workload: Workload) -> PlannedEvent {
        let at = Interval(nanoseconds: start + Int64(min(clock / workload.pace, 4e9) * 1e9))
        let event = PlannedEvent(session: session, step: taken, at: at, call: step.call, scriptStep: Int(step.number))
        taken += 1
        return event
    }
}

// One session, played forward one event at a time. All that a session is while it waits fits in these few bytes; who it
// is to the relay is computed again whenever it speaks.

import Basics
import Scenarios

struct SessionCursor {
    private var generator: Generator
    private let start: Int64
    /// Seconds of the script's clock, before pace.
    private var clock = 0.0
    /// While a step recurs: events left, or the clock's end, by the kind of its limit.
    private var limit = 0.0
    let session: UInt32
    /// Events so far; the number the next event will carry.
    private(set) var taken: UInt32 = 0
    private var scriptStep: UInt16 = 0
    let script: UInt16
    private var isRepeating = false

    /// More events than this in one session are cut off.
    static let maxEvents: UInt32 = 1 << 20

    init(session: UInt32, start: Interval, workload: Workload) {
        generator = workload.scheduleSeed.child(UInt64(session)).generator()
        self.session = session
        self.start = start.nanoseconds
        script = workload.drawScript(&generator)
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
        let steps = workload.steps(of: script)
        while Int(scriptStep) < steps.count, taken < Self.maxEvents {
            let plan = workload.steps[steps.lowerBound + Int(scriptStep)]
            let number = scriptStep
            if isRepeating ? recur(plan) : begin(plan) {
                let event = emit(plan, number, workload)
                if event.at <= workload.stopAfter { return event }
                scriptStep = UInt16(steps.count)
                return nil
            }
            isRepeating = false
            scriptStep += 1
        }
        return nil
    }

    /// Draws whether and when the step happens; moves the clock only if it does.
    private mutating func begin(_ plan: Workload.Step) -> Bool {
        if plan.probability < 1, generator.unit() >= plan.probability { return false }
        let drawn = plan.time.sample(&generator)
        let time = plan.isAbsolute ? max(clock, drawn) : clock + drawn
        switch plan.repetition?.limit {
        case nil:
            scriptStep += 1
        case .count(let count):
            limit = count.sample(&generator).rounded() - 1
            guard limit >= 0 else { return false }
            isRepeating = true
        case .until(let end):
            limit = end.sample(&generator)
            guard time < limit else { return false }
            isRepeating = true
        }
        clock = time
        return true
    }

    private mutating func recur(_ plan: Workload.Step) -> Bool {
        guard let repetition = plan.repetition else { return false }
        if case .count = repetition.limit {
            guard limit >= 1 else { return false }
            limit -= 1
            clock += max(0.001, repetition.every.sample(&generator))
            return true
        }
        let time = clock + max(0.001, repetition.every.sample(&generator))
        guard time < limit else { return false }
        clock = time
        return true
    }

    private mutating func emit(_ plan: Workload.Step, _ number: UInt16, _ workload: Workload) -> PlannedEvent {
        let at = Interval(nanoseconds: start + Int64(min(clock / workload.pace, 4e9) * 1e9))
        let event = PlannedEvent(session: session, step: taken, at: at, call: plan.call, scriptStep: Int(number))
        taken += 1
        return event
    }
}

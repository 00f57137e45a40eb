// The side table of a loop: what its sessions remember, and what they have to do at an instant that no plan knows. Confined
// to its loop; there is none where no script captures or reacts.

package import Basics
package import Pushes
package import Scenarios

package struct LoadMemory {
    package enum Due {
        case reaction(SessionMemory, PendingReaction)
        /// Something is to be done on a phone.
        case act(SessionMemory, PendingAct)
        /// The event of that reaction should have come by now.
        case deadline(SessionMemory, Int)
        /// Phones are not heeded any more.
        case silence(SessionMemory)

        package var memory: SessionMemory {
            switch self {
            case .reaction(let memory, _), .act(let memory, _), .deadline(let memory, _), .silence(let memory): memory
            }
        }

        /// The session is not over before it.
        var isScheduled: Bool {
            switch self {
            case .reaction, .act: true
            case .deadline, .silence: false
            }
        }

        /// Nothing would come of it.
        var isIdle: Bool {
            if case .deadline(let memory, let reaction) = self, memory.hasFired(reaction) { return true }
            return memory.isForgotten
        }
    }

    private let workload: Workload
    private let chance: Seed
    var actSeed: Seed { chance.child("acts") }
    private var memories: [UInt32: SessionMemory] = [:]
    private var queue = EventQueue()
    private var items: [Due?] = []
    private var free: [UInt32] = []
    /// Phone events of no session that heeds them.
    package private(set) var unclaimed = 0
    /// Reactions that are due and wait for the answer to an earlier event.
    package private(set) var waiting = 0

    package init(_ workload: Workload) {
        self.workload = workload
        chance = workload.reactionSeed
    }

    package var isEmpty: Bool { memories.isEmpty }

    /// When the first thing is due that still matters.
    package mutating func nextDue() -> Interval? {
        while let top = queue.top, let due = items[Int(top.row)], due.isIdle { drop(top.row) }
        return queue.top.map { Interval(nanoseconds: $0.time) }
    }

    private mutating func drop(_ place: UInt32) {
        queue.pop()
        items[Int(place)] = nil
        free.append(place)
    }

    package subscript(session: UInt32) -> SessionMemory? { memories[session] }

    // MARK: A session's life

    /// Nil for a session that remembers nothing. `start`: when it begins, since the plan's start.
    package mutating func begin(_ session: UInt32, script: UInt16, at start: Interval) -> SessionMemory? {
        guard workload.remembers(script) else { return nil }
        let reactions = workload.scripts[Int(script)].reactions
        let memory = SessionMemory(
            session: session, script: script, captures: workload.profile.captures.count, reactions: reactions,
            acts: workload.scripts[Int(script)].acts.count)
        memories[session] = memory
        for (number, reaction) in reactions.enumerated() {
            if let within = reaction.within { add(.deadline(memory, number), at: start + paced(within)) }
        }
        addActs(of: memory, at: start)
        return memory
    }

    /// The last event of its plan has become due.
    package mutating func planIsOver(_ memory: SessionMemory, at time: Interval) {
        guard !memory.isPlanOver else { return }
        add(.silence(memory), at: time + paced(workload.scripts[Int(memory.script)].listen))
    }

    /// A session whose plan is over is forgotten when nothing can come of it any more. True when it is.
    package mutating func forgetIfOver(_ memory: SessionMemory) -> Bool {
        guard memory.isDone, !memory.isForgotten else { return false }
        forget(memory)
        return true
    }

    package mutating func forget(_ memory: SessionMemory) {
        memory.forget()
        memories[memory.session] = nil
    }

    package func acts(of memory: SessionMemory) -> [ScriptedAct] { workload.scripts[Int(memory.script)].acts }

    package func paced(_ seconds: Double) -> Interval { .seconds(min(seconds / workload.pace, 4e9)) }

    // MARK: What is to be done

    /// Something happened on a phone of the session, `now` since the plan's start. `life`: of the app there; nil: it runs no
    /// code, so it does not react.
    package mutating func heed(_ event: PhoneEvent, session: UInt32?, life: UInt32?, now: Interval) {
        guard let session, let memory = memories[session], !memory.isPlanOver || memory.open > 0,
            let name = PhoneName(event.phone)
        else {
            unclaimed += 1
            return
        }
        addActs(of: memory, after: event, phone: name.phone, now: now)
        let token = memory.token(of: event, phone: name.phone)
        guard let life else { return }
        for (number, reaction) in workload.scripts[Int(memory.script)].reactions.enumerated() {
            guard let nth = memory.take(event, phone: name.phone, reaction, number) else { continue }
            var generator = chance.child(UInt64(session)).child(UInt64(number) << 32 | UInt64(nth)).generator()
            if reaction.probability < 1, generator.unit() >= reaction.probability { continue }
            let at = now + paced(reaction.delay.sample(&generator))
            add(
                .reaction(
                    memory,
                    PendingReaction(
                        reaction: number, at: at, cause: event.number, phone: name.phone, life: life, token: token)),
                at: at)
        }
    }

    package mutating func add(_ due: Due, at time: Interval) {
        if due.isScheduled { due.memory.scheduled += 1 }
        if let place = free.popLast() {
            items[Int(place)] = due
            queue.push(time.nanoseconds, place)
        } else {
            queue.push(time.nanoseconds, UInt32(items.count))
            items.append(due)
        }
    }

    /// Takes what is due first. There must be something.
    package mutating func takeDue() -> Due {
        let place = queue.top!.row
        guard let due = items[Int(place)] else { preconditionFailure("what is queued is kept") }
        drop(place)
        if due.isScheduled { due.memory.scheduled -= 1 }
        return due
    }

    package mutating func wait(_ pending: PendingReaction, _ memory: SessionMemory) {
        memory.waiting.append(pending)
        waiting += 1
    }

    /// Takes the session's first waiting reaction. There must be one.
    package mutating func takeWaiting(_ memory: SessionMemory) -> PendingReaction {
        waiting -= 1
        return memory.waiting.removeFirst()
    }
}

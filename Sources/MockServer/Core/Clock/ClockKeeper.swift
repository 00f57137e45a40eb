// Who moves a clock that stands. It goes on to the next thing that anybody waits for when nothing is under way: all loops of
// this process rest, every participant has said what it waits for since it was told the time, and each call and push that
// one side has sent the other has seen, and likewise the answers.
//
//     all rest? ─▶ sent = seen? ─▶ somebody is due: wake it ─▶ nobody is: step to the next timer, tell all ─┐
//        ▲                                                                                               │
//        └───────────────────────────── a turn ends, a statement comes ◀─────────────────────────────────┘

import Basics
import EventLoop
import Net
import Synchronization

/// What a participant has taken in and sent out since it joined, and what it waits for.
struct ClockStatement: Hashable, Sendable {
    /// The time it has heard, and its next timer, both in microseconds since the clock began; nil: no timer.
    var elapsed: Int64
    var until: Int64?
    /// Calls it was sent and those it has answered; pushes it has sent and those it knows the outcome of.
    var calls: ClockTraffic
    var pushes: ClockTraffic

    /// Counts and time only grow: a statement with less of any is the older one, overtaken on its way by another connection.
    func isOlder(than other: ClockStatement) -> Bool {
        elapsed < other.elapsed || calls.begun < other.calls.begun || calls.ended < other.calls.ended
            || pushes.begun < other.pushes.begun || pushes.ended < other.pushes.ended
    }
}

/// Confined to the admin loop.
final class ClockKeeper {
    /// More take no part.
    static let mostParticipants = 16
    /// A participant without a connection that says nothing for so long has gone.
    static let absence = Interval.seconds(3)
    /// Counts that differ and stay so for this long, while nobody waits for anybody, may tell of what was lost on the way.
    static let quiet = Interval.milliseconds(50)
    /// They do where everybody, asked so often again, says the same: whoever did not get to the processor says nothing.
    static let confirmations = 2
    /// A statement that waits for a step is answered after so long, so that no middleman takes it for dead.
    static let longestWait = Interval.seconds(30)

    private final class Participant {
        let id: String
        let name: String
        var statement: ClockStatement?
        var waiting: ServerExchange?
        var waitingSince: Instant
        /// When it was last heard of.
        var heardAt: Instant
        /// Its connections that carried statements and are open.
        var connections: Set<ObjectIdentifier> = []
        var joinedAt: Int64

        init(id: String, name: String, now: Instant, joinedAt: Int64) {
            self.id = id
            self.name = name
            self.joinedAt = joinedAt
            waitingSince = now
            heardAt = now
        }
    }

    fileprivate struct Counts: Hashable {
        var calls = ClockTraffic()
        var pushes = ClockTraffic()
    }

    let loop: EventLoop
    private let shared: MockShared
    var clock: RunClock { shared.time }
    private var participants: [Participant] = []
    private var nextParticipant = 1
    /// What this side has counted beyond what the participants have.
    private var baseline = Counts()
    private var unequal: (counts: Counts, since: Instant, confirmed: Int)?
    private var lastProgress: Instant
    private var toldMode: RunClock.Mode
    private var timer: LoopTimer?
    private(set) var steps = 0
    /// Steps that are answered when the clock has come there.
    var arrivals: [ClockArrival] = []
    var lastArrival = 0

    init(loop: EventLoop, shared: MockShared) {
        self.loop = loop
        self.shared = shared
        lastProgress = loop.now
        toldMode = shared.time.mode
        watch()
    }

    // MARK: - Participants

    /// Nil: there are too many.
    func join(name: String) -> JSONValue? {
        guard participants.count < Self.mostParticipants else { return nil }
        let id = "p\(nextParticipant)"
        nextParticipant += 1
        participants.append(Participant(id: id, name: name, now: loop.now, joinedAt: clock.elapsedMicroseconds))
        shared.clockParticipants.store(participants.count, ordering: .sequentiallyConsistent)
        guard case .object(var object) = told else { return nil }
        object["id"] = .string(id)
        return .object(object)
    }

    /// Answered when the clock moves, or at once where another statement came meanwhile, or had come already. False: there is
    /// no such participant.
    func state(_ id: String, _ statement: ClockStatement, _ exchange: ServerExchange) -> Bool {
        guard let participant = participants.first(where: { $0.id == id }) else { return false }
        if let newer = participant.statement, statement.isOlder(than: newer) {
            AdminAnswer(told).send(to: exchange)
            return true
        }
        if let older = participant.waiting { AdminAnswer(told).send(to: older) }
        participant.connections.insert(ObjectIdentifier(exchange.connection))
        participant.waiting = exchange
        participant.waitingSince = loop.now
        participant.heardAt = loop.now
        participant.statement = statement
        lastProgress = loop.now
        // The time went on while this was on its way.
        if statement.elapsed < heard { answer(participant) }
        look()
        return true
    }

    func leave(_ id: String) -> Bool {
        guard let index = participants.firstIndex(where: { $0.id == id }) else { return false }
        remove(at: index)
        return true
    }

    /// Whoever hangs up while it waits for the next step has gone.
    func abandon(_ exchange: ServerExchange) {
        arrivals.removeAll { $0.exchange === exchange }
        guard let index = participants.firstIndex(where: { $0.waiting === exchange }) else { return }
        remove(at: index)
    }

    /// One that was ended while it worked hangs up as well, and says nothing any more.
    func disconnected(_ connection: ServerConnection) {
        for participant in participants { participant.connections.remove(ObjectIdentifier(connection)) }
    }

    /// Those that have hung up and were not heard of for a while.
    private func removeGone(_ now: Instant) {
        while let index = participants.firstIndex(where: {
            $0.statement != nil && $0.waiting == nil && $0.connections.isEmpty && now - $0.heardAt > Self.absence
        }) {
            remove(at: index)
        }
    }

    private func remove(at index: Int) {
        if let exchange = participants.remove(at: index).waiting, exchange.isOpen { AdminAnswer(told).send(to: exchange) }
        shared.clockParticipants.store(participants.count, ordering: .sequentiallyConsistent)
        setTrouble(nil)
        look()
    }

    func answerAll() { for participant in participants { answer(participant) } }

    private func answer(_ participant: Participant) {
        guard let exchange = participant.waiting else { return }
        participant.waiting = nil
        AdminAnswer(told).send(to: exchange)
    }

    /// In microseconds since the clock began.
    private var heard: Int64 { clock.isStepped ? clock.elapsedMicroseconds : 0 }

    private var told: JSONValue {
        var scale = 0.0
        if case .running(let given) = clock.mode { scale = given }
        return [
            "elapsed": .integer(clock.elapsedMicroseconds), "wall": .integer(shared.clock.wall().nanoseconds / 1_000),
            "scale": .number(scale),
        ]
    }

    /// For `GET /v1/clock`.
    var json: JSONValue {
        .array(
            participants.map { participant in
                let statement = participant.statement
                return [
                    "id": .string(participant.id), "name": .string(participant.name),
                    "elapsed": statement.map { .integer($0.elapsed) } ?? .null,
                    "until": statement?.until.map { .integer($0) } ?? .null,
                    "silentMilliseconds": .integer(Int64((loop.now - participant.heardAt).milliseconds)),
                ]
            })
    }

    // MARK: - Steps

    /// The clock may go further than before; `isSet`: it shows another time, or goes in another way.
    func changed(isSet: Bool) {
        lastProgress = loop.now
        if isSet { answerAll() }
        look()
    }

    /// Goes on as far as nothing is under way. Where the clock goes in another way all who wait are told.
    func look() {
        if clock.mode != toldMode {
            toldMode = clock.mode
            answerAll()
        }
        while advance() {}
        answerArrivals()
    }

    /// One thing; false: somebody else has to do something first.
    private func advance() -> Bool {
        guard clock.isStepped, !clock.isHeld, let turns = restingTurns(), everybodyHasHeard else {
            return false
        }
        clock.everybodyHasHeard()
        let counts = counts()
        // All of this is of the same turns: a follower that has been at work meanwhile has other timers, and has left a call.
        let followers = clock.everyFollower
        let timers = followers.map { $0.next.load(ordering: .sequentiallyConsistent) }
        guard followers.map({ $0.restingTurn }) == turns else { return false }
        guard isSettled(counts) else { return false }
        let now = clock.now().nanoseconds
        let due = zip(followers, timers).filter { $0.1 <= now }.map(\.0)
        if let rank = due.map(\.rank).min() {
            for follower in due where follower.rank == rank { follower.wake() }
            return false
        }
        let theirs = participants.compactMap { $0.statement?.until.map { clock.instant(microseconds: $0).nanoseconds } }
        let next = (timers + theirs).min() ?? .max
        let goal = clock.goal.nanoseconds
        let target = min(next, goal)
        guard target > now, target != .max else { return false }
        clock.step(to: Instant(nanoseconds: target), isHeard: participants.isEmpty)
        steps += 1
        setTrouble(nil)
        shared.clockSteps.store(steps, ordering: .relaxed)
        lastProgress = loop.now
        answerAll()
        return true
    }

    /// And has done what was due.
    var everybodyHasHeard: Bool { participants.allSatisfy(hasHeard) }

    private func hasHeard(_ participant: Participant) -> Bool {
        guard let statement = participant.statement, participant.waiting != nil else { return false }
        return statement.elapsed >= heard && statement.until ?? .max > heard
    }

    /// Nil while one of them works.
    func restingTurns() -> [UInt64?]? {
        let turns = clock.everyFollower.map(\.restingTurn)
        return turns.contains { $0 == nil } ? nil : turns
    }

    /// What this side has counted more than the participants.
    private func counts() -> Counts {
        var counts = Counts(calls: clock.calls.now, pushes: clock.pushes.now)
        for participant in participants {
            guard let statement = participant.statement else { continue }
            counts.calls.subtract(statement.calls)
            counts.pushes.subtract(statement.pushes)
        }
        return counts
    }

    /// Nothing is under way: what one side has sent the other has seen. Where a connection took something along the counts
    /// stay apart; then both wait for the same number of answers, and nothing changes any more. That may look so as well
    /// while one call is on its way and a statement about the one before it, so everybody is asked again.
    private func isSettled(_ counts: Counts) -> Bool {
        // Nobody tells of pushes; but our own calls have an end.
        if participants.isEmpty { return counts.calls.isEven }
        if counts == baseline {
            unequal = nil
            return true
        }
        let now = loop.time.now()
        if unequal?.counts != counts { unequal = (counts, now, 0) }
        guard counts.calls.isEven, counts.pushes.isEven, let (_, since, confirmed) = unequal else { return false }
        guard now - since >= Self.quiet else {
            _ = loop.after(Self.quiet) { [weak self] in self?.look() }
            return false
        }
        guard confirmed >= Self.confirmations else {
            unequal = (counts, now, confirmed + 1)
            answerAll()
            return false
        }
        baseline = counts
        unequal = nil
        return true
    }

    // MARK: - Patience

    private func watch() {
        timer = loop.after(.seconds(1)) { [weak self] in
            guard let self else { return }
            let now = loop.now
            for participant in participants where now - participant.waitingSince > Self.longestWait { answer(participant) }
            removeGone(now)
            let found = clock.isStepped && !clock.isHeld ? trouble : nil
            // What was found goes as soon as nobody keeps the clock; it comes only after a while.
            if found == nil || now - lastProgress > shared.clockPatience { setTrouble(found) }
            look()
            watch()
        }
    }

    deinit { timer?.cancel() }

    private func setTrouble(_ trouble: String?) { shared.clockTrouble.withLock { $0 = trouble } }

    /// Who keeps the clock from going on, in one line; nil: nobody does.
    private var trouble: String? {
        let wait = "the clock has stood for \(shared.clockPatience) at \(Interval.microseconds(clock.elapsedMicroseconds))"
        if let silent = participants.first(where: { !hasHeard($0) }) {
            return "\(wait): participant \(silent.name) (\(silent.id)) has stated nothing since. It waits for what it does not "
                + "state, or it is busy without end, as with a timer that is due again at once"
        }
        let counts = counts()
        guard restingTurns() == nil || (participants.isEmpty ? counts.calls.isEven : counts == baseline) else {
            let names = participants.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
            return "\(wait): something is under way that never comes. By what \(names.isEmpty ? "nobody" : names) says, "
                + "\(counts.words(baseline))"
        }
        return nil
    }
}

extension ClockKeeper.Counts {
    fileprivate func words(_ baseline: Self) -> String {
        let differences = [
            ("calls sent to it", calls.begun - baseline.calls.begun), ("calls answered", calls.ended - baseline.calls.ended),
            ("pushes sent by it", pushes.begun - baseline.pushes.begun),
            ("pushes answered", pushes.ended - baseline.pushes.ended),
        ]
        return differences.filter { $0.1 != 0 }.map { "\($0.0): \(abs($0.1)) \($0.1 > 0 ? "too few" : "too many")" }
            .joined(separator: ", ")
    }
}

// The same history as the judge gets it, and which musts it finds broken.

import Basics
import Conformance
import Metrics
import Pushes

struct Judged {
    private static let (first, second) = (TokenHash("a1"), TokenHash("a2"))
    private static let origin = Instant(nanoseconds: 1_000_000_000_000)
    private static let session: UInt32 = 1
    private let tiny: Tiny
    private var account = Account(number: 0)
    private let run = RunContext()
    private let outcome: (classes: [DeliveryClass], broken: [String])

    /// Ids of the musts that it finds broken.
    var blames: [String] { outcome.broken }
    /// What became of each state.
    var classes: [DeliveryClass] { outcome.classes }

    private static func at(_ milliseconds: Int) -> Instant { origin + .milliseconds(Int64(milliseconds)) }

    init(_ tiny: Tiny) {
        self.tiny = tiny
        run.kinds = ["register", "state", "end"]
        run.quietKinds = [0]
        run.circumstances.finalKinds = [2]
        run.circumstances.isRelayOurs = true
        run.circumstances.end = Self.at(tiny.end)
        run.circumstances.startedAt = WallTime(seconds: 1_760_000_000)
        run.circumstances.faults = [.init(rule: 1, label: "503", windows: [])]
        run.circumstances.outages = tiny.down.map { .init(from: Self.at($0.lowerBound), until: Self.at($0.upperBound)) }
        var (account, course, run) = (Account(number: 0), RuleCourse(), run)
        Self.plan(tiny, &account)
        for (place, push) in tiny.pushes.enumerated() {
            let seen = Self.push(place, push, tiny, run)
            run.pushCount += 1
            run.noteAbility(seen)
            course.see(seen, run)
            account.pushes.append(seen)
        }
        account.endsAt = Self.at(tiny.end)
        account.settle(late: [:], undelivered: [:])
        let joined = JoinedAccount(account, run.circumstances, isDeath: run.tellsOfDeath)
        course.close(joined, run)
        let broken = course.results(run, knownFailing: [], isStrict: false).filter { $0.level == .must && $0.verdict.isBroken }
        outcome = (joined.deliveries.map(\.outcome), broken.map(\.id))
        self.account = account
    }

    private static func plan(_ tiny: Tiny, _ account: inout Account) {
        var step: UInt32 = 0
        func call(_ second: Int, _ kind: UInt16) {
            var call = SeenCall(session: session, step: step, kind: kind, plannedAt: at(second * 1_000))
            call.state = .sent
            call.sentAt = at(second * 1_000)
            let isAnswered = !tiny.isDown(second * 1_000)
            (call.answeredAt, call.status) = (at(second * 1_000 + 10), isAnswered ? 200 : 0)
            call.wasTaken = isAnswered
            account.calls.append(call)
            step += 1
        }
        func register(_ second: Int, _ token: TokenHash) {
            account.tokenCalls.append(
                TokenCall(
                    place: EventNumber.place(session: session, step: step), token: token, lane: Lane(role: .activity),
                    isRegistration: true))
            call(second, 0)
        }
        register(0, first)
        for second in 1..<tiny.seconds {
            if tiny.rotated == second { register(second, Self.second) }
            guard let state = tiny.told.firstIndex(of: second) else { continue }
            let isEnd = state == tiny.told.count - 1
            var flags: Expectation.Flags = [.mayWait]
            if isEnd { flags.insert(.isFinal) } else if tiny.latestWins { flags.insert(.mayBeSuperseded) }
            account.rows.append(
                Expectation(
                    session: session, step: step, kind: isEnd ? 2 : 1, type: .liveactivity, event: isEnd ? .end : .update,
                    lane: Lane(role: .activity), flags: flags, plannedAt: at(second * 1_000),
                    deadline: .milliseconds(Int64(Tiny.deadline)),
                    token: tiny.rotated.map { $0 <= second } ?? false ? Self.second : first))
            call(second, isEnd ? 2 : 1)
        }
    }

    private static func step(of state: Int, _ tiny: Tiny) -> UInt32 {
        let told = tiny.told[state]
        return UInt32(1 + state + (tiny.rotated.map { $0 <= told } ?? false ? 1 : 0))
    }

    private static func push(_ place: Int, _ push: Tiny.Push, _ tiny: Tiny, _ run: RunContext) -> SeenPush {
        let isEnd = push.state == tiny.told.count - 1
        let answer = tiny.answer(push)
        var seen = SeenPush(
            id: UInt64(place + 1), arrivedAt: at(push.at), answeredAt: at(push.at),
            arrivedWall: WallTime(seconds: 1_760_000_000) + .milliseconds(Int64(push.at)),
            token: push.isSecondToken ? second : first, status: answer == .accepted ? 200 : answer == .dead ? 410 : 503,
            type: .liveactivity)
        seen.session = session
        seen.step = step(of: push.state, tiny)
        seen.flags = [.isMarked, .gavePriority]
        seen.event = isEnd ? .end : .update
        seen.stamp = 1_760_000_000 + Int64(push.second)
        seen.connection = 1
        seen.owner = 1
        seen.topic = run.texts.intern("com.example.app.push-type.liveactivity")
        seen.payloadCount = 400
        seen.payloadHash = push.state + 1
        switch answer {
        case .accepted: seen.outcome = isEnd ? .ended : .updated
        case .unavailable: (seen.reason, seen.faultRule) = (run.texts.intern("ServiceUnavailable"), 1)
        case .dead: seen.reason = run.texts.intern("Unregistered")
        }
        return seen
    }
}

// One valid account, in milliseconds: an expectation at 1000, its call, and its push 50 later. Tests turn one knob each.

import Basics
import Pushes

@testable import Metrics

func instant(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

extension TokenHash {
    static let activity = TokenHash("a1")
    static let rotated = TokenHash("a2")
    static let device = TokenHash("d1")
    static let other = TokenHash("ff")
}

/// What is said about one user, in the order in which it is said.
struct Story {
    var account = Account(number: 0)
    var circumstances = Circumstances()
    var undelivered: Set<UInt64> = []
    var late: [UInt64: Outcome] = [:]
    /// 410, and 400 where `reason` is 7.
    static let badToken: Int32 = 7

    init() {
        circumstances.end = instant(1_000_000)
        circumstances.isRelayOurs = true
    }

    /// One state, called for, sent and pushed in time.
    static var usual: Story {
        var story = Story()
        story.call(1)
        story.expect(1)
        story.push(1)
        return story
    }

    func with(_ turn: (inout Story) -> Void) -> Story {
        var copy = self
        turn(&copy)
        return copy
    }

    mutating func call(
        _ step: UInt32, at milliseconds: Int64 = 1000, session: UInt32 = 1, kind: UInt16 = 0, status: UInt16 = 200,
        _ turn: (inout SeenCall) -> Void = { _ in }
    ) {
        var call = SeenCall(session: session, step: step, kind: kind, plannedAt: instant(milliseconds))
        call.state = .sent
        call.sentAt = instant(milliseconds)
        call.answeredAt = instant(milliseconds + 10)
        call.status = status
        call.wasTaken = (200..<300).contains(status)
        turn(&call)
        account.calls.append(call)
    }

    mutating func registers(
        _ step: UInt32, _ token: TokenHash = .activity, session: UInt32 = 1, phone: UInt8 = 0,
        role: Lane.Role = .activity, isRegistration: Bool = true
    ) {
        account.tokenCalls.append(
            TokenCall(
                place: EventNumber.place(session: session, step: step), token: token, lane: Lane(role: role, phone: phone),
                isRegistration: isRegistration))
    }

    mutating func expect(
        _ step: UInt32, at milliseconds: Int64 = 1000, session: UInt32 = 1, kind: UInt16 = 0,
        type: PushType = .liveactivity, event: ActivityEvent? = .update, flags: Expectation.Flags = [],
        deadline: Int64 = 500, token: TokenHash = .activity, phone: UInt8 = 0
    ) {
        account.rows.append(
            Expectation(
                session: session, step: step, kind: kind, type: type, event: type == .liveactivity ? event : nil,
                lane: Lane(role: type == .alert ? .device : .activity, phone: phone), flags: flags,
                plannedAt: instant(milliseconds), deadline: .milliseconds(deadline), token: token))
    }

    mutating func push(
        _ step: UInt32, at milliseconds: Int64 = 1050, session: UInt32 = 1, type: PushType = .liveactivity,
        event: ActivityEvent? = .update, token: TokenHash = .activity, status: UInt16 = 200, outcome: Outcome? = .updated,
        _ turn: (inout SeenPush) -> Void = { _ in }
    ) {
        var push = SeenPush(
            id: UInt64(account.pushes.count + 1), arrivedAt: instant(milliseconds), answeredAt: instant(milliseconds),
            arrivedWall: WallTime(seconds: 1_760_000_000) + .milliseconds(milliseconds), token: token, status: status,
            type: type)
        push.session = session
        push.step = step
        push.flags = .isMarked
        push.event = type == .liveactivity ? event : nil
        push.outcome = status == 200 ? outcome : nil
        push.connection = 1
        turn(&push)
        account.pushes.append(push)
    }

    /// The phone's only activity, from then on, and the token that its app was told.
    mutating func card(token: TokenHash, from milliseconds: Int64) {
        account.cards.append(SeenCard(phone: 0, number: 1, startedAt: instant(milliseconds)))
        account.cards[account.cards.count - 1].tokens = [token]
    }

    /// What the phone told of it later.
    mutating func tell(_ kind: PhoneEvent.Kind, at milliseconds: Int64) {
        let wall = WallTime(seconds: 1_760_000_000) + .milliseconds(milliseconds)
        account.note(
            PhoneEvent(number: 1, kind: kind, at: wall, phone: "phone-0-1", app: "app", activity: 1), phone: 0,
            at: instant(milliseconds))
    }

    static func isDeath(_ push: SeenPush) -> Bool { push.status == 410 || push.status == 400 && push.reason == badToken }

    var joined: JoinedAccount {
        var account = account
        account.calls.sort { $0.place < $1.place }
        account.pushes.sort { $0.arrivedAt < $1.arrivedAt }
        account.endsAt = account.rows.map { $0.plannedAt + $0.deadline }.max() ?? instant(0)
        account.settle(late: late, undelivered: Dictionary(uniqueKeysWithValues: undelivered.map { ($0, instant(0)) }))
        return JoinedAccount(account, circumstances, isDeath: Self.isDeath)
    }

    func correlation(
        kinds: [String] = ["progress", "complete"], origin: Instant? = nil,
        measuredFrom: Instant = Instant(nanoseconds: .min), reason: (SeenPush) -> String = { _ in "" },
        answer: (SeenCall) -> String = { _ in "" }
    ) -> Correlation {
        var correlator = Correlator(kinds: kinds, origin: origin, measuredFrom: measuredFrom)
        let joined = joined
        for push in joined.account.pushes { correlator.observe(push, reason: reason(push)) }
        for call in joined.account.calls where call.state != .planned { correlator.observe(call, answer: answer(call)) }
        correlator.close(joined, circumstances)
        return correlator.finish()
    }

    /// What became of all expectations and pushes, without the zeros: `delivered 1, lost 2`.
    var classes: String {
        let correlation = correlation()
        let sum = DeliveryClass.ofExpectations.reduce(0) { $0 + correlation.count($1) }
        guard sum == correlation.expected else { return "\(sum) classes for \(correlation.expected) expectations" }
        return DeliveryClass.allCases.filter { correlation.count($0) > 0 }
            .map { "\($0.rawValue) \(correlation.count($0))" }.joined(separator: ", ")
    }
}

// Which pushes a relay owes for a session's events: the profile's rules played over the tokens the relay knows.

import Basics
import Pushes
package import Scenarios

/// A push the relay owes, with the event that caused it.
struct OwedPush {
    var event: PlannedEvent
    /// Its token is the one that it is owed to.
    var push: ExpectedPush
    /// From the event's planned instant.
    var deadline: Interval
    /// It waited for its token to be registered.
    var wasHeld = false
    /// What it waited for never came in the time that the script gives it.
    var waitsInVain = false
    /// A newer state took its place while it waited, so it need not come.
    var isReplaceable = false
    /// A start, and one was owed before in vain; or what stands in for it, should that one have been accepted (R0.15).
    var isAgain = false
    var isInsteadOfStart = false
    /// It is owed only where this token, which is registered, is dead.
    var unless: SessionVariable?
}

/// What a call makes the relay know and owe.
package struct OwingCall: Sendable {
    let registers: [SessionVariable]
    /// With every other token of the same role, of the phones that it names; of all, where it names none or ends the session.
    let unregisters: [SessionVariable]
    /// The same whatever phones it names.
    private let unregistersAnywhere: [SessionVariable]
    /// In a reaction it means the activity of the phone whose event it is.
    let namesActivity: Bool
    let pushes: [ExpectedPush]
    let isFinal: Bool
    /// Captured values without which it cannot be made, and whether it says what only a phone's event can tell.
    let needs: CapturedNames
    let needsPhoneToken: Bool
    /// It names the activity's token, which in a reaction is the phone's.
    let usesActivityToken: Bool
    package let captures: [Capture]
    /// It ends the session and waits for no token, so that nothing else waits any more.
    let endsHeld: Bool

    init(_ call: ProfileCall) {
        registers = call.registers
        let named = call.isFinal ? [] : call.namedPhones
        unregistersAnywhere = call.unregisters.flatMap(\.ofSameRole)
        unregisters = unregistersAnywhere.filter { named.isEmpty || named.contains($0.phone) }
        namesActivity = call.namesActivity
        pushes = call.pushes
        isFinal = call.isFinal
        needs = call.neededCaptures
        needsPhoneToken = call.needsPhoneToken
        usesActivityToken = call.usesActivityToken
        captures = call.captures
        endsHeld = call.isFinal && !call.pushes.contains { $0.held && $0.channel == .liveactivity }
    }
}

extension OwingCall {
    /// In a reaction the activity's token is that of the phone whose event it is.
    func registered(by phone: Int?) -> [SessionVariable] {
        guard let phone else { return registers }
        return registers.map { $0.role == .activityToken ? SessionVariable.activityToken(of: phone) : $0 }
    }

    /// What names no activity speaks of all of its session's (R0.19).
    func unregistered(by phone: Int?) -> [SessionVariable] {
        guard let phone, namesActivity else { return unregisters }
        return unregistersAnywhere.filter { $0.role == .activityToken ? $0.phone == phone : unregisters.contains($0) }
    }
}

extension SessionVariable {
    static func activityToken(of phone: Int) -> SessionVariable { phone == 0 ? .activityToken : .activityToken2 }
}

/// One session's tokens as the relay should know them. Sessions are judged one by one: what another session of the same
/// user registers does not count here.
struct OwedPushes {
    private let workload: Workload
    private var known: SessionVariable.Few = []
    /// Pushes that wait for their token to be registered, oldest first.
    private var held: [OwedPush] = []
    /// Phones that any call has registered something for.
    private var phones: [Int] = [0]
    /// The activities' tokens that phones told, in the order of their first registrations.
    private var told: [(phone: Int, token: String)] = []
    /// From its last call until it begins again.
    private var isOver = false
    /// Phones to which a start was owed, and whose activity has had no token since: a bit for each.
    private var started: UInt8 = 0

    init(_ workload: Workload) { self.workload = workload }

    /// Whether it registers the token of an activity that another has replaced: where the relay replaces activities, that
    /// changes nothing (relays.md R4.21). To be asked before `happen`, once for each reaction.
    mutating func isLate(_ event: PlannedEvent, _ made: MadeReaction) -> Bool {
        guard workload.profile.activities.restart != nil, !made.token.isEmpty,
            workload.owing[event.call].registered(by: made.phone).contains(where: { $0.role == .activityToken })
        else { return false }
        let own = told.filter { $0.phone == made.phone }
        if own.contains(where: { $0.token == made.token }) { return own.last?.token != made.token }
        told.append((made.phone, made.token))
        return false
    }

    /// Plays the session's next event and reports what becomes owed by it: a push for each phone. `phone`: the one whose
    /// event it reacts to, where it does.
    mutating func happen(_ event: PlannedEvent, phone reacting: Int? = nil, _ owed: (OwedPush) -> Void) {
        for token in workload.owing[event.call].registered(by: reacting) {
            // A phone has one token of each role: a new one takes the old one's place.
            for other in token.ofSameRole where other != token && other.phone == token.phone { known.remove(other.few) }
            if !phones.contains(token.phone) { phones = (phones + [token.phone]).sorted() }
            if token.role == .activityToken { started &= ~(1 << token.phone) }
            guard !known.contains(token.few) else { continue }
            release(token, at: event.at, owed)
            // A card that turns up when its session is over is not that of its next life.
            if isOver, reacting != nil, token.role == .activityToken { continue }
            known.insert(token.few)
        }
        // With its last event the session is over: what still waited shows nobody anything, unless that event waits too.
        if workload.owing[event.call].endsHeld { held.removeAll { $0.push.channel == .liveactivity } }
        let pushes = workload.owing[event.call].pushes
        for push in pushes {
            if push.isBroadcast { owed(OwedPush(event: event, push: push, deadline: push.deadline)) }
            for phone in phones where !push.isBroadcast { happen(push, event, phone, owed) }
        }
        for token in workload.owing[event.call].unregistered(by: reacting) {
            known.remove(token.few)
            if token.role == .activityToken { started &= ~(1 << token.phone) }
        }
        if workload.owing[event.call].isFinal {
            isOver = true
            started = 0
        } else if pushes.contains(where: { $0.channel == .liveactivity }) {
            isOver = false
        }
    }

    /// A phone did not say what was waited for: what waits for its token is decided by nobody.
    mutating func giveUp(_ phone: Int?, _ owed: (OwedPush) -> Void) {
        func isMeant(_ push: OwedPush) -> Bool { phone == nil || push.push.token.phone == phone }
        for var push in held where isMeant(push) {
            push.waitsInVain = true
            owed(push)
        }
        held.removeAll(where: isMeant)
    }

    private mutating func happen(
        _ push: ExpectedPush, _ event: PlannedEvent, _ phone: Int, _ owed: (OwedPush) -> Void
    ) {
        var caused = OwedPush(event: event, push: push, deadline: push.deadline)
        caused.unless = push.unless.flatMap { token(of: $0, phone) }
        // A card whose token is dead may have been dismissed: no start takes its place (G17).
        if caused.unless != nil, push.event == .start { return }
        if let token = token(of: push.token, phone) {
            caused.push.token = token
            if push.event == .start, push.unless?.role == .activityToken {
                caused.isAgain = started & 1 << phone != 0
                if caused.isAgain { hold(insteadOf: caused, phone) }
                started |= 1 << phone
            }
            owed(caused)
        } else if push.held {
            hold(caused, phone)
        }
    }

    /// The phone's token of that role, where it is registered.
    private func token(of role: SessionVariable, _ phone: Int) -> SessionVariable? {
        role.ofSameRole.first { $0.phone == phone && known.contains($0.few) }
    }

    /// A card that was started, and has no token yet, shows what a further start says once it has one (R0.15).
    private mutating func hold(insteadOf start: OwedPush, _ phone: Int) {
        let states = workload.owing[start.event.call].pushes.filter { $0.channel == .liveactivity && $0.event == .update }
        // What is held anyway needs no stand-in.
        guard !states.contains(where: \.held) else { return }
        var push =
            states.first
            ?? ExpectedPush(channel: .liveactivity, token: .activityToken, event: .update, deadline: start.deadline)
        push.held = true
        var caused = OwedPush(event: start.event, push: push, deadline: push.deadline)
        caused.isInsteadOfStart = true
        hold(caused, phone)
    }

    /// The newest state is owed; those before it need not come.
    private mutating func hold(_ caused: OwedPush, _ phone: Int) {
        var caused = caused
        caused.push.token = caused.push.token.ofSameRole.first { $0.phone == phone } ?? caused.push.token
        caused.wasHeld = true
        for index in held.indices {
            let push = held[index].push
            if push.token == caused.push.token, push.channel == caused.push.channel { held[index].isReplaceable = true }
        }
        held.append(caused)
    }

    private mutating func release(_ token: SessionVariable, at time: Interval, _ owed: (OwedPush) -> Void) {
        guard !held.isEmpty else { return }
        func isMeant(_ push: OwedPush) -> Bool { push.push.token.role == token.role && push.push.token.phone == token.phone }
        for var push in held where isMeant(push) {
            push.push.token = token
            push.deadline += time - push.event.at
            owed(push)
        }
        held.removeAll(where: isMeant)
    }
}

// Which pushes a relay owes for a session's events: the profile's rules played over the tokens the relay knows.

import Basics
import Scenarios

/// A push the relay owes, with the event that caused it.
struct OwedPush {
    var event: PlannedEvent
    var push: ExpectedPush
    /// From the event's planned instant.
    var deadline: Interval
}

/// One session's tokens as the relay should know them. Sessions are judged one by one: what another session of the same
/// user registers does not count here.
struct OwedPushes {
    private let calls: [ProfileCall]
    private var known: Set<SessionVariable> = []
    /// Pushes that wait for their token to be registered, oldest first.
    private var held: [OwedPush] = []

    init(_ workload: Workload) { calls = workload.profile.calls }

    /// Plays the session's next event and reports what becomes owed by it.
    mutating func happen(_ event: PlannedEvent, _ owed: (OwedPush) -> Void) {
        let call = calls[event.call]
        for token in call.registers where known.insert(token).inserted { release(token, at: event.at, owed) }
        for push in call.pushes {
            if let unless = push.unless, known.contains(unless) { continue }
            let caused = OwedPush(event: event, push: push, deadline: push.deadline)
            if known.contains(push.token) {
                owed(caused)
            } else if push.held {
                hold(caused)
            }
        }
        for token in call.unregisters { known.remove(token) }
    }

    /// The newest state is owed; those before it may be superseded by it.
    private mutating func hold(_ caused: OwedPush) {
        for index in held.indices
        where held[index].push.token == caused.push.token && held[index].push.channel == caused.push.channel {
            held[index].push.coalesce = true
        }
        held.append(caused)
    }

    private mutating func release(_ token: SessionVariable, at time: Interval, _ owed: (OwedPush) -> Void) {
        guard !held.isEmpty else { return }
        for var push in held where push.push.token == token {
            push.deadline += time - push.event.at
            owed(push)
        }
        held.removeAll { $0.push.token == token }
    }
}

// Acts of a script that have their turn: on which phone, and of which activity.

import Basics
import Pushes
package import Scenarios

/// For whoever has the phones.
package struct PhoneDeed: Hashable, Sendable {
    package var deed: ScriptedAct.Deed
    package var session: UInt32
    /// The phone's name; of an Android device its registration.
    package var phone: String
    package var isOnAndroid = false
    /// The app's bundle ID.
    package var app: String
    /// Of the event that it follows; nil: of none.
    package var activity: UInt32?

    package init(
        deed: ScriptedAct.Deed, session: UInt32, phone: String, isOnAndroid: Bool = false, app: String, activity: UInt32?
    ) {
        self.deed = deed
        self.session = session
        self.phone = phone
        self.isOnAndroid = isOnAndroid
        self.app = app
        self.activity = activity
    }
}

extension Plan {
    /// Whether any user does something on a phone.
    package var hasActs: Bool { workload.scripts.contains { !$0.acts.isEmpty } }
}

/// An act that is to be done.
package struct PendingAct {
    /// Index into the script's acts.
    package var act: Int
    /// Of the user, from 0.
    package var phone: Int
    package var activity: UInt32?
}

extension LoadMemory {
    /// Those that have their own time, of a session that begins now.
    mutating func addActs(of memory: SessionMemory, at start: Interval) {
        for (number, act) in acts(of: memory).enumerated() {
            guard case .at(let time) = act.time else { continue }
            add(act, number, of: memory, phone: act.phone ?? 0, activity: nil, time, since: start)
        }
    }

    /// Those that follow such an event: each once in a session.
    mutating func addActs(of memory: SessionMemory, after event: PhoneEvent, phone: Int, now: Interval) {
        for (number, act) in acts(of: memory).enumerated() {
            guard case .on(event.kind, let delay) = act.time, act.phone == nil || act.phone == phone,
                memory.decides(onAct: number)
            else { continue }
            add(act, number, of: memory, phone: phone, activity: event.activity, delay, since: now)
        }
    }

    private mutating func add(
        _ act: ScriptedAct, _ number: Int, of memory: SessionMemory, phone: Int, activity: UInt32?, _ delay: Distribution,
        since time: Interval
    ) {
        var generator = actSeed.child(UInt64(memory.session)).child(UInt64(number)).generator()
        if act.probability < 1, generator.unit() >= act.probability { return }
        let pending = PendingAct(act: number, phone: phone, activity: activity)
        add(.act(memory, pending), at: time + paced(delay.sample(&generator)))
    }
}

// What one session remembers beyond its row: values of answers, its phones' tokens, and which reactions are still to come.
// There is one for a session whose script captures or reacts, from its first event to its last; none for any other.

package import Basics
package import Pushes
package import Scenarios

/// A reaction whose event has come.
package struct PendingReaction {
    /// Index into the script's reactions.
    package var reaction: Int
    /// Since the plan's start.
    package var at: Interval
    /// The number of the phone's event.
    package var cause: UInt64
    package var phone: Int
    /// Of the app that was told (`PhoneMailbox.life`).
    package var life: UInt32
    /// The token that the event told of; else the last one known of its activity. Hex digits, maybe none.
    package var token: [UInt8]
}

package final class SessionMemory {
    private struct KnownToken {
        var phone: Int
        var activity: UInt32
        var token: [UInt8]
    }

    package let session: UInt32
    package let script: UInt16
    /// In the session table.
    package var row: UInt32 = 0
    private var captured: [CapturedValue?]
    private var tokens: [KnownToken] = []
    /// By reaction: how often its event has come; and whether it may not come any more.
    private var fired: [UInt8]
    private var isClosed: [Bool]
    /// By act: the first event that it follows has come.
    private var isActDecided: [Bool]
    /// Reactions that had their turn.
    private var made: UInt32 = 0
    /// Reactions and acts that stand in the queue of the loop.
    var scheduled = 0
    /// Reactions whose event has not come and whose time is not over.
    package private(set) var open = 0
    /// So long after its last event that phones are not heeded but for those that are still waited for.
    package var isPlanOver: Bool
    package private(set) var isForgotten = false
    /// Reactions that are due and wait for the answer to an earlier event.
    package var waiting: [PendingReaction] = []

    /// Activities whose token is remembered; beyond it the oldest is forgotten.
    private static let mostTokens = 8
    /// Hex digits of a token, at most: APNs says that tokens are of variable length.
    private static let mostTokenBytes = 512

    package init(session: UInt32, script: UInt16, captures: Int, reactions: [Reaction], acts: Int = 0) {
        self.session = session
        self.script = script
        captured = Array(repeating: nil, count: captures)
        fired = Array(repeating: 0, count: reactions.count)
        isClosed = Array(repeating: false, count: reactions.count)
        open = reactions.count { $0.within != nil }
        isActDecided = Array(repeating: false, count: acts)
        isPlanOver = reactions.isEmpty && acts == 0
    }

    /// Nothing more can come of it, once its plan's events are settled.
    package var isDone: Bool { isPlanOver && open == 0 && scheduled == 0 && waiting.isEmpty }

    package func forget() { isForgotten = true }

    package func keep(_ value: CapturedValue, as name: Int) { captured[name] = value }

    /// The next number of a reaction of which the plan's first `planned` events had their turn before it.
    package func nextStep(after planned: UInt32) -> UInt32 {
        made += 1
        return EventNumber.reaction(made, after: planned)
    }

    /// The token that the event tells of, or the last one that an earlier event of its activity told of.
    package func token(of event: PhoneEvent, phone: Int) -> [UInt8] {
        let known = tokens.firstIndex { $0.phone == phone && $0.activity == event.activity }
        guard let token = event.token, !token.isEmpty, token.utf8.count <= Self.mostTokenBytes else {
            return known.map { tokens[$0].token } ?? []
        }
        if let known { tokens.remove(at: known) }
        if tokens.count == Self.mostTokens { tokens.removeFirst() }
        tokens.append(KnownToken(phone: phone, activity: event.activity, token: Array(token.utf8)))
        return Array(token.utf8)
    }

    /// Whether the reaction takes the event: the nth of its kind, from 1; nil when it does not.
    package func take(_ event: PhoneEvent, phone: Int, _ reaction: Reaction, _ number: Int) -> Int? {
        guard !isClosed[number], reaction.event == event.kind, reaction.phone == nil || reaction.phone == phone,
            Int(fired[number]) < reaction.times
        else { return nil }
        if fired[number] == 0, reaction.within != nil { open -= 1 }
        fired[number] += 1
        return Int(fired[number])
    }

    /// Whether it is the first event that the act follows.
    package func decides(onAct number: Int) -> Bool {
        defer { isActDecided[number] = true }
        return !isActDecided[number]
    }

    /// Its event has come, so that its time limit does not matter any more.
    func hasFired(_ reaction: Int) -> Bool { fired[reaction] > 0 }

    /// The reaction's time is over. True when its event never came.
    package func close(_ reaction: Int) -> Bool {
        guard fired[reaction] == 0, !isClosed[reaction] else { return false }
        isClosed[reaction] = true
        open -= 1
        return true
    }

    /// What a planned event of the session may use, or a reaction.
    package func context(_ pending: PendingReaction? = nil) -> EventContext {
        EventContext(captured: captured, phone: pending?.phone, token: pending?.token ?? [])
    }
}

// Pushes that APNs keeps for a phone that is out of reach: one for each app (apns.md §12).

import APNs
import Basics
import Pushes

extension PhoneShard {
    /// Keeps a push whose outcome was `.stored`, once it has its id in the journal. What that makes of another push
    /// stands in `late`.
    mutating func store(
        _ facts: PushFacts, payload: Span<UInt8>, push: UInt64, now: WallTime, _ decoder: (any PhoneDecoder)?
    ) {
        guard let (app, ref, _) = target(of: facts.tokenHash.low), let ref else {
            return late.append(LateOutcome(push: push, outcome: .notDelivered, reason: .tokenReplaced))
        }
        let phone = tables.apps[app].phone
        let slot = StoredPush.Slot(topic: UInt64(tables.apps[app].bundle), of: facts, push: push, settings)
        let limit = now + settings.storageLimit
        let expiresAt = facts.expiration.map { min(limit, WallTime(seconds: $0)) } ?? limit
        var stored = StoredPush(facts: facts, push: push, slot: slot, expiresAt: expiresAt)
        if settings.lowPriorityBatch > .zero, facts.priority < 10 { stored.dueAt = now.next(settings.lowPriorityBatch) }
        stored.content.payload = payload.withUnsafeBufferPointer { Array($0) }
        stored.content.decoder = decoder
        var device = away[phone] ?? Device()
        if device.connection == .online, stored.dueAt == nil {
            // The phone has come back in between.
            let verdict = land(facts, at: ref, payload, mistake(in: facts, for: app, payload, decoder), now: now)
            return late.append(LateOutcome(push: push, outcome: verdict.outcome, reason: verdict.reason))
        }
        let displaced = device.keep(stored)
        away[phone] = device
        noteDue(stored, on: phone, now: now)
        guard let displaced else { return }
        let isLate = displaced.expiresAt <= now
        late.append(
            LateOutcome(
                push: displaced.push, outcome: isLate ? .expired : .superseded, reason: isLate ? .tooLate : .displaced))
    }

    /// What becomes of a push that leaves its slot.
    mutating func end(_ push: StoredPush, now: WallTime) -> LateOutcome {
        if push.expiresAt <= now { return LateOutcome(push: push.push, outcome: .expired, reason: .tooLate) }
        guard let (app, ref, _) = target(of: push.facts.tokenHash.low) else {
            return LateOutcome(push: push.push, outcome: .notDelivered, reason: .tokenReplaced)
        }
        if tables.apps[app].isGone { return LateOutcome(push: push.push, outcome: .notDelivered, reason: .appGone) }
        guard let ref else { return LateOutcome(push: push.push, outcome: .notDelivered, reason: .tokenReplaced) }
        let payload = push.content.payload.span
        let mistake = mistake(in: push.facts, for: app, payload, push.content.decoder)
        let verdict = land(push.facts, at: ref, payload, mistake, now: now)
        return LateOutcome(push: push.push, outcome: verdict.outcome, reason: verdict.reason)
    }

    /// The phone can be reached otherwise than before.
    mutating func reconnect(_ phone: Int32, now: WallTime) {
        let connection = tables.phones[phone].connection
        guard connection != .online || away[phone] != nil else { return }
        var device = away[phone] ?? Device()
        device.connection = connection
        let released = device.release(now: now, settings)
        away[phone] = device
        forgetIfNear(phone)
        for push in released { late.append(end(push, now: now)) }
    }
}

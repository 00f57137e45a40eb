// Of messages with one collapse key that wait for a device FCM keeps the newest alone, whatever it is about: two activities
// need two keys (docs/fcm.md §6: a key for each activity, or none).

import Basics
import Metrics
import Pushes

enum CollapseKeyRule {
    static let all = [keysApart]

    private struct Slot: Hashable {
        var token: TokenHash
        var key: UInt64
    }

    static let keysApart = Rule(
        "collapse-keys-apart", ["F20", "F21"], .should, on: .fcm,
        requirement: "Live Updates of two activities on one device do not wait under one collapse key.",
        norm: "Google, Non-collapsible and collapsible messages: a newer message takes the place of the one with its key",
        advice: "let collapse_key name the activity, or leave it out"
    ) { joined, _, tally in
        var holders: [TokenHash: Set<UInt32>] = [:]
        var newest: [Slot: SeenPush] = [:]
        var told: Set<Slot> = []
        for push in joined.account.pushes where push.isMarked && push.isAccepted && MessageRules.isLiveUpdate(push) {
            holders[push.token, default: []].insert(push.session)
            if holders[push.token]!.count > 1 { tally.test() }
            guard push.waitsUnder != 0 else { continue }
            let slot = Slot(token: push.token, key: push.waitsUnder)
            let former = newest.updateValue(push, forKey: slot)
            guard let former, former.session != push.session, told.insert(slot).inserted else { continue }
            tally.find(
                "Live Updates of two sessions on one device have one collapse_key",
                expected: "a key for each activity, or none",
                seen: "one for sessions \(former.session) and \(push.session): while the device is away the newer message "
                    + "takes the other's place",
                of: push, former.id, push.id)
        }
    }
}

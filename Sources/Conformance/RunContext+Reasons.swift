// What the providers' answers mean: each reason's row says what it speaks of, and no rule compares its word.

import Basics
package import Metrics
import Pushes

/// A text of a run, as the word of one provider.
struct ReasonKey: Hashable {
    var provider: Provider
    var text: Int32
}

extension RunContext {
    /// What its refusal is about; nil where it was accepted, or had no reason that the provider's list has.
    func subject(of push: SeenPush) -> ReasonRow.Subject? { row(of: push)?.subject }

    /// What a push shows of whether its provider could be reached.
    package func noteAbility(_ push: SeenPush) {
        circumstances.noteStream(push)
        guard push.metFault else {
            if push.status != 0 { circumstances.ability.pass(at: push.provider, push.arrivedAt) }
            return
        }
        if push.status == 0, circumstances.fault(push.faultRule)?.isSilence == true { return }
        // What speaks of the sender concerns all that it sends.
        let isRefused = push.isRefusedForNow && [.provider, .sender].contains(subject(of: push) ?? .provider)
        guard isRefused || push.status == 0 else { return }
        circumstances.meet(push.faultRule, at: [push.provider], from: push.arrivedAt, to: push.answeredAt)
    }

    /// The row of the provider's list that an answer means. APNs says each with one status; FCM's words stand alone. Nil where
    /// it was accepted, or says what no list has.
    private func row(of push: SeenPush) -> ReasonRow? {
        guard push.reason >= 0, push.status >= 400 else { return nil }
        let key = ReasonKey(provider: push.provider, text: push.reason)
        let known = reasons[key]
        let named = known ?? NamedReason(word: word(push), in: push.provider == .apns ? .apns : .fcm)
        if known == nil { reasons[key] = .some(named) }
        guard let row = named?.row, push.provider == .fcm || row.status == push.status else { return nil }
        return row
    }

    /// What an answer says of the token's death; a 410 does, whatever its word.
    func death(in push: SeenPush) -> ReasonRow.Death? {
        row(of: push)?.death ?? (push.provider == .apns && push.status == 410 ? .forGood : nil)
    }

    /// What an answer says of the credential.
    func credential(in push: SeenPush) -> ReasonRow.Credential? { row(of: push)?.credential }

    /// The provider token itself was refused.
    func refusesProviderToken(_ push: SeenPush) -> Bool { [.expired, .token].contains(credential(in: push)) }

    /// What the same request meets again, whenever it comes: not what speaks of the token at this host, of the connection or of
    /// the credential, which have rules of their own.
    func refusesForGood(_ push: SeenPush) -> Bool {
        let row = row(of: push)
        switch push.status {
        case 400, 404, 405, 413: return row?.death != .atThisHost && row?.subject != .connection
        case 403: return row.map { $0.credential == nil } ?? false
        default: return false
        }
    }

    /// The refusal speaks of that header.
    func refusesHeader(_ name: String, _ push: SeenPush) -> Bool { row(of: push)?.header?.description == name }

    /// Whether an answer says that nothing gets through to the token any more.
    package func tellsOfDeath(_ push: SeenPush) -> Bool { death(in: push) != nil }

    /// The same, where the relay must not push to the token again for whatever topic.
    package func tellsOfDeathForGood(_ push: SeenPush) -> Bool {
        death(in: push).map { $0 != .asAddressed } ?? false
    }
}

extension Interval {
    /// Since something else; on a stepped clock what follows at once is some nanoseconds behind it.
    var laterWords: String { nanoseconds < 1_000 ? "right after it" : "\(self) later" }
}

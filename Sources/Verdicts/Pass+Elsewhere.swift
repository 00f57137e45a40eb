// What a relay says elsewhere than to Apple and to its callers, on its way into the accounts.

import Basics
import Conformance
import Journal
import Metrics
import Planning
import Pushes
import Scenarios

extension Pass {
    func hearElsewhere(_ note: NoteEntry, _ plan: Plan) {
        if let heard = note.heard { hear(heard, of: note, plan) }
        if let state = note.state { context.look(state, of: note) }
        if let webhook = note.webhook { take(webhook, of: note, plan) }
    }

    /// It belongs to the user of whose call or token it speaks; of one that speaks of neither, or of somebody of whom nothing
    /// is asked any more, only its signature counts.
    private func take(_ webhook: WebhookNote, of note: NoteEntry, _ plan: Plan) {
        let marker = webhook.marker.flatMap { $0.run == plan.run ? $0 : nil }
        let token = webhook.token.map { TokenHash($0) }
        let number = marker.map { plan.account(ofSession: $0.session) } ?? token.flatMap { owners[$0] }
        let flaw: String? =
            switch webhook.signature {
            case .unasked, .right: nil
            case .wrong: "a signature of something else, or by another key"
            case .missing: "no signature"
            case .old: "a signature of a time that is too far away"
            }
        guard let account = number.flatMap({ open[$0] }) else {
            // Of another run it may be signed by another key.
            if let flaw, webhook.marker == nil || marker != nil { context.learn(unsignedStray: note.id, flaw) }
            return
        }
        guard account.account.hooks.count < Self.mostReactions else { return }
        account.account.hooks.append(
            Hook(
                id: note.id, at: note.at, event: webhook.event, delivery: webhook.id,
                place: marker.map { EventNumber.place(session: $0.session, step: $0.step) }, token: token, flaw: flaw,
                status: webhook.status))
    }

    /// It belongs to the user for whom somebody listens, whatever it speaks of.
    private func hear(_ heard: HeardNote, of note: NoteEntry, _ plan: Plan) {
        guard let number = context.observers.firstIndex(of: heard.observer), let account = open[heard.user] else { return }
        let what: Telling.What? =
            switch heard.what {
            case .opened: .opened
            case .told: .told
            case .closed: .closed
            case .refused: .refused
            case .broken: .broken
            case .unreached: nil
            }
        guard let what, account.account.tellings.count < Self.mostReactions else { return }
        let marker = heard.marker.flatMap { $0.run == plan.run ? $0 : nil }
        account.account.tellings.append(
            Telling(
                id: note.id, at: note.at, what: what, observer: UInt8(clamping: number), listener: heard.listener,
                session: heard.session, place: marker.map { EventNumber.place(session: $0.session, step: $0.step) },
                words: what == .refused || what == .broken ? heard.text : nil))
    }
}

extension RunContext {
    func look(_ state: StateNote, of note: NoteEntry) {
        let roles: [String: Lane.Role] = [
            "activity": .activity, "device": .device, "start": .start, "registration": .registration,
            "widget": .widget, "control": .control,
        ]
        func rows(_ lists: [String: [String]]) -> [(Lane.Role, TokenHash)] {
            lists.flatMap { table, tokens in roles[table].map { role in tokens.map { (role, TokenHash($0)) } } ?? [] }
        }
        var held = held ?? HeldTokens()
        held.look(
            began: state.began, ended: note.at, id: note.id, roles: state.tables.compactMap { roles[$0] },
            added: rows(state.added),
            removed: rows(state.removed))
        self.held = held
    }

    /// What the profile says that the relay calls back.
    func expect(_ webhooks: WebhookSpec) {
        hookRetries = webhooks.retries
        hooksBearIDs = webhooks.id != nil
        for owed in webhooks.owes {
            let hook = OwedHook(
                event: owed.event, within: owed.within, isOnce: owed.isOnce, endsActivity: owed.endsActivity)
            switch owed.cause {
            case .call(let call): callHooks[UInt16(clamping: call), default: []].append(hook)
            case .refusal(let reasons): for reason in reasons { refusalHooks[reason, default: []].append(hook) }
            }
        }
    }
}

extension NoteEntry {
    var tokenAct: TokenAct? {
        guard let value = json(of: .admin), let act = value["act"]?.string else { return nil }
        switch act {
        case "reset": return .reset
        case "set token", "remove token", "set registration", "remove registration":
            return value["token"]?.string.map { .token(TokenHash($0)) }
        default: return nil
        }
    }
}

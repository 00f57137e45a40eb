// What happened around a finding, in order of time: the calls of its session with the tokens that they named, the pushes with
// their answers, and what PushRig did to the relay and to its connections.

import Basics
import Conformance
import Journal
import Planning
import Pushes
import Scenarios

/// The courses of some sessions, as the journal has them. Confined to one thread.
struct FindingHistory {
    struct Item {
        var at: Instant
        var words: String
        /// The number of its call, or the push's entry.
        var place: UInt64?
        var entry: UInt64 = 0
        /// Of a push, or those that a call names.
        var tokens: Set<TokenHash> = []
        /// What a phone has for the token of that kind from there on.
        var brought: [Slot: TokenHash] = [:]
        var weight = Weight.other
    }

    struct Slot: Hashable {
        var role: SessionVariable
        var phone: Int
    }

    /// How much a line tells whoever wants to understand a finding.
    enum Weight: Int { case other, fault, push, circumstance, token, meant }

    /// Lines remembered of a session at a time, and faults that met connections.
    private static let mostItems = 2_000
    static let end = "the run ends"

    private let plan: Plan
    let origin: Instant
    private let wanted: Set<UInt64>
    private let places: Set<UInt64>
    private(set) var sessions: [UInt32: [Item]]
    /// The sessions that a token is of: their calls named it, or their pushes went to it.
    private var holders: [TokenHash: Set<UInt32>] = [:]
    /// The tokens that a session's phones have by now.
    private var known: [UInt32: [Slot: String]] = [:]
    /// What calls to come took from a phone, by the call's place.
    private var told: [UInt64: (phone: Int, token: String)] = [:]
    /// The last registration of each, as it is told in another session's history.
    private(set) var owners: [TokenHash: Item] = [:]
    private static let mostOwners = 100_000
    private(set) var ofAll: [Item] = []
    private var isOver = false

    /// `wanted` and `places`: the pushes and calls that will be asked for.
    init(_ plan: Plan, origin: Instant, sessions: Set<UInt32>, wanted: Set<UInt64>, places: Set<UInt64>) {
        (self.plan, self.origin, self.wanted, self.places) = (plan, origin, wanted, places)
        self.sessions = Dictionary(uniqueKeysWithValues: sessions.map { ($0, []) })
    }

    // MARK: Entries

    mutating func see(_ event: EventEntry) {
        let number = Int(event.kind)
        let calls = plan.scenario.relay.profile.calls
        guard calls.indices.contains(number) else { return }
        let call = calls[number]
        let place = EventNumber.place(session: event.session, step: event.step)
        let cause = told.removeValue(forKey: place)
        let isOwn = sessions[event.session] != nil
        guard isOwn || !call.registers.isEmpty && owners.count < Self.mostOwners else { return }
        let brought = (call.malformed == nil ? call.registers : []).compactMap { variable -> (Slot, String)? in
            guard variable.tokenWords != nil else { return nil }
            let isOfCard = variable.role == .activityToken
            let slot = Slot(role: variable.role, phone: isOfCard ? cause?.phone ?? variable.phone : variable.phone)
            return (slot, (isOfCard ? cause?.token : nil) ?? plan.token(variable, session: event.session))
        }
        var ended: [(Slot, String)] = []
        if isOwn {
            // What a call takes back is whatever the phone has by then, or all phones have where it names none.
            let roles = Set(call.unregisters.map(\.role))
            let phone = cause?.phone ?? call.phone
            ended = known[event.session, default: [:]].filter { slot, _ in
                roles.contains(slot.role) && phone.map { $0 == slot.phone } ?? true
            }.map { ($0.key, $0.value) }.sorted { $0.1 < $1.1 }
            for (slot, _) in ended { known[event.session]?[slot] = nil }
            for (slot, token) in brought { known[event.session, default: [:]][slot] = token }
        }
        let named = Set((brought + ended).lazy.map { TokenHash($0.1) })
        for token in named where isOwn { holders[token, default: []].insert(event.session) }
        let wasSent = event.sentAt.nanoseconds != 0
        func words(_ whose: String) -> String {
            "`\(call.name)` (\(whose)\(Self.step(event.step)))" + Self.words("registers", brought)
                + Self.words("ends the use of", ended) + " → \(wasSent ? event.answerText : "never sent")"
        }
        var item = Item(
            at: wasSent ? event.sentAt : event.plannedAt, words: words(""), place: isOwn ? place : nil, tokens: named,
            brought: Dictionary(brought.map { ($0.0, TokenHash($0.1)) }) { $1 }, weight: named.isEmpty ? .other : .token)
        if isOwn { add(item, to: event.session) }
        guard owners.count < Self.mostOwners else { return }
        (item.words, item.place) = (words("session \(event.session), "), nil)
        for (_, token) in brought { owners[TokenHash(token)] = item }
    }

    private static func words(_ verb: String, _ tokens: [(Slot, String)]) -> String {
        guard !tokens.isEmpty else { return "" }
        let words = tokens.map { "\($0.0.role.tokenWords ?? "") \(ShortTokens.cutToken($0.1))" }
        return " \(verb) \(words.joined(separator: " and "))"
    }

    /// `answer`: in words.
    mutating func see(_ push: PushEntry, answer: () -> String) {
        let token = TokenHash(push.token)
        let own = own(push.marker)
        let theirs = sessions(of: own, token)
        guard !theirs.isEmpty else { return }
        let what = (push.pushType ?? "message") + (push.event.map { " \($0.word)" } ?? "")
        let words = "push \(what)\(Self.step(own)) to \(ShortTokens.cutToken(push.token)) → \(answer())"
        for session in theirs {
            holders[token, default: []].insert(session)
            add(Item(at: push.arrivedAt, words: words, entry: push.id, tokens: [token], weight: .push), to: session)
        }
    }

    /// The session that a marker speaks of, or where there is none, those that have the token.
    private func sessions(of marker: Marker?, _ token: TokenHash?) -> Set<UInt32> {
        if let marker { return sessions[marker.session] == nil ? [] : [marker.session] }
        return token.flatMap { holders[$0] } ?? []
    }

    private static func step(_ marker: Marker?) -> String { marker.map { " (\(step($0.step)))" } ?? "" }

    /// What a phone's event made a session do has no number that tells anything.
    private static func step(_ step: UInt32) -> String { EventNumber.isReaction(step) ? "a reaction" : "step \(step)" }

    /// `fault`: the name of the one that met a connection.
    mutating func see(_ note: NoteEntry, fault: String?) {
        if let reaction = note.reaction, !reaction.token.isEmpty {
            let place = EventNumber.place(session: reaction.session, step: reaction.step)
            told[place] = (Int(reaction.phone), reaction.token)
        }
        if let hook = note.webhook {
            let answer = hook.status == 0 ? "no answer" : "\(hook.status)"
            let words = "webhook `\(hook.event)`\(hook.id.map { ", id \($0)" } ?? "")\(Self.step(own(hook.marker))) → \(answer)"
            for session in sessions(of: own(hook.marker), hook.token.map { TokenHash($0) }) {
                add(Item(at: note.at, words: words, entry: note.id, weight: .circumstance), to: session)
            }
        }
        if let heard = note.heard {
            let what = heard.what == .told ? "hears" : heard.what.rawValue
            let words = "listener \(heard.listener): \(what) \(heard.name)\(Self.step(own(heard.marker)))"
            for session in own(heard.marker).map({ [$0.session] }) ?? heard.session.map({ [$0] }) ?? [] {
                add(Item(at: note.at, words: words, entry: note.id), to: session)
            }
        }
        if let fault, ofAll.count < Self.mostItems {
            ofAll.append(Item(at: note.at, words: "PushRig plays fault `\(fault)` on a connection", weight: .fault))
        }
        var words: String?
        switch note.run {
        case .phase(Story.endPhase):
            isOver = true
            words = Self.end
        case .relayStopping where !isOver: words = "PushRig ends the relay"
        case .relayReady: words = "the relay is ready"
        case .relayExited(let exit) where !exit.wasAsked: words = "the relay \(exit.how)"
        default: break
        }
        // Few in any run.
        guard let words else { return }
        ofAll.append(Item(at: note.at, words: words, weight: .circumstance))
    }

    private func own(_ marker: Marker?) -> Marker? { marker.flatMap { $0.run == plan.run ? $0 : nil } }

    /// Of a long session the oldest lines go in one piece; where tokens come from stays.
    private mutating func add(_ item: Item, to session: UInt32) {
        guard let items = sessions[session] else { return }
        if items.count >= Self.mostItems {
            let old = items.prefix(Self.mostItems / 2)
            sessions[session] = old.filter { $0.weight == .token || isMeant($0, session) }.suffix(Self.mostItems / 4)
                + items.dropFirst(Self.mostItems / 2)
        }
        sessions[session]?.append(item)
    }

    private func isMeant(_ item: Item, _ session: UInt32) -> Bool {
        wanted.contains(item.entry) || item.place.map(places.contains) ?? false
    }
}

extension SessionVariable {
    /// What it is as a token; nil: it is none.
    fileprivate var tokenWords: String? {
        switch role {
        case .deviceToken: "device token"
        case .startToken: "push-to-start token"
        case .activityToken: "activity token"
        case .registrationToken: "registration token"
        case .widgetToken: "widgets' token"
        case .controlToken: "control's token"
        case .otherControlToken: "other control's token"
        default: nil
        }
    }
}

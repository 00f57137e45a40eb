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
    private struct Item {
        var at: Instant
        var words: String
        /// The number of its call, or the push's entry.
        var place: UInt64?
        var entry: UInt64 = 0
        /// Of a push, or those that a call names.
        var tokens: Set<TokenHash> = []
        var weight = Weight.other
    }

    /// How much a line tells whoever wants to understand a finding.
    private enum Weight: Int { case other, push, circumstance, token, meant }

    /// Beyond these nothing more is remembered of a session, and of what happened to all.
    private static let mostItems = 2_000
    /// Lines of one finding, and those of them behind the last that it speaks of.
    private static let mostLines = 10
    private static let linesBehind = 2
    private static let end = "the run ends"

    private let plan: Plan
    private let origin: Instant
    private var sessions: [UInt32: [Item]]
    /// Those that pushes of a session went to, and that its calls named.
    private var tokens: [UInt32: Set<TokenHash>] = [:]
    /// Tokens that calls took from a phone, by the call's place.
    private var told: [UInt64: String] = [:]
    /// The last registration of each, of other sessions.
    private var owners: [TokenHash: Item] = [:]
    private static let mostOwners = 100_000
    private var ofAll: [Item] = []
    private var isOver = false

    init(_ plan: Plan, origin: Instant, sessions: Set<UInt32>) {
        (self.plan, self.origin) = (plan, origin)
        self.sessions = Dictionary(uniqueKeysWithValues: sessions.map { ($0, []) })
    }

    // MARK: Entries

    mutating func see(_ event: EventEntry) {
        let number = Int(event.kind)
        let calls = plan.scenario.relay.profile.calls
        let call = calls.indices.contains(number) ? calls[number] : nil
        let isOwn = sessions[event.session] != nil
        guard isOwn || call?.registers.isEmpty == false && owners.count < Self.mostOwners else { return }
        let place = EventNumber.place(session: event.session, step: event.step)
        var named: Set<TokenHash> = []
        var about = ""
        for (verb, variables) in [("registers", call?.registers ?? []), ("ends the use of", call?.unregisters ?? [])] {
            let words = variables.compactMap { variable -> String? in
                guard let role = variable.tokenWords else { return nil }
                let token = told[place] ?? plan.token(variable, session: event.session)
                if !token.isEmpty { named.insert(TokenHash(token)) }
                return "\(role) \(ShortTokens.cutToken(token))"
            }
            if !words.isEmpty { about += " \(verb) " + words.joined(separator: " and ") }
        }
        if isOwn { tokens[event.session, default: []].formUnion(named) }
        let wasSent = event.sentAt.nanoseconds != 0
        let answer = wasSent ? event.answerText : "never sent"
        let name = call.map { "`\($0.name)`" } ?? "call \(number)"
        let whose = isOwn ? "" : "session \(event.session), "
        let item = Item(
            at: wasSent ? event.sentAt : event.plannedAt,
            words: "\(name) (\(whose)\(Self.step(event.step)))\(about) → \(answer)", place: isOwn ? place : nil,
            tokens: named, weight: named.isEmpty ? .other : .token)
        if isOwn { return add(item, to: event.session) }
        for token in named { owners[token] = item }
    }

    /// `answer`: in words.
    mutating func see(_ push: PushEntry, answer: String) {
        let token = TokenHash(push.token)
        let own = own(push.marker)
        let what = (push.pushType ?? "message") + (push.event.map { " \($0.word)" } ?? "")
        let words = "push \(what)\(Self.step(own)) to \(ShortTokens.cutToken(push.token)) → \(answer)"
        for session in holders(own, token) {
            tokens[session, default: []].insert(token)
            add(Item(at: push.arrivedAt, words: words, entry: push.id, tokens: [token], weight: .push), to: session)
        }
    }

    /// The session that a marker speaks of, or where there is none, those that have the token.
    private func holders(_ marker: Marker?, _ token: TokenHash?) -> [UInt32] {
        if let marker { return sessions[marker.session] == nil ? [] : [marker.session] }
        return sessions.keys.filter { session in token.map { tokens[session]?.contains($0) == true } ?? false }
    }

    private static func step(_ marker: Marker?) -> String { marker.map { " (\(step($0.step)))" } ?? "" }

    /// What a phone's event made a session do has no number that tells anything.
    private static func step(_ step: UInt32) -> String { EventNumber.isReaction(step) ? "a reaction" : "step \(step)" }

    /// `fault`: the name of the one that met a connection.
    mutating func see(_ note: NoteEntry, fault: String?) {
        if let reaction = note.reaction, !reaction.token.isEmpty {
            told[EventNumber.place(session: reaction.session, step: reaction.step)] = reaction.token
        }
        if let hook = note.webhook {
            let answer = hook.status == 0 ? "no answer" : "\(hook.status)"
            let words = "webhook `\(hook.event)`\(hook.id.map { ", id \($0)" } ?? "")\(Self.step(own(hook.marker))) → \(answer)"
            for session in holders(own(hook.marker), hook.token.map { TokenHash($0) }) {
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
        var words = fault.map { "PushRig plays fault `\($0)` on a connection" }
        switch note.run {
        case .phase(Story.endPhase):
            isOver = true
            words = Self.end
        case .relayStopping where !isOver: words = "PushRig ends the relay"
        case .relayReady: words = "the relay is ready"
        case .relayExited(let exit) where !exit.wasAsked: words = "the relay \(exit.how)"
        default: break
        }
        guard let words, ofAll.count < Self.mostItems else { return }
        ofAll.append(Item(at: note.at, words: words, weight: .circumstance))
    }

    private func own(_ marker: Marker?) -> Marker? { marker.flatMap { $0.run == plan.run ? $0 : nil } }

    private mutating func add(_ item: Item, to session: UInt32) {
        guard let count = sessions[session]?.count, count < Self.mostItems else { return }
        sessions[session]?.append(item)
    }

    // MARK: Lines

    /// Around what the finding speaks of; empty where it speaks of no session, or nothing of it is known.
    func lines(of finding: Finding) -> [HistoryLine] {
        guard let session = finding.session, let own = sessions[session] else { return [] }
        let place = finding.step.map { EventNumber.place(session: session, step: $0) }
        // A token that no call of its own has named is somebody else's.
        let strange = Set(own.lazy.filter { finding.entries.contains($0.entry) }.flatMap(\.tokens))
            .subtracting(own.lazy.filter { $0.weight == .token }.flatMap(\.tokens))
        var items = (own + ofAll + strange.compactMap { owners[$0] }).enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        for index in items.indices {
            let item = items[index]
            if finding.entries.contains(item.entry) || (item.place != nil && item.place == place) {
                items[index].weight = .meant
            }
        }
        guard let first = items.firstIndex(where: { $0.weight == .meant }),
            let last = items.lastIndex(where: { $0.weight == .meant })
        else { return [] }
        // Where the finding names pushes, those to other tokens tell nothing of it.
        let meant = items.reduce(into: Set<TokenHash>()) { if finding.entries.contains($1.entry) { $0.formUnion($1.tokens) } }
        func tells(_ index: Int) -> Bool {
            let tokens = items[index].tokens
            return meant.isEmpty || tokens.isEmpty || !tokens.isDisjoint(with: meant)
        }
        let (before, behind) = (items.indices[..<first].filter(tells), items.indices[(last + 1)...].filter(tells))
        let named = items.indices[..<first].filter { items[$0].weight == .token }
        var chosen = (first...last).filter { tells($0) || items[$0].weight == .token }
        // Where its tokens come from, and what was said last of any.
        chosen += Set(before.filter { items[$0].weight == .token }.suffix(2)).union(named.suffix(1))
        chosen += before.filter { items[$0].weight == .push }.suffix(1)
        chosen += behind.prefix(Self.linesBehind)
        if let end = behind.dropFirst(Self.linesBehind).last(where: { items[$0].words == Self.end }) { chosen.append(end) }
        let kept = chosen.sorted { (items[$1].weight.rawValue, $0) < (items[$0].weight.rawValue, $1) }
            .prefix(Self.mostLines).sorted()
        var shown: Int?
        return kept.map { index in
            defer { shown = index }
            let skipped = shown.map { index - $0 - 1 } ?? 0
            return HistoryLine(
                at: items[index].at - origin, words: items[index].words, isMeant: items[index].weight == .meant,
                skipped: skipped)
        }
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
        default: nil
        }
    }
}

// Goes through a journal once and says how old cards were: all of them over time, and the worst sessions. Memory goes with
// the sessions that are open at once, some 0.5 KB each, not with how much happened.

import Basics
import Journal
import LoadGenerator
import Pushes
import Scenarios

struct StalenessPass {
    /// A session that was behind, and its worst card.
    struct Ranked {
        var card: CardWatch
        var worst: WorstMoment
    }

    private let plan: Plan
    private let origin: Instant
    private let end: Instant
    private let outages: [Range<Instant>]
    /// A call is told of when its answer is there, or is no longer waited for.
    private let patience: Interval
    private let most: Int
    private(set) var series: StalenessSeries
    private var open: [UInt32: WatchedUser] = [:]
    /// Users that are over, or that the plan owes no card.
    private var closed: Set<UInt32> = []
    /// Users by the second in which they are over.
    private var closing: [Int64: [UInt32]] = [:]
    private var second: Int64
    /// The worst first.
    private(set) var ranking: [Ranked] = []
    /// Sessions that a phone showed a card of, and those whose card was ever behind.
    private(set) var shown = 0
    private(set) var behind = 0

    /// `end`: when the run stopped listening; `outages`: in which we held the relay down.
    init(plan: Plan, origin: Instant, end: Instant, outages: [Range<Instant>], most: Int) {
        self.plan = plan
        self.origin = origin
        self.end = end
        self.outages = outages
        self.most = most
        patience = plan.scenario.workload.requestTimeout * plan.scenario.pace + .seconds(1)
        series = StalenessSeries(origin: origin, end: end)
        second = Self.second(of: origin)
    }

    mutating func visit(_ entry: JournalEntry) {
        switch entry {
        case .event(let event):
            let now = max(event.plannedAt, event.sentAt, event.answeredAt)
            advance(to: now)
            with(event.session, now) { user, outages in user.see(event, outages) }
        case .push(let push):
            advance(to: push.arrivedAt)
            guard let marker = push.marker, marker.run == plan.run else { return }
            with(marker.session, push.arrivedAt) { user, _ in user.see(push, marker) }
        case .note(let note):
            advance(to: note.at)
            if note.kind == .phone {
                guard let event = note.phoneEvent, let marker = event.marker, marker.run == plan.run else { return }
                return with(marker.session, note.at) { user, _ in user.see(event, at: note.at) }
            }
            guard let reaction = note.reaction else { return }
            let number = plan.account(ofSession: reaction.session)
            let (plan, origin) = (plan, origin)
            with(reaction.session, note.at) { user, _ in
                user.react(MadeReaction(reaction), number, plan, origin: origin)
            }
        case .broadcast: break
        }
    }

    /// Closes all that is open.
    mutating func finish() {
        for number in open.keys.sorted() { close(number) }
    }

    // MARK: Users

    private mutating func with(
        _ session: UInt32, _ now: Instant, _ act: (inout WatchedUser, [Range<Instant>]) -> Void
    ) {
        let number = plan.account(ofSession: session)
        if open[number] == nil {
            guard !closed.contains(number) else { return }
            guard let user = WatchedUser(number, plan, origin: origin) else {
                closed.insert(number)
                return
            }
            open[number] = user
            closing[Self.second(of: user.endsAt + patience), default: []].append(number)
        }
        act(&open[number]!, outages)
        open[number]!.settle(before: now - patience, outages: outages) { _, stretch in series.add(stretch) }
    }

    private mutating func advance(to instant: Instant) {
        let now = Self.second(of: instant)
        while second < now {
            for number in closing.removeValue(forKey: second) ?? [] {
                guard let user = open[number] else { continue }
                let end = Self.second(of: user.endsAt + patience)
                // It did more than its plan says.
                if end > second { closing[end, default: []].append(number) } else { close(number) }
            }
            second += 1
            if closing.isEmpty { second = now }
        }
    }

    private static func second(of instant: Instant) -> Int64 { instant.nanoseconds / 1_000_000_000 }

    private mutating func close(_ number: UInt32) {
        guard var user = open.removeValue(forKey: number) else { return }
        closed.insert(number)
        user.close(at: end, outages: outages) { _, stretch in series.add(stretch) }
        var worst: [UInt32: Ranked] = [:]
        for card in user.cards where card.wasShown && !card.isUnknownToRelay {
            guard let moment = card.worst else { continue }
            if moment.age > worst[card.session]?.worst.age ?? .zero {
                worst[card.session] = Ranked(card: card, worst: moment)
            }
        }
        shown += Set(user.cards.filter { $0.wasShown && !$0.isUnknownToRelay }.map(\.session)).count
        behind += worst.count
        for session in worst.keys.sorted() { rank(worst[session]!) }
    }

    /// By the greatest age; of equal ones the session of the lower number.
    private mutating func rank(_ ranked: Ranked) {
        func isWorse(_ a: Ranked, than b: Ranked) -> Bool {
            (b.worst.age, a.card.session) < (a.worst.age, b.card.session)
        }
        let place = ranking.firstIndex { isWorse(ranked, than: $0) } ?? ranking.count
        guard place < most else { return }
        ranking.insert(ranked, at: place)
        if ranking.count > most { ranking.removeLast() }
    }
}

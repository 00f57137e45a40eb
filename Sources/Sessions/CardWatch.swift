// One card and how long it was behind. Offers and showings come as they stand in the journal, where a call is told of when
// its answer is there, mostly after the push that it caused; so they wait until nothing earlier can come any more.
//
//     offer, showing ──▶ items ── settle(before:) ──▶ shown, pending ──▶ stretches ──▶ ages, worst

package import Basics
import Pushes

/// A stretch of a card's life in which it is current, or its age grows with the clock.
package struct CardStretch: Hashable, Sendable {
    package var start: Instant
    package var end: Instant
    /// When the first state newer than the shown one was offered; nil: what is shown is the newest.
    package var offeredAt: Instant?

    package init(start: Instant, end: Instant, offeredAt: Instant? = nil) {
        self.start = start
        self.end = end
        self.offeredAt = offeredAt
    }

    /// How old what is shown is at the stretch's end.
    var age: Interval { offeredAt.map { end - $0 } ?? .zero }

    /// What of it lies outside of some other stretch of time.
    func without(_ outage: Range<Instant>) -> [CardStretch] {
        guard outage.lowerBound < end, start < outage.upperBound else { return [self] }
        return [(start, min(end, outage.lowerBound)), (max(start, outage.upperBound), end)].filter { $0.0 < $0.1 }
            .map { CardStretch(start: $0.0, end: $0.1, offeredAt: offeredAt) }
    }
}

/// The instant at which a card was oldest.
package struct WorstMoment: Hashable, Sendable {
    package var age: Interval
    package var at: Instant
    package var offeredAt: Instant
    /// Steps of the session: the state that was shown, and the first newer one that was not.
    package var shown: UInt32
    package var newer: UInt32
}

struct CardWatch {
    /// A live activity push that the plan calls for.
    struct Owed {
        var step: UInt32
        var event: ActivityEvent?
    }

    private enum Kind: UInt8 { case offered, shown, ended, dismissed, handedOver }

    private struct Item {
        var at: Instant
        var step: UInt32
        var kind: Kind
    }

    /// So many wait before it is looked whether they may be settled.
    private static let fewItems = 24
    /// Offers newer than the shown state. Beyond these the last one stands for all that follow.
    private static let mostPending = 64

    let session: UInt32
    /// Of its user, from 0.
    let phone: UInt8
    /// In order of their turn.
    private(set) var owed: [Owed] = []
    /// Steps that register the card's token.
    private(set) var registrations: [UInt32] = []
    /// A registration never reached the relay, so the relay can do nothing for this card.
    var isUnknownToRelay = false
    /// The newest that a virtual phone told of; 0: none did.
    var activity: UInt32 = 0
    /// Where activities take each other's place.
    var succession = Succession()

    private var items: [Item] = []
    private var settleAt = fewItems
    private var pending: [(step: UInt32, at: Instant)] = []
    private var shown: UInt32?
    private var time = Instant(nanoseconds: 0)
    private var isOver = false
    /// Dismissed: nothing is shown, and nothing ages, until another activity of the session takes the card's place.
    private var isGone = false
    private(set) var worst: WorstMoment?
    /// For how long it was behind, all together.
    private(set) var behind = Interval.zero

    init(session: UInt32, phone: UInt8) {
        self.session = session
        self.phone = phone
    }

    var wasShown: Bool { shown != nil }

    mutating func plan(_ owed: [Owed], registrations: [UInt32]) {
        self.owed = owed.sorted { EventNumber.order($0.step) < EventNumber.order($1.step) }
        self.registrations = registrations
    }

    func owed(at step: UInt32) -> Owed? {
        let place = EventNumber.order(step)
        var (low, high) = (0, owed.count)
        while low < high {
            let middle = (low + high) / 2
            if EventNumber.order(owed[middle].step) < place { low = middle + 1 } else { high = middle }
        }
        return low < owed.count && owed[low].step == step ? owed[low] : nil
    }

    mutating func offer(_ step: UInt32, at instant: Instant) {
        guard !isOver else { return }
        items.append(Item(at: instant, step: step, kind: .offered))
    }

    mutating func show(_ step: UInt32, at instant: Instant, isEnd: Bool) {
        guard !isOver else { return }
        items.append(Item(at: instant, step: step, kind: isEnd ? .ended : .shown))
    }

    /// Its user, or the system, has removed it.
    mutating func dismiss(at instant: Instant) {
        guard !isOver else { return }
        items.append(Item(at: instant, step: 0, kind: .dismissed))
    }

    /// Another activity takes the card's place, whose start showed that state: what the old card showed beyond it can be told
    /// to the new one from here on.
    mutating func handOver(to step: UInt32, at instant: Instant) {
        guard !isOver else { return }
        items.append(Item(at: instant, step: step, kind: .handedOver))
    }

    // MARK: Settling

    /// Whether so much waits that it should be settled as far as it can be.
    var isFull: Bool { items.count >= settleAt }

    /// Settles what happened before `limit`; nothing earlier than that may come later. What lies in an outage of ours is
    /// left out.
    mutating func settle(before limit: Instant, outages: [Range<Instant>], _ visit: (CardStretch) -> Void) {
        // The order in which they came decides where instants are the same.
        let sorted = items.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        let due = sorted.prefix { $0.at < limit }
        for item in due where !isOver { pass(item, outages, visit) }
        items = isOver ? [] : Array(sorted[due.count...])
        settleAt = max(Self.fewItems, 2 * items.count)
    }

    /// Nothing comes any more. What waits for nothing newer is not looked at further: it is the card's last state.
    mutating func close(at end: Instant, outages: [Range<Instant>], _ visit: (CardStretch) -> Void) {
        settle(before: .distantFuture, outages: outages, visit)
        if !isOver, !pending.isEmpty { pass(to: end, outages, visit) }
        isOver = true
    }

    private mutating func pass(_ item: Item, _ outages: [Range<Instant>], _ visit: (CardStretch) -> Void) {
        if item.kind == .offered { return offer(item) }
        if item.kind == .dismissed {
            pass(to: item.at, outages, visit)
            isGone = shown != nil
            return
        }
        if isGone { (isGone, time) = (false, max(time, item.at)) }
        guard let shown else {
            if item.kind == .handedOver { return }
            (shown, time) = (item.step, item.at)
            isOver = item.kind == .ended
            forgetShown()
            return
        }
        pass(to: item.at, outages, visit)
        if item.kind == .handedOver {
            guard EventNumber.order(item.step) < EventNumber.order(shown) else { return }
            pending.insert((shown, item.at), at: 0)
            self.shown = item.step
            return
        }
        if EventNumber.order(item.step) > EventNumber.order(shown) { self.shown = item.step }
        forgetShown()
        isOver = item.kind == .ended
    }

    private mutating func offer(_ item: Item) {
        let order = EventNumber.order(item.step)
        if let shown, order <= EventNumber.order(shown) { return }
        let place = pending.firstIndex { EventNumber.order($0.step) >= order } ?? pending.count
        if place < pending.count, pending[place].step == item.step { return }
        if pending.count == Self.mostPending { pending.removeLast() }
        pending.insert((item.step, item.at), at: min(place, pending.count))
    }

    private mutating func forgetShown() {
        guard let shown else { return }
        pending.removeAll { EventNumber.order($0.step) <= EventNumber.order(shown) }
    }

    private mutating func pass(to next: Instant, _ outages: [Range<Instant>], _ visit: (CardStretch) -> Void) {
        guard next > time, !isGone, let shown else { return }
        var stretches = [CardStretch(start: time, end: next)]
        let newer = pending.first
        if let newer, newer.at < next {
            let begin = max(time, newer.at)
            stretches = begin > time ? [CardStretch(start: time, end: begin)] : []
            stretches.append(CardStretch(start: begin, end: next, offeredAt: newer.at))
        }
        for outage in outages { stretches = stretches.flatMap { $0.without(outage) } }
        for stretch in stretches {
            visit(stretch)
            guard let newer, let offeredAt = stretch.offeredAt else { continue }
            behind += stretch.end - stretch.start
            if stretch.age > worst?.age ?? .zero {
                worst = WorstMoment(
                    age: stretch.age, at: stretch.end, offeredAt: offeredAt, shown: shown, newer: newer.step)
            }
        }
        time = next
    }
}

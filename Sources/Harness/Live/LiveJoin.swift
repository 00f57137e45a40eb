// Calls and pushes of a run that goes on, joined by their markers as far as they stand in the journal. The judge knows more:
// whose token it was, what it said, what excuses it. What is told here is told as what it is, the first accepted arrival of a
// push that bears the marker of a call.

import Basics
import Journal
import Metrics
import Pushes

/// What is known of a run that goes on, from its journal alone. Histograms hold nanoseconds.
struct LiveFigures: Sendable {
    /// From the planned instant of a call to the first accepted arrival of each push that bears its marker, of the whole run.
    var delivery = Histogram()
    /// The same without the warm-up, which gates leave out; by the number of the call.
    var measuredDelivery: [UInt16: Histogram] = [:]
    /// From the planned instant to the answer, without the warm-up.
    var answer = Histogram()
    /// Ours alone, without the warm-up.
    var lateness = Histogram()
    /// Calls that are over, of the whole run; and of them those without a usable answer, and those never sent by us.
    var events = 0
    var failed = 0
    var dropped = 0
    /// Calls that the relay took, that owe a push with their marker, and of which none has come, nor one of a later call of
    /// their session.
    var awaited = 0
    /// When the first of them was planned.
    var oldestAwaited: Instant?
    /// Calls and pushes that were let go of before they were joined, because there were too many at once.
    var forgotten = 0
    /// What had happened up to here has been read; nil: nothing yet.
    var readTo: Instant?
}

/// Joins what a journal tells, in whatever order. Memory: at most `most` calls and pushes that are looked at, the oldest of
/// which make room, some 100 bytes each.
struct LiveJoin {
    /// What it needs to know of a plan.
    struct Terms: Sendable {
        /// Of the run's markers.
        var run: UInt32
        /// By the number of the call: a push of it bears the call's marker, and what answers it expects.
        var owesMarked: [Bool] = []
        var expectedStatuses: [Set<Int>] = []
        /// An answer that a token is dead is none that failed.
        var callersKeepTokens = false
        /// What was planned before it is warm-up.
        var measuredFrom = Instant(nanoseconds: .min)
        /// Our lateness is told in the host's time: the run's clock goes so many times as fast.
        var pace = 1.0
    }

    static let usualMost = 1 << 17
    /// Pushes of one call that are told apart.
    private static let mostLanes = 8

    private struct Arrival {
        /// Which token, and which type of push.
        var lane: Int
        var at: Instant
    }

    private struct Entry {
        var plannedAt: Instant?
        var kind: UInt16 = 0
        var isAwaited = false
        /// Nearly all calls have one push or two.
        var first: Arrival?
        var more: [Arrival] = []
    }

    private var terms: Terms
    private let most: Int
    private var entries: [UInt64: Entry] = [:]
    /// By session: the latest place of which a push has come, and the places that await theirs.
    private var reached: [UInt32: UInt64] = [:]
    private var waiting: [UInt32: [UInt64]] = [:]
    /// Places of the entries in the order in which they came; those before `oldest` are gone.
    private var order: [UInt64] = []
    private var oldest = 0
    /// Entries before it are awaited no more.
    private var firstAwaited = 0
    private(set) var figures = LiveFigures()

    init(_ terms: Terms, most: Int = usualMost) {
        precondition(most > 0, "a join has room")
        self.terms = terms
        self.most = most
    }

    /// What was planned before is warm-up, and what was told of it as measured is forgotten.
    mutating func measure(from instant: Instant) {
        guard instant != terms.measuredFrom else { return }
        terms.measuredFrom = instant
        (figures.measuredDelivery, figures.answer, figures.lateness) = ([:], Histogram(), Histogram())
    }

    mutating func see(_ entry: JournalEntry) {
        switch entry {
        case .push(let push): see(push)
        case .event(let event): see(event)
        case .broadcast, .note: break
        }
    }

    private mutating func see(_ push: PushEntry) {
        read(push.arrivedAt)
        guard let marker = push.marker, marker.run == terms.run, push.status == 200 else { return }
        let place = EventNumber.place(session: marker.session, step: marker.step)
        let arrival = Arrival(lane: Self.lane(of: push), at: push.arrivedAt)
        change(place) { [terms] entry, figures in
            guard entry.first?.lane != arrival.lane, !entry.more.contains(where: { $0.lane == arrival.lane }) else { return }
            if entry.first == nil {
                entry.first = arrival
            } else if entry.more.count < Self.mostLanes - 1 {
                entry.more.append(arrival)
            } else {
                return
            }
            if let plannedAt = entry.plannedAt { Self.record(arrival, plannedAt, entry.kind, terms, &figures) }
        }
        passOver(place)
    }

    /// A push of that call has come: neither it nor an earlier one of its session is awaited any more.
    private mutating func passOver(_ place: UInt64) {
        let session = UInt32(place >> 32)
        if reached[session] == nil, reached.count >= most { reached.removeAll(keepingCapacity: true) }
        reached[session] = max(reached[session] ?? 0, place)
        guard let places = waiting[session] else { return }
        let left = places.filter { $0 > place }
        for done in places where done <= place { entries[done]?.isAwaited = false }
        figures.awaited -= places.count - left.count
        waiting[session] = left.isEmpty ? nil : left
    }

    private mutating func see(_ event: EventEntry) {
        read(max(event.plannedAt, event.sentAt, event.answeredAt))
        let failure = EventFailure(rawValue: event.failure)
        let wasSent = ![.dropped, .withheld, .retired].contains(failure)
        let wasAnswered = event.status != 0
        figures.events += 1
        if failure == .dropped { figures.dropped += 1 }
        let kind = Int(event.kind)
        let isExpected = terms.expectedStatuses.indices.contains(kind) ? terms.expectedStatuses[kind] : [200]
        let wasTaken = wasSent && wasAnswered && event.failure == 0 && isExpected.contains(Int(event.status))
        if wasSent, !wasTaken, !(failure == .pruned && terms.callersKeepTokens) { figures.failed += 1 }
        if wasSent, event.plannedAt >= terms.measuredFrom {
            figures.lateness.record(Int64(Double(event.lateness.nanoseconds) / terms.pace))
            if wasAnswered { figures.answer.record((event.answeredAt - event.plannedAt).nanoseconds) }
        }
        guard terms.owesMarked.indices.contains(kind), terms.owesMarked[kind] else { return }
        let place = EventNumber.place(session: event.session, step: event.step)
        let isAwaited = wasTaken && reached[event.session].map { $0 < place } ?? true
        change(place) { [terms] entry, figures in
            entry.plannedAt = event.plannedAt
            entry.kind = event.kind
            for arrival in [entry.first].compactMap(\.self) + entry.more {
                Self.record(arrival, event.plannedAt, event.kind, terms, &figures)
            }
            entry.isAwaited = isAwaited
        }
        guard isAwaited else { return }
        figures.awaited += 1
        waiting[event.session, default: []].append(place)
    }

    private mutating func read(_ instant: Instant) { figures.readTo = max(figures.readTo ?? instant, instant) }

    private static func record(
        _ arrival: Arrival, _ plannedAt: Instant, _ kind: UInt16, _ terms: Terms, _ figures: inout LiveFigures
    ) {
        let latency = (arrival.at - plannedAt).nanoseconds
        figures.delivery.record(latency)
        if plannedAt >= terms.measuredFrom { figures.measuredDelivery[kind, default: Histogram()].record(latency) }
    }

    /// Changes what is known of a call, which may be new; the oldest makes room for it.
    private mutating func change(_ place: UInt64, _ body: (inout Entry, inout LiveFigures) -> Void) {
        if entries[place] == nil {
            if entries.count >= most { forgetOldest() }
            order.append(place)
        }
        body(&entries[place, default: Entry()], &figures)
    }

    private mutating func forgetOldest() {
        let place = order[oldest]
        let entry = entries.removeValue(forKey: place)
        oldest += 1
        if let entry, entry.isAwaited || entry.plannedAt == nil { figures.forgotten += 1 }
        if entry?.isAwaited == true {
            figures.awaited -= 1
            let left = waiting.removeValue(forKey: UInt32(place >> 32))?.filter { $0 != place } ?? []
            if !left.isEmpty { waiting[UInt32(place >> 32)] = left }
        }
        guard oldest > most else { return }
        order.removeSubrange(..<oldest)
        firstAwaited = max(0, firstAwaited - oldest)
        oldest = 0
    }

    /// What is known by now.
    mutating func settled() -> LiveFigures {
        firstAwaited = max(firstAwaited, oldest)
        // A push that came before its call was told of is awaited no more either; its call may yet be, so nothing is skipped
        // that has no instant.
        while firstAwaited < order.count {
            guard let entry = entries[order[firstAwaited]], entry.plannedAt != nil, !entry.isAwaited else { break }
            firstAwaited += 1
        }
        figures.oldestAwaited = nil
        for place in order[min(firstAwaited, order.count)...].prefix(Self.mostLooked) {
            guard let entry = entries[place], entry.isAwaited, let plannedAt = entry.plannedAt else { continue }
            figures.oldestAwaited = min(figures.oldestAwaited ?? plannedAt, plannedAt)
        }
        return figures
    }

    /// They came in the order of their answers, so the first one planned is among the first.
    private static let mostLooked = 4_096

    private static func lane(of push: PushEntry) -> Int {
        var hasher = Hasher()
        hasher.combine(push.token)
        hasher.combine(push.pushType)
        return hasher.finalize()
    }
}

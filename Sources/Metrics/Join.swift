// Matches arrivals with expectations and says what became of each.

import Basics
import Pushes

struct Join {
    private struct Fate {
        /// The first arrival that was accepted; the far future when there is none.
        var acceptedAt = Int64.max
        var wasAnswered200 = false
        var metDeadToken = false
    }

    /// Sorted by session, step and channel.
    private let rows: [Planned]
    /// Sorted by instant.
    private let arrivals: [Arrival]
    private var fates: [Fate]
    private let deaths: TokenDeaths
    private let unsent: Set<UInt64>
    private let refused: Set<UInt64>
    private let end: Int64
    private let correlator: Correlator
    /// By kind; the last place is for pushes that belong to none.
    private var counts: [[DeliveryClass: Int]]
    private var deliveries: [Histogram?]

    init(_ correlator: Correlator, end: Instant) {
        self.correlator = correlator
        self.end = end.nanoseconds
        rows = correlator.planned.sorted { $0.key < $1.key }
        arrivals = correlator.arrivals.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
        fates = Array(repeating: Fate(), count: rows.count)
        deaths = TokenDeaths(arrivals, tokenCount: correlator.tokens.count)
        unsent = Set(correlator.unsent)
        refused = Set(correlator.refused)
        counts = Array(repeating: [:], count: correlator.kinds.count + 1)
        deliveries = Array(repeating: nil, count: correlator.kinds.count)
    }

    mutating func judge(into correlation: inout Correlation) {
        correlation.deadTokens = deaths.summary(
            arrivals, grace: correlator.deadTokenGrace, texts: correlator.deadTexts)
        matchArrivals()
        classify(into: &correlation)
        for (kind, classes) in counts.enumerated() where !classes.isEmpty {
            correlation.classes[kind < correlator.kinds.count ? correlator.kinds[kind] : ""] = classes
            correlation.totals.merge(classes, uniquingKeysWith: +)
        }
        for (kind, histogram) in deliveries.enumerated() {
            if let histogram { correlation.deliveryByKind[correlator.kinds[kind]] = histogram }
        }
    }

    // MARK: Arrivals

    private mutating func matchArrivals() {
        // The newest step that a live activity took, by session, and by token where several devices follow it.
        var newest: [UInt64: UInt32] = [:]
        for arrival in arrivals {
            let is200 = arrival.flags.contains(.isAnswered200)
            let candidates = arrival.flags.contains(.isMarked) ? range(of: arrival.key) : 0..<0
            guard !candidates.isEmpty else {
                if is200 { counts[kind(near: arrival)][.unexpected, default: 0] += 1 }
                continue
            }
            let index = choose(arrival, among: candidates)
            let kind = Int(rows[index].kind)
            if arrival.flags.contains(.killedToken) { fates[index].metDeadToken = true }
            guard is200 else { continue }
            let isActivity = arrival.channel == PushType.liveactivity.rawValue
            let device = candidates.count > 1 ? UInt64(UInt32(bitPattern: arrival.token)) + 1 : 0
            let follower = UInt64(arrival.session) << 32 | device
            if fates[index].wasAnswered200 {
                counts[kind][.duplicated, default: 0] += 1
            } else if isActivity, let step = newest[follower], arrival.step < step {
                counts[kind][.reordered, default: 0] += 1
            }
            fates[index].wasAnswered200 = true
            guard arrival.flags.contains(.isAccepted) else { continue }
            fates[index].acceptedAt = min(fates[index].acceptedAt, arrival.at)
            if isActivity { newest[follower] = max(newest[follower] ?? 0, arrival.step) }
        }
    }

    /// The expectations that this key may belong to: more than one where several devices get the same push.
    private func range(of key: PlanKey) -> Range<Int> {
        let start = firstIndex(notBefore: key)
        var end = start
        while end < rows.count, rows[end].key == key { end += 1 }
        return start..<end
    }

    private func firstIndex(notBefore key: PlanKey) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The one for the same token, else the first that has had no 200 yet.
    private func choose(_ arrival: Arrival, among candidates: Range<Int>) -> Int {
        candidates.first { rows[$0].token == arrival.token } ?? candidates.first { !fates[$0].wasAnswered200 }
            ?? candidates.lowerBound
    }

    /// The kind of the event whose marker an unexpected push carries, where there is one.
    private func kind(near arrival: Arrival) -> Int {
        guard arrival.flags.contains(.isMarked) else { return correlator.kinds.count }
        let key = PlanKey(session: arrival.session, step: arrival.step, channel: 0)
        let index = firstIndex(notBefore: key)
        return index < rows.count && rows[index].key.place == key.place ? Int(rows[index].kind) : correlator.kinds.count
    }

    // MARK: Expectations

    /// Goes backwards through each session, so that what came later is known.
    private mutating func classify(into correlation: inout Correlation) {
        var later: [(channel: UInt8, token: Int32, step: UInt32)] = []
        var lastStates = LastStates()
        for index in rows.indices.reversed() {
            let row = rows[index]
            if index + 1 == rows.count || rows[index + 1].session != row.session {
                later.removeAll(keepingCapacity: true)
                lastStates.endSession()
            }
            let fate = fates[index]
            var isSettled = true
            if fate.acceptedAt != .max {
                recordDelivery(row, at: fate.acceptedAt, into: &correlation)
                if !later.contains(where: { $0.channel == row.channel && $0.token == row.token }) {
                    later.append((row.channel, row.token, row.step))
                }
            } else if unsent.contains(row.key.place) {
                correlation.unsent += 1
                isSettled = false
            } else if row.flags.contains(.mayBeSuperseded), isSuperseded(row, index, by: later) {
                counts[Int(row.kind)][.superseded, default: 0] += 1
            } else if fate.metDeadToken || deaths.isDead(row.token, at: row.dueAt) {
                correlation.excused += 1
                isSettled = false
            } else if row.dueAt > end {
                correlation.undecided += 1
                isSettled = false
            } else {
                counts[Int(row.kind)][.lost, default: 0] += 1
                if refused.contains(row.key.place) { correlation.lostUnaccepted += 1 }
                if row.flags.contains(.isFinal) { lastStates.miss(index, channel: row.channel) }
            }
            if row.flags.contains(.isFinal), isSettled { lastStates.settle(channel: row.channel) }
        }
        lastStates.endSession()
        correlation.lastState = lastStates.summary { index in
            LastState.Missing(
                session: rows[index].session, step: rows[index].step, kind: correlator.kinds[Int(rows[index].kind)],
                token: correlator.finalTokens.text(of: rows[index]))
        }
    }

    private mutating func recordDelivery(_ row: Planned, at instant: Int64, into correlation: inout Correlation) {
        let kind = Int(row.kind)
        if row.plannedAt >= correlator.measuredFrom.nanoseconds {
            let latency = Correlator.distance(Instant(nanoseconds: row.plannedAt), Instant(nanoseconds: instant))
            correlation.delivery.record(latency)
            if deliveries[kind] == nil { deliveries[kind] = Histogram() }
            deliveries[kind]!.record(latency)
        }
        counts[kind][instant > row.dueAt ? .late : .delivered, default: 0] += 1
    }

    /// Where several devices get the same push, a later one counts only on the same device.
    private func isSuperseded(
        _ row: Planned, _ index: Int, by later: [(channel: UInt8, token: Int32, step: UInt32)]
    ) -> Bool {
        let isShared =
            index > 0 && rows[index - 1].key == row.key || index + 1 < rows.count && rows[index + 1].key == row.key
        return later.contains {
            $0.channel == row.channel && $0.step > row.step && (!isShared || $0.token == row.token)
        }
    }
}

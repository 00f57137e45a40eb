// From what the conductor of a run sees at each turn to what a spectator sees: rates and latencies of the last seconds.

import Basics
import Journal
import LoadGenerator
import Metrics
import MockServer
import Scenarios
import Verdicts

/// Confined to the thread that runs the harness.
struct LiveMeter {
    /// How often there is something new to see, and a point of the drawing.
    static let pace = Interval.milliseconds(500)
    private static let pointPace = Interval.seconds(1)
    /// What counts as the last seconds.
    private static let window = Interval.seconds(5)

    private struct Look {
        /// On the host's clock.
        var at: Instant
        var elapsed: Interval
        var load: LoadSnapshot
        var pushes: Int
        var delivery: Histogram
        var use: ThreadUse
    }

    private let gates: [Gate]
    private let kinds: [String]
    private var looks: [Look] = []
    private var state: LiveState
    private var nextAt = Instant(nanoseconds: 0)
    private var nextPointAt = Instant(nanoseconds: 0)
    private var samples: [(at: Instant, sample: RelaySample)] = []
    /// The greatest that the relay used so far.
    private(set) var greatest: RelaySample?

    init(_ run: LiveState.Run, gates: [Gate], kinds: [String]) {
        self.gates = gates
        self.kinds = kinds
        state = LiveState()
        state.run = run
        state.gates = gates.map { LiveState.Gate(text: $0.text, aborts: $0.aborts) }
    }

    /// What the relay's process used, at an instant of the host's clock.
    mutating func see(_ sample: RelaySample, at now: Instant) {
        samples.append((now, sample))
        samples.removeFirst(max(0, samples.count - 3))
        var greatest = greatest ?? sample
        greatest.residentBytes = max(greatest.residentBytes, sample.residentBytes)
        greatest.descriptors = max(greatest.descriptors, sample.descriptors)
        self.greatest = greatest
    }

    /// What there is to see by now, on the host's clock; nil: nothing new. `ended`: the gate that ended the load.
    mutating func look(
        _ moment: Conductor.Moment, _ figures: LiveFigures?, at now: Instant, ended: String?, isLast: Bool = false
    ) -> LiveState? {
        guard now >= nextAt || isLast else { return nil }
        nextAt = now + Self.pace
        state.phase = moment.phase
        state.elapsed = max(.zero, moment.now - moment.origin)
        state.load = moment.load
        state.mock = moment.mock
        state.faults = moment.faults
        state.figures = figures
        state.figuresAge = max(.zero, moment.now - (figures?.readTo ?? moment.now))
        state.oldestAwaited = figures?.oldestAwaited.map { max(.zero, moment.now - $0) }
        compare(
            Look(
                at: now, elapsed: state.elapsed, load: moment.load, pushes: moment.mock.pushes,
                delivery: figures?.delivery ?? Histogram(), use: ThreadUse(at: now, rested: moment.rested)))
        state.relay = samples.last?.sample
        state.relayProcessors = relayProcessors
        judgeSoFar(figures, ended: ended)
        if now >= nextPointAt {
            nextPointAt = now + Self.pointPace
            state.course.append(
                LiveState.Point(
                    at: state.elapsed.seconds, rates: state.rates, recent: state.recent, unanswered: state.unanswered,
                    awaited: state.run.joins ? figures?.awaited : nil))
            state.course.removeFirst(max(0, state.course.count - LiveState.mostPoints))
        }
        return state
    }

    /// With what was seen some seconds ago, of which one look a second is kept.
    private mutating func compare(_ look: Look) {
        while looks.count > 1, look.at - looks[1].at >= Self.window { looks.removeFirst() }
        defer { if looks.last.map({ look.at - $0.at >= Self.pointPace }) ?? true { looks.append(look) } }
        guard let before = looks.first else { return }
        let seconds = (look.elapsed - before.elapsed).seconds
        func rate(_ count: (Look) -> Int) -> Double {
            seconds > 0 ? Double(max(0, count(look) - count(before))) / seconds : 0
        }
        state.rates = LiveState.Rates(
            planned: rate { $0.load.planned }, sent: rate { $0.load.sent }, answered: rate { $0.load.answered },
            failed: rate { $0.load.failed + $0.load.dropped }, pushes: rate { $0.pushes })
        func recent(_ histogram: (Look) -> Histogram) -> Histogram? {
            var values = histogram(look)
            values.subtract(histogram(before))
            return values.isEmpty ? nil : values
        }
        let (call, delivery, lateness) = (
            recent { $0.load.answer }, recent { $0.delivery }, recent { $0.load.lateness }
        )
        state.recent = LiveState.Recent(
            callP50: call?.value(at: 50), callP99: call?.value(at: 99), deliveryP50: delivery?.value(at: 50),
            deliveryP99: delivery?.value(at: 99), latenessP99: lateness?.value(at: 99))
        let busiest = look.use.busiest(since: before.use)
        if busiest > 0 { state.busiestThread = Double(busiest) / 1_000 }
    }

    private var relayProcessors: Double? {
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return nil }
        // A relay that was started anew begins at nothing.
        return max(0, (last.sample.cpu - first.sample.cpu).seconds / (last.at - first.at).seconds)
    }

    private mutating func judgeSoFar(_ figures: LiveFigures?, ended: String?) {
        guard let figures else { return }
        var correlation = figures.correlation(kinds)
        correlation.peakSessions = state.load.peakSessions
        for (index, gate) in gates.enumerated() {
            guard let result = gate.soFar(correlation, samples: greatest.map { [$0] } ?? []) else { continue }
            state.gates[index].value = result.value
            state.gates[index].valueText = result.value == nil ? "" : result.valueText
            state.gates[index].word = result.passed.map { $0 ? .holds : .fails } ?? .open
        }
        if let ended, let index = gates.firstIndex(where: { $0.text == ended }) { state.gates[index].word = .ended }
    }
}

extension LiveFigures {
    /// As the judge would have it, as far as it is known. `kinds`: names of the calls.
    func correlation(_ kinds: [String]) -> Correlation {
        var correlation = Correlation()
        correlation.answer = answer
        correlation.lateness = lateness
        for (kind, histogram) in measuredDelivery where kinds.indices.contains(Int(kind)) {
            correlation.delivery.merge(histogram)
            correlation.deliveryByKind[kinds[Int(kind)]] = histogram
        }
        correlation.events = events
        correlation.failed = failed
        correlation.dropped = dropped
        return correlation
    }
}

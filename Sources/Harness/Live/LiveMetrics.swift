// The metrics of a run, for `GET /metrics` and for OTLP. Base units, and names of our own.

import Basics
import Journal
import LoadGenerator
import Metrics
import MockServer

extension LiveState {
    /// Upper bounds of latencies, in seconds.
    static let latencyBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
    /// Of our own lateness, which is to be short.
    static let latenessBounds = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

    var metrics: String {
        var page = ExpositionText()
        addMetrics(to: &page)
        return page.text
    }

    func addMetrics(to page: inout some MetricSink) {
        page.add(
            "pushrig_run_info", .gauge, "The run; always 1.",
            [(["scenario": run.scenario, "seed": String(run.seed), "version": run.version], 1)])
        page.add(
            "pushrig_run_phase", .gauge, "1 for the phase that goes on.",
            [PhaseTimeline.warmUp, PhaseTimeline.measure, PhaseTimeline.drain].map { (["phase": $0], $0 == phase ? 1 : 0) })
        page.add("pushrig_run_elapsed_seconds", .gauge, "Since the plan's origin, on the run's clock.", elapsed.seconds)
        page.add("pushrig_run_length_seconds", .gauge, "Load and drain, as planned.", run.length.seconds)
        page.add("pushrig_run_events", .gauge, "Calls that are planned in all.", Double(run.events))
        addLoad(&page)
        addLatencies(&page)
        addRest(&page)
    }

    private func addLoad(_ page: inout some MetricSink) {
        let counters: [(String, String, Int)] = [
            ("planned", "Calls whose instant has passed.", load.planned),
            ("sent", "Calls that were handed to the kernel.", load.sent),
            ("answered", "Calls that were answered, with whatever status.", load.answered),
            ("unexpected", "Answers that the profile does not expect.", load.unexpectedStatus),
            ("failed", "Calls that were never answered.", load.failed),
            ("dropped", "Calls that were never sent, because a queue of ours was full.", load.dropped),
            ("withheld", "Calls that were never sent: they had nothing to say, or their token is dead.", load.withheld),
            ("throttled", "Answers that said that it was too much.", load.throttled),
            ("tried_again", "Answers after which the caller tried again.", load.triedAgain),
        ]
        for (name, help, value) in counters { page.add("pushrig_calls_\(name)_total", .counter, help, Double(value)) }
        page.add(
            "pushrig_relay_answers_total", .counter, "Answers of the relay by class of status.",
            (1...5).map { (["class": "\($0)xx"], Double(load.answersByClass[$0])) })
        page.add(
            "pushrig_calls_unanswered", .gauge, "Calls that wait for the relay, or for their turn.", Double(unanswered))
        page.add(
            "pushrig_sessions_active", .gauge, "Sessions between their first and their last call.", Double(load.activeSessions))
        page.add("pushrig_sessions_begun_total", .counter, "Sessions that have begun.", Double(load.sessionsBegun))
        page.add(
            "pushrig_mock_pushes_total", .counter, "Pushes that were answered, by status.",
            mock.byStatus.sorted { $0.key < $1.key }.map { (["status": String($0.key)], Double($0.value)) })
        page.add("pushrig_mock_connections", .gauge, "Connections of the relay to the mock.", Double(mock.connectionsOpen))
        page.add("pushrig_mock_faults_fired_total", .counter, "Firings of faults.", Double(mock.faultsFired))
    }

    private func addLatencies(_ page: inout some MetricSink) {
        Self.add(
            load.answer, "pushrig_call_latency_seconds", "From the planned instant of a call to its answer.",
            Self.latencyBounds, to: &page)
        Self.add(
            load.lateness, "pushrig_lateness_seconds", "Ours alone: by which calls left later than they could.",
            Self.latenessBounds, to: &page)
        guard run.joins, let figures else { return }
        Self.add(
            figures.delivery, "pushrig_delivery_latency_seconds",
            "From the planned instant of a call to the first accepted arrival of a push with its marker.", Self.latencyBounds,
            to: &page)
        page.add(
            "pushrig_pushes_awaited", .gauge,
            "Calls that the relay took, and of which no push has come, nor one of a later call of their session.",
            Double(figures.awaited))
        page.add(
            "pushrig_pushes_awaited_oldest_seconds", .gauge, "Since the first of them was planned.",
            oldestAwaited?.seconds ?? 0)
        page.add(
            "pushrig_pushes_forgotten_total", .counter, "Calls and pushes that were let go of before they were joined.",
            Double(figures.forgotten))
        page.add(
            "pushrig_pushes_behind_seconds", .gauge, "How far the figures of pushes are behind.", figuresAge.seconds)
    }

    private func addRest(_ page: inout some MetricSink) {
        if let busiestThread {
            page.add(
                "pushrig_busiest_thread_ratio", .gauge,
                "Share of the last seconds in which the busiest thread of ours had something to do.", busiestThread)
        }
        if let relay {
            page.add("pushrig_relay_cpu_seconds_total", .counter, "Processor time of the relay.", relay.cpu.seconds)
            page.add(
                "pushrig_relay_resident_memory_bytes", .gauge, "Resident memory of the relay.", Double(relay.residentBytes))
            page.add("pushrig_relay_open_descriptors", .gauge, "Open descriptors of the relay.", Double(relay.descriptors))
        }
        page.add("pushrig_faults_in_force", .gauge, "Faults of the scenario that are in force.", Double(faults.count))
        var counts: [String: Int] = [:]
        for fault in faults { counts[fault, default: 0] += 1 }
        page.add(
            "pushrig_fault_in_force", .gauge, "How many faults of that kind are in force.",
            counts.sorted { $0.key < $1.key }.map { (["fault": $0.key], Double($0.value)) })
        // One that is given twice is one.
        var texts: Set<String> = []
        let gates = gates.filter { texts.insert($0.text).inserted }
        page.add(
            "pushrig_gate_state", .gauge, "1 for what can be said of a gate by now.",
            gates.flatMap { gate in
                Gate.Word.allCases.map { (["gate": gate.text, "state": $0.rawValue], gate.word == $0 ? 1 : 0) }
            })
    }

    private static func add(
        _ histogram: Histogram, _ name: String, _ help: String, _ bounds: [Double], to page: inout some MetricSink
    ) {
        page.addHistogram(
            name, help,
            buckets: bounds.map { (bound: $0, count: histogram.count(upTo: Int64(($0 * 1e9).rounded()))) },
            sum: histogram.sum / 1e9, count: histogram.count)
    }
}

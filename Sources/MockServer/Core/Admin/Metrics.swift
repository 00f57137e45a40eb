// GET /metrics: the counters in the text format of Prometheus (version 0.0.4).

import Basics
import Devices
import Faults
import Glibc
import OperatingSystem
import Pushes

func metricsText(_ shared: MockShared) -> String {
    let statistics = shared.statistics()
    var page = ExpositionText()
    func family(
        _ name: String, _ kind: MetricKind, _ help: String, _ samples: [(labels: MetricLabels, value: Int)]
    ) {
        page.add(name, kind, help, samples.map { (labels: $0.labels, value: Double($0.value)) })
    }
    func family(_ name: String, _ kind: MetricKind, _ help: String, _ value: Int) {
        page.add(name, kind, help, Double(value))
    }
    let providers = statistics.byProvider.sorted { $0.key.rawValue < $1.key.rawValue }
    var answers: [(labels: MetricLabels, value: Int)] = []
    for (provider, counts) in providers {
        answers.append((["provider": "\(provider.word)", "status": "200", "reason": ""], counts.accepted))
        for row in (provider == .apns ? ReasonList.apns : .fcm).rows {
            guard let count = counts.byReason[row.word.description] else { continue }
            answers.append((["provider": "\(provider.word)", "status": "\(row.status)", "reason": "\(row.word)"], count))
        }
    }
    family("pushrig_answers_total", .counter, "Pushes by answer.", answers)
    family(
        "pushrig_pushes_total", .counter, "Requests that reached a mock.",
        providers.map { (["provider": "\($0.key.word)"], $0.value.pushes) })
    family(
        "pushrig_outcomes_total", .counter, "Accepted pushes by what the device did.",
        statistics.byOutcome.sorted { $0.key < $1.key }.map { (["outcome": $0.key], $0.value) })
    family("pushrig_silenced_total", .counter, "Pushes that a fault left without answer.", statistics.silenced)
    family(
        "pushrig_undelivered_total", .counter, "Answers that did not reach the provider, or may not have.",
        statistics.undelivered)
    family("pushrig_faults_fired_total", .counter, "Firings of fault rules.", statistics.faultsFired)
    family(
        "pushrig_fault_rule_fired", .gauge, "Firings of the rules in force.",
        shared.faults.rules.map { (["rule": $0.rule.id], $0.fired) })
    family("pushrig_connections_total", .counter, "Connections accepted.", statistics.connectionsOpened)
    family("pushrig_connections", .gauge, "Connections open.", statistics.connectionsOpen)
    family("pushrig_streams", .gauge, "Requests waiting for their answer.", statistics.openStreams)
    let refusals = statistics.refusals.sorted { $0.key < $1.key }.flatMap { listener, kinds in
        kinds.sorted { $0.key < $1.key }.map { refusal in
            (labels: ["listener": listener, "kind": refusal.key] as MetricLabels, value: refusal.value)
        }
    }
    family("pushrig_refusals_total", .counter, "Limits broken by peers.", refusals)
    family("pushrig_known_tokens", .gauge, "Device tokens known.", shared.devices.tokenCount)
    let channels = shared.channels.counts
    family("pushrig_channels", .gauge, "Broadcast channels there are.", channels.channels)
    family("pushrig_broadcasts_total", .counter, "Broadcasts accepted.", channels.broadcasts)
    family("pushrig_journal_bytes", .gauge, "Bytes in this start's journals.", statistics.journalBytes)
    family("pushrig_healthy", .gauge, "1 while the mock answers pushes.", shared.failure == nil ? 1 : 0)
    family("process_resident_memory_bytes", .gauge, "Resident memory.", residentBytes())
    return page.text
}

/// 0 where /proc is not mounted.
private func residentBytes() -> Int {
    let fields = (FileSystem.text(of: "/proc/self/statm") ?? "").split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

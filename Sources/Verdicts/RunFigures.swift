// A saved run as something that metrics can be read from: its record, and what its relay used.

import Basics
import Journal
import Metrics
import Planning
package import Scenarios

package struct RunFigures: Sendable {
    package var record: RunRecord
    /// What the relay's process used, in order of time; empty where it was not ours, or the journal is gone.
    private var samples: [RelaySample] = []
    package var isStepped = false

    package init(_ record: RunRecord) { self.record = record }

    /// With what the journal tells beside the record. Of a journal that is gone or torn nothing is told.
    package init(_ record: RunRecord, journalOf directory: String) {
        self.record = record
        guard let place = try? JournalPlace.journal(of: directory), let reader = try? JournalReader(directory: place) else {
            return
        }
        if let note = try? Verdicts.planNote(reader)?.note { isStepped = (try? note.scenario().isStepped) ?? false }
        var samples: [RelaySample] = []
        _ = try? reader.forEach(since: nil) { entry in
            if case .note(let note) = entry, case .relaySample(let sample) = note.run { samples.append(sample) }
            return true
        }
        self.samples = samples
    }

    /// Nil when there was nothing to measure.
    package func value(of measure: GateMeasure) -> Double? {
        let phase = record.phases.first { $0.name == "measure" }
        let measured = phase.map { $0.end - $0.start } ?? record.duration
        // Processors work by the host's clock, which a stepped one says nothing of.
        let real = isStepped ? 0 : measured.seconds / record.clockScale
        return measure.value(
            Measure(correlation: record.correlation, seconds: measured.seconds, realSeconds: real, samples: samples))
    }

    package static func unit(of measure: GateMeasure) -> RunRecord.GateResult.Unit { measure.reportUnit }

    /// Processor time that the relay used for each push that reached a mock, in nanoseconds; nil where it is not known.
    package var processorPerPush: Double? {
        guard let first = samples.first, let last = samples.last, samples.count > 1, record.correlation.pushes > 0 else {
            return nil
        }
        return Double((last.cpu - first.cpu).nanoseconds) / Double(record.correlation.pushes)
    }

    /// Most resident memory of the relay in bytes; nil where it is not known.
    package var memoryPeak: Double? { value(of: .relay(.memoryPeak)) }
}

extension RunRecord {
    /// Why nothing can be read out of the run's figures, because of us and not of the relay; nil: nothing is in the way.
    package var voidReason: String? {
        if exit.code == 1 { return "could not run" }
        // Whether there were processors to spare is asked only where a relay is to blame: were that void, the worse relay would
        // lose more of its runs.
        let ours: Set<String> = [
            "our lateness", "our queues", "our order", "the history is whole", "the run came to its end",
            "nothing of ours failed", "the plan is the same",
        ]
        return soundness.first { !$0.passed && ours.contains($0.name) }.map { "\($0.name): \($0.detail)" }
    }
}

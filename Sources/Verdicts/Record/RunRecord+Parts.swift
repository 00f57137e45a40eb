// The small parts of a run's record.

package import Basics

extension RunRecord {
    /// A named stretch of the run: warm-up, measure, drain.
    package struct Phase: Hashable, Sendable {
        package var name: String
        package var start: Interval
        package var end: Interval

        package init(name: String, start: Interval, end: Interval) {
            self.name = name
            self.start = start
            self.end = end
        }
    }

    /// A stretch in which something was done to the relay on purpose.
    package struct Band: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable, CaseIterable { case fault, restart }
        package var kind: Kind
        package var label: String
        package var start: Interval
        package var end: Interval

        package init(kind: Kind, label: String, start: Interval, end: Interval) {
            self.kind = kind
            self.label = label
            self.start = start
            self.end = end
        }
    }

    /// What the load generator counted itself.
    package struct LoadCounters: Hashable, Sendable {
        package var sessions: Int64
        package var planned: Int64
        package var sent: Int64
        package var answered: Int64
        package var failed: Int64
        /// Planned events that were never sent because a queue of ours was full.
        package var dropped: Int64
        package var connections: Int64

        package init(
            sessions: Int64 = 0, planned: Int64 = 0, sent: Int64 = 0, answered: Int64 = 0, failed: Int64 = 0,
            dropped: Int64 = 0, connections: Int64 = 0
        ) {
            self.sessions = sessions
            self.planned = planned
            self.sent = sent
            self.answered = answered
            self.failed = failed
            self.dropped = dropped
            self.connections = connections
        }
    }

    /// What the mocks counted themselves.
    package struct MockCounters: Hashable, Sendable {
        package var connections: Int64
        package var pushes: Int64
        /// Answers by status; 0 stands for pushes left unanswered on purpose.
        package var byStatus: [Int: Int64]
        package var tokens: Int64
        package var faultsFired: Int64
        package var journalBytes: Int64

        package init(
            connections: Int64 = 0, pushes: Int64 = 0, byStatus: [Int: Int64] = [:], tokens: Int64 = 0,
            faultsFired: Int64 = 0, journalBytes: Int64 = 0
        ) {
            self.connections = connections
            self.pushes = pushes
            self.byStatus = byStatus
            self.tokens = tokens
            self.faultsFired = faultsFired
            self.journalBytes = journalBytes
        }
    }

    /// One condition on ourselves. `detail` says in one line what was measured.
    package struct SoundnessCheck: Hashable, Sendable {
        package var name: String
        package var passed: Bool
        package var detail: String

        package init(name: String, passed: Bool, detail: String) {
            self.name = name
            self.passed = passed
            self.detail = detail
        }
    }

    /// A threshold and what was measured against it.
    package struct GateResult: Hashable, Sendable {
        /// How the value is to be read.
        package enum Unit: String, Hashable, Sendable, CaseIterable { case nanoseconds, ratio, perSecond, count, bytes }
        /// As the user wrote it, such as `delivery.p99 < 500ms`.
        package var text: String
        package var metric: String
        package var unit: Unit
        /// Nil when there was nothing to measure.
        package var value: Double?
        package var threshold: Double
        /// Nil when there was nothing to measure: neither passed nor breached.
        package var passed: Bool?

        package init(text: String, metric: String, unit: Unit, value: Double?, threshold: Double, passed: Bool?) {
            self.text = text
            self.metric = metric
            self.unit = unit
            self.value = value
            self.threshold = threshold
            self.passed = passed
        }
    }

    /// How the run ended: the process's exit code, the word for it, and why.
    package struct Exit: Hashable, Sendable {
        package var code: Int32
        /// `passed`, `gate breached`, `conformance broken`, `inconclusive`, `interrupted`, `could not run`.
        package var word: String
        package var reasons: [String]

        package init(code: Int32, word: String, reasons: [String]) {
            self.code = code
            self.word = word
            self.reasons = reasons
        }
    }
}

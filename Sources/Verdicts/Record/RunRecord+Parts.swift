// The small parts of a run's record.

package import Basics

extension RunRecord {
    /// A named stretch of the run: warm-up, measure, drain.
    package struct Phase: Hashable, Sendable {
        package var name: String
        package var start: Interval
        package var end: Interval
    }

    /// A stretch in which something was done to the relay on purpose.
    package struct Band: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable, CaseIterable { case fault, restart }
        package var kind: Kind
        package var label: String
        package var start: Interval
        package var end: Interval
    }

    /// What the load generator counted itself.
    package struct LoadCounters: Hashable, Sendable {
        package var sessions: Int64 = 0
        package var planned: Int64 = 0
        package var sent: Int64 = 0
        package var answered: Int64 = 0
        package var failed: Int64 = 0
        /// Planned events that were never sent because a queue of ours was full.
        package var dropped: Int64 = 0
        package var connections: Int64 = 0
        /// Thousandths of the load in which the busiest thread of ours had something to do; 0: not known.
        package var busiestThread: Int64 = 0
    }

    /// What the mocks counted themselves.
    package struct MockCounters: Hashable, Sendable {
        package var connections: Int64 = 0
        package var pushes: Int64 = 0
        /// Answers by status; 0 stands for pushes left unanswered on purpose.
        package var byStatus: [Int: Int64] = [:]
        package var tokens: Int64 = 0
        package var faultsFired: Int64 = 0
        package var journalBytes: Int64 = 0
    }

    /// The gate that ended the load before its time, for it could hold no more.
    package struct EarlyEnd: Hashable, Sendable {
        package var at: Interval
        package var gate: String
        /// By what it was known, in words.
        package var reason: String
    }

    /// One condition on ourselves. `detail` says in one line what was measured.
    package struct SoundnessCheck: Hashable, Sendable {
        package var name: String
        package var passed: Bool
        package var detail: String
    }

    /// A threshold and what was measured against it.
    package struct GateResult: Hashable, Sendable {
        /// How the value is to be read.
        package enum Unit: String, Hashable, Sendable, CaseIterable { case nanoseconds, ratio, perSecond, count, bytes, slope }
        /// As the user wrote it, such as `delivery.p99 < 500ms`.
        package var text: String
        package var metric: String
        package var unit: Unit
        /// Nil when there was nothing to measure.
        package var value: Double?
        package var threshold: Double
        /// Nil when there was nothing to measure, or too little: neither passed nor breached.
        package var passed: Bool?

        /// Why it was neither, though something was measured; nil: nothing was.
        var doubt: String? {
            guard let value else { return nil }
            return unit == .slope && value <= threshold
                ? "too many pushes never came to tell" : "too little data to tell, and a longer run has more"
        }
    }

    /// What is proven and what is left open, whatever known breaks have healed: these make the exit code 4, too, and say
    /// nothing of the rest.
    package struct Proof: Hashable, Sendable {
        /// Ids of the rules that are broken by evidence which rests on nothing of ours that was not sound.
        package var broken: [String] = []
        /// Why what was kept may not be.
        package var doubts: [String] = []
        /// The relay never answered its ready probe.
        package var wasNeverReady = false

        package init(broken: [String] = [], doubts: [String] = [], wasNeverReady: Bool = false) {
            self.broken = broken
            self.doubts = doubts
            self.wasNeverReady = wasNeverReady
        }
    }

    /// How the run ended: the process's exit code, the word for it, and why.
    package struct Exit: Hashable, Sendable {
        package var code: Int32
        /// `passed`, `gate breached`, `conformance broken`, `inconclusive`, `interrupted`, `could not run`.
        package var word: String
        package var reasons: [String]
    }
}

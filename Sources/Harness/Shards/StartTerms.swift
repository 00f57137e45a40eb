// When the load of a run begins, and until when it listens at least.

import Basics

struct StartTerms {
    /// `--start-at`; nil: as soon as all is up.
    var at: WallTime?
    /// It is one of several shards, which begin together.
    var shards: ShardStart?
    var clock: HostClock
    /// From the beginning of the plan in one piece to its last event: no shard stops listening before.
    var length: Interval

    /// Waits for the other shards, where there are any. Who comes behind the time that was asked for does not begin.
    func meet(_ signals: Signals) throws(Failure) -> ShardStart.Outcome {
        if let shards { return try shards.meet(signals) }
        return ShardStart.begin(at, clock, who: "the run")
    }
}

// One planned call to the relay, and the session it belongs to.

package import Basics

/// A call to the relay at a planned time.
package struct PlannedEvent: Hashable, Sendable {
    /// The session's number over all shards.
    package var session: UInt32
    /// The event's number within its session, from 0.
    package var step: UInt32
    /// From the plan's start.
    package var at: Interval
    /// Index into the profile's calls.
    package var call: Int
    /// Index into the script's steps, whose variables the event carries.
    package var scriptStep: Int

    package init(session: UInt32, step: UInt32, at: Interval, call: Int, scriptStep: Int) {
        self.session = session
        self.step = step
        self.at = at
        self.call = call
        self.scriptStep = scriptStep
    }
}

/// One session, computed in full.
package struct PlannedSession: Sendable {
    /// The session's number over all shards.
    package var index: UInt32
    package var start: Interval
    /// Index into the workload's scripts.
    package var script: Int
    package var identity: SessionIdentity
    /// In order of time; never more than 2^20.
    package var events: [PlannedEvent]
}

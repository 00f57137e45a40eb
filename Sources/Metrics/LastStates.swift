// Counts the sessions whose last state arrived. A live activity's counts where the session has one, else any.

import Pushes

struct LastStates {
    private var sessions = 0
    /// Index of the missing row, last session first.
    private var missing: [Int32] = []

    private var activity = Tally()
    private var other = Tally()

    private struct Tally {
        var settled = 0
        var missing: Int32?
    }

    mutating func settle(channel: UInt8) {
        if channel == PushType.liveactivity.rawValue { activity.settled += 1 } else { other.settled += 1 }
    }

    mutating func miss(_ index: Int, channel: UInt8) {
        let isActivity = channel == PushType.liveactivity.rawValue
        if isActivity { activity.missing = Int32(index) } else { other.missing = Int32(index) }
    }

    mutating func endSession() {
        let tally = activity.settled > 0 ? activity : other
        if tally.settled > 0 {
            sessions += 1
            if let index = tally.missing { missing.append(index) }
        }
        activity = Tally()
        other = Tally()
    }

    func summary(_ describe: (Int) -> LastState.Missing) -> LastState {
        var state = LastState()
        state.sessions = sessions
        state.delivered = sessions - missing.count
        state.missingCount = missing.count
        state.missing = missing.suffix(20).reversed().map { describe(Int($0)) }
        return state
    }
}

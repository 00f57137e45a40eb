// How many calls an organisation may make: so many in each minute of the clock. Nothing is published but that the API has such
// a limit, and tells after how many seconds to come back (R3.38).

import Basics

struct SendoraMeter {
    static let perMinute = 600

    private var minute: Int64 = 0
    /// Of the minute that is: no more organisations than calls in it.
    private var calls: [String: Int] = [:]

    /// Takes a call; else in how many seconds the next minute begins.
    mutating func take(_ organisation: String, at now: WallTime) -> Int64? {
        if now.seconds / 60 != minute { (minute, calls) = (now.seconds / 60, [:]) }
        guard calls[organisation, default: 0] < Self.perMinute else { return 60 - now.seconds % 60 }
        calls[organisation, default: 0] += 1
        return nil
    }
}

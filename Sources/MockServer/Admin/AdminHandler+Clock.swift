// The mock's wall clock through the admin API: by it provider tokens age, activities end and stored pushes expire.

import Basics

extension AdminHandler {
    private static let clockMembers = ["now", "advance", "scale"]
    /// From the year 1970 to 2255.
    private static let wallSeconds: ClosedRange<Int64> = 0...9_000_000_000

    func clock() -> AdminAnswer {
        let clock = shared.clock
        return AdminAnswer([
            "now": .string(clock.wall().iso8601), "scale": .number(clock.scale),
            "offsetMilliseconds": .integer(Int64(clock.offset.milliseconds.rounded())),
        ])
    }

    /// `now` sets it, `advance` moves it on from there (or, below zero, back), `scale` says how fast it runs after.
    func putClock(_ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let object = try request.object(Self.clockMembers)
        var wall = shared.clock.wall()
        if let value = object["now"] {
            guard let given = value.string.flatMap({ WallTime(iso8601: $0) }) else {
                throw AdminError(
                    400, "bad-member", "now is not a time", hint: "write it as 2026-11-20T10:00:00Z, from 1970 to 2255")
            }
            wall = given
        }
        if let value = object["advance"] {
            let text = value.string ?? ""
            let isBack = text.hasPrefix("-")
            guard let step = Interval(parsing: String(isBack ? text.dropFirst() : text[...])), ClockBounds.admits(skew: step)
            else {
                throw AdminError(
                    400, "bad-member", "advance is not a duration of at most 36500d", hint: "write it as 8h, 90s or -5m")
            }
            wall = isBack ? wall - step : wall + step
        }
        guard Self.wallSeconds.contains(wall.seconds) else {
            throw AdminError(400, "bad-member", "that time is too far away", hint: "stay between 1970 and 2255")
        }
        var scale: Double?
        if let value = object["scale"] {
            guard let given = value.double, ClockBounds.admits(scale: given) else {
                throw AdminError(
                    400, "bad-member", "scale is not a number above 0, at most 1000000",
                    hint: "60 makes a minute of each second")
            }
            scale = given
        }
        let isSet = object["now"] != nil || object["advance"] != nil
        shared.clock.set(wall: isSet ? wall : nil, scale: scale)
        note("set clock", object)
        tellLate()
        return clock()
    }
}

// The mock's wall clock through the admin API: by it provider tokens age, activities end and stored pushes expire.

import Basics
import EventLoop
import Net
import Synchronization

extension AdminHandler {
    private static let clockMembers = ["now", "advance", "scale", "mode", "step", "wait"]
    /// From the year 1970 to 2255.
    private static let wallSeconds: ClosedRange<Int64> = 0...9_000_000_000

    func clock() -> AdminAnswer {
        let clock = shared.clock
        let wall = clock.wall()
        var scale = 0.0
        if case .running(let given) = shared.time.mode { scale = given }
        return AdminAnswer([
            "now": .string(wall.iso8601), "scale": .number(scale),
            "mode": .string(shared.time.isStepped ? "stepped" : "running"),
            "offsetMilliseconds": .integer(Int64(clock.ahead(of: loop.time).milliseconds.rounded())),
            "elapsed": .integer(shared.time.elapsedMicroseconds), "goal": goal, "steps": .integer(Int64(keeper.steps)),
            "participants": keeper.json,
            "trouble": shared.clockTrouble.withLock { $0.map(JSONValue.string) ?? .null },
        ])
    }

    /// How far a clock that is stepped goes by itself, counted as `elapsed` is.
    private var goal: JSONValue {
        let goal = shared.time.goal
        guard shared.time.isStepped, goal != .distantFuture else { return .null }
        return .integer(shared.time.microseconds(at: max(goal, shared.time.now())))
    }

    /// How long the answer to a step may wait for the clock.
    private func wait(_ object: JSONObject) throws(AdminError) -> Interval {
        guard let value = object["wait"] else { return ClockKeeper.longestWait }
        guard object["step"] != nil, let wait = value.string.flatMap({ Interval(parsing: $0) }),
            .zero...ClockKeeper.longestWait ~= wait
        else {
            throw AdminError(
                400, "bad-member", "wait is not a duration from 0 to \(ClockKeeper.longestWait), or there is no step",
                hint: "write {\"step\":\"8h\",\"wait\":\"5s\"}, or \"0\" to be answered at once")
        }
        return wait
    }

    /// Whether the clock is to stand, and how far it is to go on from there.
    private func steps(_ object: JSONObject) throws(AdminError) -> (Bool, Interval?) {
        var isStepped = shared.time.isStepped && object["scale"] == nil
        if let value = object["mode"] {
            guard let word = value.string, ["stepped", "running"].contains(word), word == "running" || object["scale"] == nil
            else {
                throw AdminError(
                    400, "bad-member", "mode is neither stepped nor running", hint: "write stepped, without scale, or running")
            }
            isStepped = word == "stepped"
        }
        guard let value = object["step"] else { return (isStepped, nil) }
        guard isStepped, let step = value.string.flatMap({ Interval(parsing: $0) }), ClockBounds.admits(skew: step) else {
            throw AdminError(
                400, "bad-member", "step is not a duration of at most 36500d, or the clock does not stand",
                hint: "write {\"mode\":\"stepped\",\"step\":\"8h\"}")
        }
        return (true, step)
    }

    /// `now` sets it, `advance` moves it on from there (or, below zero, back), `scale` says how fast it runs after. A `step`
    /// is answered when the clock has come there. Nil: the answer comes later.
    func putClock(_ request: AdminRequest, _ exchange: ServerExchange) throws(AdminError) -> AdminAnswer? {
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
                    400, "bad-member", "scale is not a number above 0, at most 3600",
                    hint: "60 makes a minute of each second")
            }
            scale = given
        }
        let (isStepped, step) = try steps(object)
        let wait = try wait(object)
        let mode = shared.time.mode
        let isSet = object["now"] != nil || object["advance"] != nil
        if isStepped, !shared.time.isStepped {
            // It stands until somebody has it go on.
            shared.time.goal = .init(nanoseconds: .min)
            shared.time.set(.stepped)
        } else if let scale {
            shared.time.set(.running(scale))
        } else if object["mode"] != nil, !isStepped, shared.time.isStepped {
            shared.time.set(.running(1))
        }
        if isSet { shared.set(wall: wall) }
        if let step { shared.time.goal = max(shared.time.now(), shared.time.goal) + step }
        keeper.changed(isSet: isSet || shared.time.mode != mode)
        note("set clock", object)
        tellLate()
        guard step != nil, wait > .zero else { return clock() }
        keeper.answer(exchange, at: shared.time.goal, within: wait) { [unowned self] in
            tellLate()
            return clock()
        }
        return nil
    }
}

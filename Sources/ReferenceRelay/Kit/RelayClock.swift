// The relay's time. Usually the system's; beside a mock whose clock runs faster, that clock: throttle windows, the age
// of provider tokens, retries and every timestamp follow it, while waits that concern the network stay real.

package import Basics

/// Another clock, as two moments that coincide and a speed. Written `scale=60,at=REAL,shows=THERE` with both moments in
/// milliseconds since 1970: when the system's clock says REAL, the other says THERE.
package struct ClockSetting: Hashable, Sendable {
    package static let scales: ClosedRange<Double> = 0.001...ClockBounds.largestScale
    private static let form = "write scale=60,at=MILLISECONDS,shows=MILLISECONDS, both since 1970"

    package var scale: Double
    package var at: WallTime
    package var shows: WallTime

    /// `scale` is in `scales`, both moments between 1970 and 2100.
    package init(scale: Double, at: WallTime, shows: WallTime) {
        precondition(Self.scales.contains(scale), "a clock's scale is in its range")
        self.scale = scale
        self.at = at
        self.shows = shows
    }

    package init(parsing text: String) throws(Failure) {
        var values: [String: Substring] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let equals = part.firstIndex(of: "=") else {
                throw Failure(.usage, "'\(text)' is not a clock", hint: Self.form)
            }
            values[String(part[..<equals])] = part[part.index(after: equals)...]
        }
        guard values.count == 3, let scale = values["scale"].flatMap({ Double($0) }), let at = values["at"],
            let shows = values["shows"]
        else { throw Failure(.usage, "'\(text)' is not a clock", hint: Self.form) }
        guard Self.scales.contains(scale) else {
            throw Failure(
                .usage, "a clock cannot run \(scale) times as fast",
                hint: "choose a scale between \(Self.scales.lowerBound) and \(Self.scales.upperBound)")
        }
        self.init(scale: scale, at: try Self.moment(at, of: text), shows: try Self.moment(shows, of: text))
    }

    private static func moment(_ digits: Substring, of text: String) throws(Failure) -> WallTime {
        guard let milliseconds = Int64(digits), (0...4_102_444_800_000).contains(milliseconds) else {
            throw Failure(.usage, "'\(digits)' in '\(text)' is not a moment", hint: Self.form)
        }
        return WallTime(milliseconds: milliseconds)
    }
}

/// Turns the loop's instants into the relay's and back.
struct RelayClock {
    let scale: Double
    /// Nil: the system's wall clock, with whatever becomes of it.
    private let wallOrigin: WallTime?
    private let origin: Instant

    init(_ setting: ClockSetting?, now: Instant, wall: WallTime) throws(Failure) {
        scale = setting?.scale ?? 1
        origin = now
        guard let setting else {
            wallOrigin = nil
            return
        }
        let elapsed = (wall - setting.at).seconds * setting.scale
        guard abs(elapsed) < 1e9 else {
            throw Failure(
                .usage, "the clock would be \(Int64(abs(elapsed) / 86_400)) days away by now",
                hint: "give a moment of today in at=")
        }
        wallOrigin = setting.shows + .seconds(elapsed)
    }

    /// `wall` is the system's.
    func moment(at instant: Instant, wall: WallTime) -> Moment {
        guard let wallOrigin else { return Moment(now: instant, wall: wall) }
        let elapsed = (instant - origin) * scale
        return Moment(now: origin + elapsed, wall: wallOrigin + elapsed)
    }

    /// When, on the loop's clock, it will be `instant` here.
    func real(_ instant: Instant) -> Instant {
        wallOrigin == nil ? instant : origin + (instant - origin) * (1 / scale)
    }
}

/// The two clocks at one moment: `now` to measure with, `wall` for what is written.
struct Moment {
    var now: Instant
    var wall: WallTime
}

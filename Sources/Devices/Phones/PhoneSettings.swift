// How virtual phones behave where nothing is documented, or where a test wants it otherwise.

package import Basics

/// When a phone wakes an app so that it learns the token of an activity that a push has started, and when that token is
/// replaced.
package struct PhoneWake: Hashable, Sendable {
    /// From the start to the token, in seconds; at most a day of it counts.
    package var delay: Distribution
    /// The share of tokens for which the app is never woken, 0 to 1. "9 of 14 in one log" (apns.md §10).
    package var never: Double
    /// From when the app has an activity's first token until the system replaces it, once, in seconds; at most a day of it
    /// counts. Nil: it never does.
    package var rotate: Distribution?

    package init(delay: Distribution = .constant(1), never: Double = 0, rotate: Distribution? = nil) {
        self.delay = delay
        self.never = never
        self.rotate = rotate
    }

    static let longestDelay = Interval.seconds(86_400)

    /// The delay for the activity of that seed; nil: the app is not woken.
    func draw(_ seed: Seed) -> Interval? {
        seed.child("never").unit < never ? nil : Self.draw(delay, seed.child("delay"))
    }

    /// So long after the app has learnt it the token of that seed is replaced; nil: it is not.
    func drawRotation(_ seed: Seed) -> Interval? { rotate.map { Self.draw($0, seed.child("rotate")) } }

    private static func draw(_ span: Distribution, _ seed: Seed) -> Interval {
        var generator = seed.generator()
        return min(max(.seconds(span.sample(&generator)), .zero), longestDelay)
    }
}

/// A version of iOS.
package struct SystemVersion: Hashable, Comparable, Sendable {
    package var major: UInt8
    package var minor: UInt8

    package init(_ major: UInt8, _ minor: UInt8 = 0) {
        self.major = major
        self.minor = minor
    }

    /// The first with push-to-start tokens (apns.md §10).
    static let startsByPush = SystemVersion(17, 2)
    /// The first with `input-push-channel` (apns.md §10).
    static let channels = SystemVersion(18, 0)

    package static func < (a: SystemVersion, b: SystemVersion) -> Bool { (a.major, a.minor) < (b.major, b.minor) }

    /// `18.1`.
    package var text: String { "\(major).\(minor)" }

    /// Nil unless it is one or two numbers from 0 to 255, such as `17.2`.
    package init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard 1...2 ~= parts.count, let major = UInt8(parts[0]), let minor = parts.count > 1 ? UInt8(parts[1]) : 0 else {
            return nil
        }
        self.init(major, minor)
    }
}

package struct PhoneSettings: Sendable {
    /// A card is drawn once in so long (G8 of relays.md, after Home Assistant's documentation: "about every 15 s"); what
    /// comes in between is drawn with the next drawing, the newest state of it. Zero: each state is drawn.
    package var drawingInterval = Interval.seconds(15)
    /// Of apps that are not given their own.
    package var wake = PhoneWake()

    /// Phones in one mock, apps on a phone, and activities of an app on a phone: gone ones make room.
    package var phoneLimit = 1 << 20
    package static let appLimit = 16
    package static let activityLimit = 64
    /// Activities in one mock.
    package var activityLimitInAll = 1 << 22
    /// Events that are kept.
    package var eventLimit = 1 << 16

    package init() {}
}

// What the mock is told before it listens.

package import Basics

/// A clock that is set, as by an administrator or a time server.
package struct ClockStep: Hashable, Sendable {
    /// Since the start of the load.
    package var at: Interval
    /// Less than zero: back.
    package var by: Interval

    package init(at: Interval, by: Interval) { (self.at, self.by) = (at, by) }
}

/// The mock's settings for one run.
package struct MockSpec: Hashable, Sendable {
    /// Whether tokens that nobody registered are accepted.
    package enum Tokens: String, CaseIterable, Hashable, Sendable {
        case any, registered
    }

    package enum Environment: String, CaseIterable, Hashable, Sendable {
        /// `both`: production at `{{mock.apns}}` and sandbox at `{{mock.sandbox}}`.
        case sandbox, production, both
    }

    /// Event loops, each its own thread; 1…64.
    package var loops: Int
    package var tokens: Tokens
    /// Bundle identifiers that exist; the decoder puts the profile's topic here when the file names none.
    package var topics: [String]
    package var environment: Environment
    /// The settings of APNs, FCM and phones by name (`pushrig list settings`); checked.
    package var settings: [String: String] = [:]
    /// Where its authority and keys are kept from run to run, for a relay that runs already; nil: each run has new ones.
    package var state: String?
    /// Where it listens, `address:port`; nil: on a free port of loopback.
    package var apns: String?
    package var sandbox: String?
    package var admin: String?
    /// Where FCM and its token endpoint listen; nil: on a free port where the relay is told of it, else nowhere.
    package var fcm: String?
    /// Further DNS names of its certificate, such as a container's.
    package var names: [String] = []
    /// How far the mock's clock is ahead of ours; negative: behind.
    package var clockSkew = Interval.zero
    /// When its wall time is set another way, with that of whoever takes part in its clock; in order of time.
    package var clockSteps: [ClockStep] = []

    package init(
        loops: Int = 1, tokens: Tokens = .any, topics: [String] = [], environment: Environment = .production
    ) {
        self.loops = loops
        self.tokens = tokens
        self.topics = topics
        self.environment = environment
    }
}

// What one may choose about a mock before it starts.

package import APNs
package import Basics
package import Devices
import EventLoop
package import FCM
package import Net
package import Pushes

/// The choices of `pushrig mock`. Every field has the default of the command line.
package struct MockOptions: Sendable {
    /// Which device tokens are taken.
    package enum Registration: String, Sendable, CaseIterable {
        /// Every well-formed token is accepted and remembered with the topic of its first push.
        case any
        /// Tokens that were not put there by the admin API (or the embedder) are BadDeviceToken.
        case registered
    }

    /// Made when absent (0700), reused when present: CA, server certificate, provider key, journal.
    package var stateDirectory: String
    /// Port 0 picks a free one.
    package var apns = SocketAddress(host: "127.0.0.1", port: 2197)
    /// A second address of the same environment, as Apple has 2197 beside 443; nil: none.
    package var apnsTwin: SocketAddress?
    /// Where the mock plays sandbox as well, beside production at `apns`; nil: nowhere. Tokens, activities and keys for
    /// one environment are strangers in the other (docs/apns.md §1).
    package var sandbox: SocketAddress?
    package var sandboxTwin: SocketAddress?
    /// Nil: no admin API.
    package var admin: SocketAddress? = SocketAddress(host: "127.0.0.1", port: 2190)
    /// Where broadcast channels are managed; nil: nowhere. Unlike on the command line, whose default is Apple's port, no
    /// port is taken unless asked for: a test may run many mocks.
    package var channels: SocketAddress?
    /// The same for `sandbox`, when that is played beside production.
    package var sandboxChannels: SocketAddress?
    /// Picks a free port when one of these is taken, as the command line does with its defaults.
    package var channelsMayMove = false
    /// Where FCM and its token endpoint listen; nil: nowhere.
    package var fcm: SocketAddress?
    /// The open questions of docs/fcm.md.
    package var fcmRules = FCMSettings()
    /// Threads that serve pushes, 1...64. The admin API has one more.
    package var loops = 1
    package var registration = Registration.any
    /// The environment that `apns` plays.
    package var environment = PushEnvironment.production
    /// Bundle IDs whose pushes are taken; empty: any, and `com.example.app` is named in the ready line.
    package var topics: [String] = []
    /// The open questions of docs/apns.md. `environment` and `allowedTopics` are set from the fields above.
    package var rules = APNsSettings()
    /// How devices behave. `registration` is set from the field above.
    package var deviceRules = DeviceSettings()
    /// Limits of broadcast channels.
    package var channelRules = ChannelSettings()
    /// Further DNS names for the server certificate, such as a container's.
    package var serverNames: [String] = []
    package var seed = Seed(1)
    /// What everything in the mock goes by; nil: one of its own, that of the host until it is told otherwise.
    package var runClock: RunClock?
    /// How far the wall time of rules and devices is ahead of that; within `ClockBounds`.
    package var clockSkew = Interval.zero
    /// A participant that states nothing for so long of real time is named as what keeps a clock that stands.
    package var clockPatience = Interval.seconds(15)
    /// Wall time from elsewhere for rules and devices; nil: that of `runClock`.
    package var clock: (any TimeSource)?
    /// Nil: `journal` in the state directory.
    package var journalDirectory: String?
    /// Whether `mock.json` tells where it is; not for one that stands in for another (`MockService.standAside`).
    package var tellsPlace = true
    /// How long open requests may take to end when the mock stops.
    package var drainLimit = Interval.seconds(5)

    package init(stateDirectory: String) { self.stateDirectory = stateDirectory }
}

/// A socket address and the environment that is played there.
struct MockListener: Sendable {
    var environment: PushEnvironment
    var address: SocketAddress
}

extension MockOptions {
    /// The environments that are played, that of `apns` first.
    var environments: [PushEnvironment] { sandbox == nil ? [environment] : [.production, .sandbox] }

    /// In the order of the ready line: `apns`, its twin, `sandbox`, its twin.
    var listeners: [MockListener?] {
        [
            MockListener(environment: environment, address: apns),
            apnsTwin.map { MockListener(environment: environment, address: $0) },
            sandbox.map { MockListener(environment: .sandbox, address: $0) },
            sandboxTwin.map { MockListener(environment: .sandbox, address: $0) },
        ]
    }
}

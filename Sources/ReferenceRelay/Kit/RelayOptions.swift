// What a reference relay is told at its start.

package import Basics
package import Net
import Pushes

/// Which family of relays to imitate.
package enum RelayDialect: String, CaseIterable, Hashable, Sendable {
    /// The alert and Live Activity relay of the OpenCode plan (claims R0).
    case opencode
    /// The same calls with the states of opencode-ios (chapter 3).
    case opencodeIOS = "opencode-ios"
    /// Sessions of many hours, whose activities are replaced before the system ends them (chapter 5).
    case epilogue
    /// A database whose rows are pushed when they are written (chapter 2).
    case busymate
    /// A row for each activity, updated by its id and routed to APNs or FCM (chapter 4).
    case sendora

    /// With the options that are the dialect's own.
    func make(_ options: RelayOptions) -> any Dialect {
        switch self {
        case .opencode: OpenCodeDialect(variant: options.variant, defects: options.defects)
        case .opencodeIOS: OpenCodeIOSDialect(defects: options.defects)
        case .epilogue: EpilogueDialect(defects: options.defects)
        case .busymate: BusymateDialect(defects: options.defects)
        case .sendora: SendoraDialect(defects: options.defects)
        }
    }
}

/// Which of the two published shapes of the OpenCode activity is pushed (docs/reference-relay.md).
package enum ActivityVariant: String, CaseIterable, Hashable, Sendable {
    /// `SessionActivityAttributes`, content-state of four keys.
    case plan = "A"
    /// `LiveActivityAttributes` of the widget library, the four keys as JSON text in `props`.
    case widget = "B"
}

/// When `/v1/event` is answered.
package enum AnswerMode: String, CaseIterable, Hashable, Sendable {
    /// After the first attempt of every push has been answered or has timed out, as the original does.
    case late
    /// At once; `sent` then counts what was handed on.
    case early
}

package struct RelayOptions: Sendable {
    package var dialect = RelayDialect.opencode
    /// Where the relay listens. It has no authentication of its own: keep it on loopback.
    package var listen: SocketAddress
    /// The APNs hosts. Where both are the same there is no "other host" to try.
    package var production: Origin
    package var sandbox: Origin
    /// Machines other than this one on which a mock may be called.
    package var allowHosts: Set<String> = []
    /// PEM file of the authorities to trust for APNs; nil: the system's.
    package var caFile: String?
    /// PEM file (`AuthKey_….p8`) of the provider key, its id and its team.
    package var keyFile: String
    package var keyID: String
    package var teamID: String
    /// Bundle id for registrations that name none.
    package var topic: String
    /// Path of the SQLite file, or `:memory:`.
    package var storage: String
    /// Other processes have the same storage and the same port (`PeerRouter`).
    package var isShared = false
    package var variant = ActivityVariant.plan
    package var answers = AnswerMode.late
    /// Nil: the system's. Throttle, dedupe windows, ages and timestamps follow it; waits for the network do not.
    package var clock: ClockSetting?
    /// The admin API of a mock whose clock the relay takes part in; then all its waits go by that one. Nil: none.
    package var clockOwner: Origin?
    package var defects: Set<Defect> = []
    /// As whom it calls FCM, and where; nil: it pushes to iPhones alone.
    package var fcm: FCMTarget?
    /// Whom it calls back; nil: nobody.
    package var webhook: WebhookTarget?
    /// An alert takes the place of the one before of its session, on a device that shows that.
    package var collapsesAlerts = false
    /// Of the states that must not be coalesced every so-many-th is spoilt, and the log says which: so that a judge can
    /// be held against the list. At least 1; nil: none.
    package var plantEvery: Int?

    /// Least distance of two progress pushes of one session (R0.7). Greater than or equal to 0.
    package var throttle = Interval.seconds(10)
    /// A second `complete` of one session within this time is the same one (R0.28).
    package var completeWindow = Interval.seconds(5)
    /// An unregister, or a registration of an ended activity, this soon after the newer one is a late one (R0.20).
    package var lateness = Interval.seconds(30)
    /// Age at which an activity is ended as timed out (R0.38): a little less than the system's eight hours.
    package var activityLifetime = Interval.seconds(8 * 3600 - 60)
    /// Longest wait for one answer of APNs (R0.36).
    package var pushTimeout = Interval.seconds(5)
    /// Attempts per push, the first included, while APNs answers 429, 5xx or not at all. At least 1.
    package var attempts = 8
    /// Wait before the second attempt; doubles from there to `retryDelayMax`, with up to a fifth more by chance (P13):
    /// 1, 2, 4, 8, 15, 15, 15 s.
    package var retryDelay = Interval.seconds(1)
    package var retryDelayMax = Interval.seconds(15)
    /// Age at which a provider token is replaced. Apple: between 20 and 60 minutes.
    package var tokenLifetime = Interval.seconds(50 * 60)
    /// How long an activity's push waits for the first answer to its event's alerts (R0.2).
    package var alertPatience = Interval.seconds(3)
    /// Connections per APNs host.
    package var connections = 1
    /// Rows kept in the delivery log.
    package var deliveryRowsMax = 100_000
    package var seed = Seed(1)

    package init(
        listen: SocketAddress, production: Origin, sandbox: Origin, caFile: String? = nil, keyFile: String,
        keyID: String, teamID: String, topic: String, storage: String
    ) {
        self.listen = listen
        self.production = production
        self.sandbox = sandbox
        self.caFile = caFile
        self.keyFile = keyFile
        self.keyID = keyID
        self.teamID = teamID
        self.topic = topic
        self.storage = storage
    }
}

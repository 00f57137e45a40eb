// A token as the admin API shows and sets it.

import APNs
package import Basics
package import Pushes

/// What a token addresses: an app on a device, one Live Activity, the start of activities, all widgets of an app, or one of its
/// controls.
package enum TokenKind: UInt8, CaseIterable, Sendable {
    case unknown, device, activity, start, widget, control

    package var word: StaticString {
        switch self {
        case .device: "device"
        case .activity: "activity"
        case .start: "start"
        case .widget: "widget"
        case .control: "control"
        case .unknown: "unknown"
        }
    }

    /// Nil unless it is one of the words.
    package init?(word: String) {
        guard let match = Self.allCases.first(where: { $0.word.description == word }) else { return nil }
        self = match
    }

    /// What an accepted push that is no Live Activity's tells of the token that it went to.
    init(of type: PushType?) {
        self = type == .widgets ? .widget : type == .controls ? .control : .device
    }

    /// Whether the token stands for a topic with that suffix (apns.md §4).
    func takes(_ suffix: PushType?) -> Bool {
        switch self {
        case .unknown: true
        case .activity, .start: suffix == .liveactivity
        case .widget: suffix == .widgets
        case .control: suffix == .controls
        case .device: suffix != .liveactivity && !(suffix?.isReload ?? false)
        }
    }
}

/// Whether pushes to a token are taken; the other two are answered 410.
package enum TokenState: UInt8, CaseIterable, Sendable {
    case active, unregistered, expired

    package var word: StaticString {
        switch self {
        case .active: "active"
        case .unregistered: "unregistered"
        case .expired: "expired"
        }
    }

    /// Nil unless it is one of the words.
    package init?(word: String) {
        guard let match = Self.allCases.first(where: { $0.word.description == word }) else { return nil }
        self = match
    }
}

/// One token and its state.
package struct TokenRecord: Sendable, Equatable {
    /// Lower-case hex digits.
    package var token: String
    package var kind: TokenKind
    /// A bundle ID, without suffix; nil: not known yet, the first accepted push tells.
    package var topic: String?
    /// Nil: not known yet, the first push that fits tells.
    package var environment: PushEnvironment?
    package var state: TokenState
    /// When `state` became true; nil for a dead token: the first push that meets it dates its death.
    package var since: WallTime?
    /// The device, when several tokens share one (see `DeviceBook.isName`); nil: a device of the token's own.
    package var device: String?
    /// How that device can be reached. Set as nil: as it was, for a new device online.
    package var connection: Connection?
    /// The token that took its place; see `DeviceFleet.replace`.
    package var replacedBy: String?
    /// Whether the app asks for frequent Live Activity updates and the user allows them (§10).
    package var hasFrequentUpdates = false

    package init(
        token: String, kind: TokenKind = .unknown, topic: String? = nil, environment: PushEnvironment? = nil,
        state: TokenState = .active, since: WallTime? = nil
    ) {
        self.token = token
        self.kind = kind
        self.topic = topic
        self.environment = environment
        self.state = state
        self.since = since
    }
}

// A token as the admin API shows and sets it.

import APNs
package import Basics
package import Pushes

/// What a token addresses: an app on a device, one Live Activity, or the start of activities.
package enum TokenKind: UInt8, CaseIterable, Sendable {
    case unknown, device, activity, start

    package var word: StaticString {
        switch self {
        case .device: "device"
        case .activity: "activity"
        case .start: "start"
        case .unknown: "unknown"
        }
    }

    /// Nil unless it is one of the words.
    package init?(word: String) {
        guard let match = Self.allCases.first(where: { $0.word.description == word }) else { return nil }
        self = match
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

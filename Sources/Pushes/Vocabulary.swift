// The small vocabularies: what a Live Activity push does, whose service it goes to, and in which of its worlds.

/// A value of `aps.event`.
package enum ActivityEvent: UInt8, PushWord {
    // 0 in a journal: none.
    case start = 1
    case update = 2
    case end = 3

    package var word: StaticString {
        switch self {
        case .start: "start"
        case .update: "update"
        case .end: "end"
        }
    }
}

/// Whose service a push was sent to.
package enum Provider: UInt8, PushWord {
    case apns = 0
    case fcm = 1

    package var word: StaticString {
        switch self {
        case .apns: "apns"
        case .fcm: "fcm"
        }
    }
}

/// One of the two worlds of APNs that tokens and environment-bound keys never cross.
package enum PushEnvironment: UInt8, PushWord {
    case production = 0
    case sandbox = 1

    package var word: StaticString {
        switch self {
        case .production: "production"
        case .sandbox: "sandbox"
        }
    }
}

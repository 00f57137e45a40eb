// What stands in the `aps` of a Live Activity push. APNs itself does not look (docs/apns.md §10): a push that a device
// cannot decode is answered 200 all the same, and `defect` says why the card will not change.

package import Pushes

/// Why a device cannot use a Live Activity push.
package enum ActivityDefect: UInt8, CaseIterable, Sendable {
    case notJSON
    case missingAPS
    case missingTimestamp
    case timestampNotANumber
    case missingEvent
    case unknownEvent
    case missingContentState
    case contentStateNotAnObject
    case missingAttributesType
    /// Or an empty one.
    case attributesTypeNotAString
    case missingAttributes
    case attributesNotAnObject
    case missingAlert
    /// The app has no such type of attributes; only where the setting names those it has.
    case unknownAttributesType
    /// Attributes and content state have more than 4 KB together.
    case dataTooLarge
    /// Decodable, but thousands of years ahead.
    case timestampInMilliseconds

    /// Kebab-case, for journals and reports.
    package var word: StaticString {
        switch self {
        case .notJSON: "not-json"
        case .missingAPS: "missing-aps"
        case .missingTimestamp: "missing-timestamp"
        case .timestampNotANumber: "timestamp-not-a-number"
        case .missingEvent: "missing-event"
        case .unknownEvent: "unknown-event"
        case .missingContentState: "missing-content-state"
        case .contentStateNotAnObject: "content-state-not-an-object"
        case .missingAttributesType: "missing-attributes-type"
        case .attributesTypeNotAString: "attributes-type-not-a-string"
        case .missingAttributes: "missing-attributes"
        case .attributesNotAnObject: "attributes-not-an-object"
        case .missingAlert: "missing-alert"
        case .unknownAttributesType: "unknown-attributes-type"
        case .dataTooLarge: "data-too-large"
        case .timestampInMilliseconds: "timestamp-in-milliseconds"
        }
    }
}

/// What `input-push-channel` says.
package enum InputChannel: Sendable, Equatable {
    case channel(ChannelID)
    /// No text, or none that is a channel's id.
    case unreadable
}

/// The keys of `aps` that ActivityKit reads.
package struct ActivityFacts: Sendable, Equatable {
    package var event: ActivityEvent?
    /// The key is given and its value is no event.
    package var hasUnknownEvent = false
    /// Unix seconds as sent.
    package var timestamp: Int64?
    package var hasContentState = false
    package var hasAttributes = false
    package var hasAttributesType = false
    package var hasAlert = false
    /// Unix seconds.
    package var dismissalDate: Int64?
    /// Unix seconds.
    package var staleDate: Int64?
    /// The channel that an activity listens to from its start; nil: none, or no start.
    package var inputChannel: InputChannel?
    /// The first defect found, in the order of `ActivityDefect`.
    package var defect: ActivityDefect?

    package init() {}

    /// Static and dynamic data of an activity, in bytes of JSON (§10).
    static let maxDataBytes = 4096

    init(defect: ActivityDefect) { self.defect = defect }
}

// The push types of APNs, one row each.

import Basics

/// A value of `apns-push-type`.
package enum PushType: UInt8, PushWord {
    case alert = 0
    case background = 1
    case voip = 2
    case complication = 3
    case fileprovider = 4
    case mdm = 5
    case location = 6
    case liveactivity = 7
    case pushtotalk = 8
    case controls = 9
    case widgets = 10

    /// The word on the wire, lower case.
    package var word: StaticString {
        switch self {
        case .alert: "alert"
        case .background: "background"
        case .voip: "voip"
        case .complication: "complication"
        case .fileprovider: "fileprovider"
        case .mdm: "mdm"
        case .location: "location"
        case .liveactivity: "liveactivity"
        case .pushtotalk: "pushtotalk"
        case .controls: "controls"
        case .widgets: "widgets"
        }
    }

    /// Nil unless the text is one of the words, in lower case.
    package init?(_ text: Span<UInt8>) {
        let count = text.count
        for type in Self.allCases {
            let word = type.word
            if word.utf8CodeUnitCount == count, text.equals(word) {
                self = type
                return
            }
        }
        return nil
    }

    /// The type of a request that declares this one: an absent or unknown type is judged as an alert, as APNs does.
    package init(declared: String?) { self = declared.flatMap { PushType(word: $0) } ?? .alert }
}

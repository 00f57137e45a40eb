// The push types of APNs, one row each.

import Glibc

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

    /// What follows the bundle ID in the topic; empty for most.
    package var topicSuffix: StaticString {
        let none: StaticString = ""
        return switch self {
        case .alert, .background, .mdm: none
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .location: ".location-query"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .controls: ".push-type.controls"
        case .widgets: ".push-type.widgets"
        }
    }

    /// Whether it says nothing but that the app's widgets, or one of its controls, are to be drawn anew (apns.md §4).
    package var isReload: Bool { self == .widgets || self == .controls }

    /// Nil unless the text is one of the words, in lower case. Asked for each push: length and first letter leave one.
    package init?(_ text: Span<UInt8>) {
        let count = text.count
        guard count > 0 else { return nil }
        switch (count, text[0]) {
        case (3, UInt8(ascii: "m")): self = .mdm
        case (4, UInt8(ascii: "v")): self = .voip
        case (5, UInt8(ascii: "a")): self = .alert
        case (7, UInt8(ascii: "w")): self = .widgets
        case (8, UInt8(ascii: "c")): self = .controls
        case (8, UInt8(ascii: "l")): self = .location
        case (10, UInt8(ascii: "b")): self = .background
        case (10, UInt8(ascii: "p")): self = .pushtotalk
        case (12, UInt8(ascii: "c")): self = .complication
        case (12, UInt8(ascii: "f")): self = .fileprovider
        case (12, UInt8(ascii: "l")): self = .liveactivity
        default: return nil
        }
        let word = word
        guard text.withUnsafeBytes({ memcmp($0.baseAddress!, word.utf8Start, count) == 0 }) else { return nil }
    }

    /// The type of a request that declares this one: an absent or unknown type is judged as an alert, as APNs does.
    package init(declared: String?) { self = declared.flatMap { PushType(word: $0) } ?? .alert }
}

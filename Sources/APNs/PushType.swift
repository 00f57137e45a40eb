// The push types of spec/apns.md §4: one row each, with the topic suffix and the size limit that go with it.

import Basics

/// A value of `apns-push-type`.
package enum PushType: UInt8, CaseIterable, Sendable {
    case alert, background, voip, complication, fileprovider, mdm, location, liveactivity, pushtotalk, controls, widgets

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
        switch self {
        case .alert, .background, .mdm: ""
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

    /// The largest body, in bytes; exactly that many are allowed (spec §5).
    package var maxPayloadBytes: Int { self == .voip ? 5120 : 4096 }

    /// Nil unless the text is one of the words, in lower case.
    package init?(_ text: Span<UInt8>) {
        for type in Self.allCases where text.equals(type.word) {
            self = type
            return
        }
        return nil
    }

    package init?(word: String) {
        guard let type = withBytes(of: word, { PushType($0) }) else { return nil }
        self = type
    }
}

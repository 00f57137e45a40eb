// What goes with a push type: the topic's suffix and the size limit (spec/apns.md §4, §5).

package import Pushes

extension PushType {
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

    /// The system itself acts on members of `aps`. Of the other types the app is woken, or a server of the device's (§4, §5:
    /// MDM pushes have none).
    var isForSystem: Bool {
        switch self {
        case .alert, .background, .liveactivity, .controls, .widgets: true
        case .voip, .mdm, .fileprovider, .location, .complication, .pushtotalk: false
        }
    }

    /// The largest body, in bytes; exactly that many are allowed.
    package var maxPayloadBytes: Int { self == .voip ? 5120 : 4096 }
}

// What goes with a push type: who acts on it, and the size limit (docs/apns.md §4, §5).

package import Pushes

extension PushType {
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

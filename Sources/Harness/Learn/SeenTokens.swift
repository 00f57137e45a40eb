// Which texts of a relay's callers are tokens, and of what kind: those that pushes went to, and those that look like them.

import Basics
import Journal
import Pushes

struct SeenTokens {
    /// What a token is for, by the variable that stands for it.
    enum Role: String, CaseIterable {
        case device = "deviceToken"
        case start = "startToken"
        case activity = "activityToken"
        case registration = "registrationToken"
        case widget = "widgetToken"
        case control = "controlToken"

        /// The variables of one user's tokens of that role, the first one first.
        var variables: [String] {
            switch self {
            case .device: ["deviceToken", "deviceToken2"]
            case .start: ["startToken", "newStartToken", "startToken2"]
            case .activity: ["activityToken", "rotatedToken", "activityToken2"]
            case .registration: ["registrationToken", "newRegistrationToken"]
            case .widget: ["widgetToken", "newWidgetToken", "widgetToken2"]
            case .control: ["controlToken", "otherControlToken"]
            }
        }
    }

    struct Found: Hashable {
        var role: Role
        /// The token as a provider has it.
        var token: String
        /// How it is written here, as a filter of a template; nil: as it is.
        var filter: String?
    }

    private var roles: [String: Role] = [:]
    /// APNs names a phone's token by 32 bytes or more.
    private static let shortest = 64

    init(_ pushes: [PushEntry]) {
        for push in pushes {
            let isMessage = push.provider == .fcm
            let role: Role =
                switch push.pushType.flatMap({ PushType(word: $0) }) {
                case _ where isMessage: .registration
                case .liveactivity: push.event == .start ? .start : .activity
                case .widgets: .widget
                case .controls: .control
                default: .device
                }
            let token = isMessage ? push.token : push.token.lowercased()
            // A token that began a card is one that starts cards, whatever else came by it.
            if roles[token] == nil || role == .start { roles[token] = role }
        }
    }

    /// Nil: it is none. Of what no push went to a header tells nothing: a key looks the same.
    func find(_ text: String, at place: ObservedCall.Place) -> Found? {
        if let role = roles[text] { return Found(role: role, token: text) }
        let lower = text.lowercased()
        if let role = roles[lower] { return Found(role: role, token: lower, filter: text == text.uppercased() ? "upper" : nil) }
        if let bytes = Base64.decode(text), case let hex = Hex.encode(bytes.span), let role = roles[hex] {
            return Found(role: role, token: hex, filter: "base64")
        }
        if case .header = place { return nil }
        return guess(text, place.key).map { Found(role: $0, token: lower) }
    }

    /// Of one that no push went to.
    private func guess(_ text: String, _ key: String) -> Role? {
        let count = text.utf8.count
        let isHex = count >= Self.shortest && count % 2 == 0 && text.utf8.allSatisfy { Hex.value($0) != nil }
        if !isHex { return text.utf8.count > 100 && text.contains(":APA91") ? .registration : nil }
        if key.contains(ActivityEvent.start.word.description) { return .start }
        let words = ["activity", ActivityEvent.update.word.description, "live_", "card"]
        if words.contains(where: key.contains) { return .activity }
        return text.utf8.count == Self.shortest ? .device : .activity
    }
}

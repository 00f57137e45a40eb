// The chapters of the table of claims, and the relays that a claim speaks to.

extension Claim {
    /// A group of claims with one source. The raw value begins the ids of its claims.
    package enum Chapter: String, CaseIterable, Hashable, Sendable {
        case openCode = "R0"
        case busymate = "R1"
        case openCodeIOS = "R2"
        case sendora = "R3"
        case epilogue = "R4"
        case shared = "G"
        case apns = "P"
        case fcm = "F"

        /// The chapter of an id of the table; any other id is a mistake in the table.
        init(of id: String) {
            let name = id.first == "R" ? String(id.prefix { $0 != "." }) : String(id.prefix(1))
            guard let chapter = Chapter(rawValue: name) else { preconditionFailure("no chapter has a claim \(id)") }
            self = chapter
        }

        /// Whose claims these are.
        package var title: String {
            switch self {
            case .openCode: "OpenCode's alert and Live Activity relay"
            case .busymate: "Busymate's Live Activity message, on Supabase"
            case .openCodeIOS: "opencode-ios's Live Activity plan"
            case .sendora: "Sendora Cloud's Live Activities and Live Updates"
            case .epilogue: "Epilogue's restart of long activities"
            case .shared: "lessons that hold for every relay"
            case .apns: "what APNs asks of providers"
            case .fcm: "what FCM asks of providers"
            }
        }

        /// Whom a claim of the chapter speaks to where its row says nothing else.
        var system: System {
            switch self {
            case .openCode: .openCode
            case .busymate: .busymate
            case .openCodeIOS: .openCodeIOS
            case .sendora: .sendora
            case .epilogue: .epilogue
            case .shared: .everyRelay
            case .apns: .apns
            case .fcm: .fcm
            }
        }

        package var claims: [Claim] {
            switch self {
            case .openCode: Claim.openCode
            case .busymate: Claim.busymate
            case .openCodeIOS: Claim.openCodeIOS
            case .sendora: Claim.sendora
            case .epilogue: Claim.epilogue
            case .shared: Claim.shared
            case .apns: Claim.apns
            case .fcm: Claim.fcm
            }
        }
    }

    /// Which relays a claim speaks to. The raw value is for people.
    package enum System: String, CaseIterable, Hashable, Sendable {
        case openCode = "OpenCode's relay"
        case busymate = "Busymate"
        case openCodeIOS = "opencode-ios"
        case sendora = "Sendora Cloud"
        case epilogue = "Epilogue"
        case everyRelay = "every relay"
        case liveActivities = "relays that push Live Activities"
        case apns = "relays that push through APNs"
        case certificates = "relays that show APNs a certificate"
        case broadcasts = "relays that broadcast on APNs channels"
        case fcm = "relays that push through FCM"
        case callers = "relays whose callers keep the tokens"
        case fcmLiveUpdates = "relays that push Live Updates through FCM"
        case fcmLiveActivities = "relays that push Live Activities through FCM"
        case rig = "PushRig itself"
    }
}

// The paths of the admin API and what may be done at each. docs/openapi.yaml describes the same list; a test holds
// the two together.

import Devices

enum AdminRoute: Hashable, Sendable {
    case dashboard, metrics, health, info, faults, pushes, events, activities, channels, clock, participants, keys, reset
    case phones, phoneEvents
    /// The clock of the journal, for those who meet at a barrier.
    case journalClock
    case barrier(run: String, count: String)
    case key(id: String)
    case phone(id: String)
    /// Of the clock.
    case participant(id: String)
    case fault(id: String)
    case token(String)
    /// Of FCM.
    case registration(String)
    case activity(token: String)
    case subscription(token: String)
    case app(bundle: String)

    /// Nil: there is no such path.
    init?(_ segments: [String]) {
        switch segments.count {
        case 0: self = .dashboard
        case 1 where segments[0] == "metrics": self = .metrics
        case 2 where segments[0] == "v1":
            switch segments[1] {
            case "health": self = .health
            case "info": self = .info
            case "faults": self = .faults
            case "pushes": self = .pushes
            case "events": self = .events
            case "activities": self = .activities
            case "channels": self = .channels
            case "keys": self = .keys
            case "clock": self = .clock
            case "reset": self = .reset
            case "barrier": self = .journalClock
            case "phones": self = .phones
            default: return nil
            }
        case 3 where segments[0] == "v1":
            switch segments[1] {
            case "faults": self = .fault(id: segments[2])
            case "keys": self = .key(id: segments[2])
            case "tokens": self = .token(segments[2])
            case "registrations": self = .registration(segments[2])
            case "activities": self = .activity(token: segments[2])
            case "apps": self = .app(bundle: segments[2])
            case "phones": self = segments[2] == PhoneFleet.reservedName ? .phoneEvents : .phone(id: segments[2])
            case "clock" where segments[2] == "participants": self = .participants
            default: return nil
            }
        case 4 where segments[0] == "v1" && segments[1] == "clock" && segments[2] == "participants":
            self = .participant(id: segments[3])
        case 4 where segments[0] == "v1" && segments[1] == "barrier": self = .barrier(run: segments[2], count: segments[3])
        case 4 where segments[0] == "v1" && segments[1] == "tokens" && segments[3] == "channel":
            self = .subscription(token: segments[2])
        default: return nil
        }
    }

    /// HEAD goes wherever GET goes.
    var methods: [String] {
        switch self {
        case .dashboard, .metrics, .health, .info, .pushes, .events, .activities, .activity, .channels, .phones, .phoneEvents,
            .journalClock:
            ["GET", "HEAD"]
        case .faults: ["GET", "HEAD", "POST", "DELETE"]
        case .keys: ["GET", "HEAD", "POST"]
        case .key: ["DELETE"]
        case .fault: ["GET", "HEAD", "DELETE"]
        case .token, .phone, .registration: ["GET", "HEAD", "PUT", "PATCH", "DELETE"]
        case .subscription: ["GET", "HEAD", "PUT", "DELETE"]
        case .app: ["GET", "HEAD", "PUT"]
        case .clock: ["GET", "HEAD", "PUT"]
        case .reset, .participants, .barrier: ["POST"]
        case .participant: ["POST", "DELETE"]
        }
    }

    /// Whether it is answered without the bearer token that is demanded off loopback: these tell nothing.
    var isOpen: Bool { self == .dashboard || self == .health }
}

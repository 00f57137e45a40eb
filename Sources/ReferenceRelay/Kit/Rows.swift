// The rows that outlive the process, as values: what the core asks the storage to write, and what it finds at a
// start.

import Basics
import Pushes

struct DeviceRow: Equatable {
    var id: Int64
    var secret: SecretHash
    var token: String
    var bundleID: String
    var environment: PushEnvironment
    var claimedEnvironment: PushEnvironment
    var startToken: String?
    var createdAt: WallTime
    var updatedAt: WallTime

    init(_ device: Device) {
        id = device.id
        secret = device.account.secret
        token = device.token
        bundleID = device.bundleID
        environment = device.environment
        claimedEnvironment = device.claimedEnvironment
        startToken = device.startToken
        createdAt = device.createdAt
        updatedAt = device.registeredAt
    }

    init(
        id: Int64, secret: SecretHash, token: String, bundleID: String, environment: PushEnvironment,
        claimedEnvironment: PushEnvironment, startToken: String?, createdAt: WallTime, updatedAt: WallTime
    ) {
        self.id = id
        self.secret = secret
        self.token = token
        self.bundleID = bundleID
        self.environment = environment
        self.claimedEnvironment = claimedEnvironment
        self.startToken = startToken
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

struct ActivityRow: Equatable {
    var id: Int64
    var secret: SecretHash
    var sessionID: String
    var token: String
    var bundleID: String
    var environment: PushEnvironment
    var createdAt: WallTime
    var updatedAt: WallTime

    init(_ lane: Lane) {
        id = lane.id
        secret = lane.account.secret
        sessionID = lane.session.id
        token = lane.token
        bundleID = lane.bundleID
        environment = lane.environment
        createdAt = lane.createdAt
        updatedAt = lane.registeredAt
    }

    init(
        id: Int64, secret: SecretHash, sessionID: String, token: String, bundleID: String, environment: PushEnvironment,
        createdAt: WallTime, updatedAt: WallTime
    ) {
        self.id = id
        self.secret = secret
        self.sessionID = sessionID
        self.token = token
        self.bundleID = bundleID
        self.environment = environment
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// A start push that no token has answered yet: without it a restarted relay would start the activity twice (R0.15).
struct StartRow: Equatable {
    var secret: SecretHash
    var sessionID: String
    var deviceID: Int64
    var token: String
    var createdAt: WallTime
    /// Of the starts for one activity's place, the first included.
    var number = 1
    /// How many of those did not come to nothing (`Replacement.out`).
    var out = 1
}

/// An activity that another has replaced: its token does not come back, however late it is registered (R4.21), or its
/// unregister message is still to come (R0.20).
struct ReplacedRow: Equatable {
    var secret: SecretHash
    var sessionID: String
    var token: String
}

/// An activity whose token died, and that no other token has followed (`DeadCard`).
struct DeadRow: Equatable {
    var secret: SecretHash
    var sessionID: String
    var token: String
    var bornAt: WallTime?
}

struct DeliveryRow: Equatable {
    var secret: SecretHash
    var eventType: String
    var sessionID: String
    var isSent: Bool
    var error: String?
    var createdAt: WallTime
}

/// A state that a drained process accepted and had not delivered: throttled, held for an activity's token, or on its
/// way; or the one that later events build on. At most one of a session, for a newer one contains it.
struct HeldRow: Equatable {
    var secret: SecretHash
    var sessionID: String
    var eventType: EventType
    /// JSON text of what it shows (`StateContent.stored`).
    var content: String
    /// False: it is only what later events build on.
    var isOwed: Bool

    init(_ session: Session, _ state: SessionState) {
        self.init(
            secret: session.account.secret, sessionID: session.id, eventType: state.eventType,
            content: state.content.stored.text)
    }

    init(secret: SecretHash, sessionID: String, eventType: EventType, content: String, isOwed: Bool = true) {
        self.secret = secret
        self.sessionID = sessionID
        self.eventType = eventType
        self.content = content
        self.isOwed = isOwed
    }
}

/// An alert or a start that waits to be sent again.
struct WaitingRow: Equatable {
    var apnsID: String
    var secret: SecretHash
    var deviceID: Int64
    var sessionID: String
    var eventType: EventType
    var isStart: Bool
    /// JSON text.
    var payload: String
}

extension WaitingRow {
    /// Nil: what it tells is a state, and those have rows of their own; or it is to replace an activity.
    init?(_ push: Push) {
        let payload = String(decoding: push.payload, as: UTF8.self)
        switch push.target {
        case .alert(let device, let session):
            self.init(
                apnsID: push.apnsID, secret: device.account.secret, deviceID: device.id, sessionID: session,
                eventType: push.eventType, isStart: false, payload: payload)
        case .start(let session, let attempt, let device):
            guard attempt.replaces == nil else { return nil }
            self.init(
                apnsID: push.apnsID, secret: device.account.secret, deviceID: device.id, sessionID: session.id,
                eventType: push.eventType, isStart: true, payload: payload)
        case .activity, .stray: return nil
        }
    }
}

enum RowChange: Equatable {
    case saveDevice(DeviceRow)
    case deleteDevice(Int64)
    case saveActivity(ActivityRow)
    case deleteActivity(Int64)
    case saveStart(StartRow)
    /// Of one phone, or of all.
    case deleteStarts(SecretHash, sessionID: String, deviceID: Int64?)
    case saveReplaced(ReplacedRow)
    /// All of a session.
    case deleteReplaced(SecretHash, sessionID: String)
    case saveDead(DeadRow)
    case deleteDead(SecretHash, sessionID: String, token: String)
    case saveHeld(HeldRow)
    case deleteHeld(SecretHash, sessionID: String)
    case saveWaiting(WaitingRow)
    case deleteWaiting(String)
    case log(DeliveryRow)
}

/// All rows at a start, in the order of their ids; the dead in that of their deaths.
struct StoredRows: Equatable {
    var devices: [DeviceRow] = []
    var activities: [ActivityRow] = []
    var starts: [StartRow] = []
    var replaced: [ReplacedRow] = []
    var dead: [DeadRow] = []
    var held: [HeldRow] = []
    var waiting: [WaitingRow] = []
}

// One session of one secret: what its activity shows, on which phones, and what is owed to it.
//
//     fresh ── first event or registration ──▶ active ── complete, error, 8 h ──▶ ended ── a new turn ──▶ active …

import Basics
import Pushes

/// When the next progress push may leave. Its own object so that the defect `shares-throttle` can share one.
final class ThrottleWindow {
    var opensAt = Instant.longAgo
}

final class Session {
    enum Phase { case fresh, active, ended }

    let account: Account
    let id: String
    let window: ThrottleWindow
    var phase = Phase.fresh
    /// Counts turns, so that a timer of an older turn does nothing.
    var turn = 0

    /// The newest state, whether pushed, throttled or held; nil before the first of a turn.
    var latest: SessionState?
    var lastSequence: UInt64 = 0
    /// The highest `aps.timestamp` used so far; stamps only grow (P16).
    var lastStamp: Int64 = 0
    /// Events whose alerts are on their way, in order, the oldest first: their states come after the alerts (R0.2).
    var followups: [Followup] = []
    /// A throttled state waits for the window (R0.8).
    var hasTrailing = false
    /// Defect `question-kills-timer`: when the window would have opened whose timer a question has stopped.
    var killedWindow: Instant?
    /// Defect `loses-coalesced-values`: the state before the first of those that wait.
    var beforeTrailing: SessionState?
    /// Defect `counts-on-in-next-turn`: what the turn before showed last.
    var formerTurn: SessionState?
    /// It is looked at by the next checkpoint; and which state has a row (`saveOwed`).
    var isWatched = false
    var savedSequence: UInt64?
    /// A timer for the window is in the heap.
    var isWindowArmed = false

    /// The activities that follow this turn. Those of an ended turn have left this list and send their last push.
    var lanes: [Lane] = []
    /// Activities of an ended turn whose last push is not through.
    var finishing: [Lane] = []
    /// A token was registered in this turn; from then on its absence means that the card is gone, not that it must
    /// be started.
    var hadLane = false
    /// Activities of this turn whose tokens died and that no other token has followed.
    var deadCards: [DeadCard] = []
    /// The phone unregistered the activity during this turn (R0.19).
    var isSilenced = false
    /// Start pushes of this turn, one per phone at most (R0.15).
    var starts: [StartAttempt] = []
    /// How many of them no token has answered yet.
    var unadoptedStarts = 0
    /// Starts of turns that are over, when each left, whose cards no token has answered: each is owed its end (R4.6).
    var lateCards: [WallTime] = []

    /// The last `complete`, to tell a repeated one (R0.28).
    var completedAt: Instant?
    var endedAt = Instant.longAgo
    /// Tokens of the last ended turn, for as long as a late message about them may come.
    var endedTokens: [String] = []
    /// Tokens of activities that another has replaced in this turn (R4.21).
    var replacedTokens: [String] = []
    /// Older activities whose unregister messages are still to come, and when the newer one took their place (R0.20).
    var owedUnregisters: [String] = []
    /// There are rows of them (`keepOwed`).
    var isOwedOnDisk = false
    var supersededAt = Instant.longAgo

    init(account: Account, id: String, window: ThrottleWindow) {
        self.account = account
        self.id = id
        self.window = window
    }

    func nextSequence() -> UInt64 {
        lastSequence += 1
        return lastSequence
    }

    /// The state's `aps.timestamp`: the second of its first push, or the one after the last used where two states
    /// fall into one second. Equal stamps would leave it open which of the two the phone keeps (R3.10 calls them a
    /// trap), and a phone takes a stamp that is some seconds ahead: only hours are too much.
    func stamp(_ state: SessionState, now: WallTime) -> Int64 {
        if let stamp = state.stamp { return stamp }
        let stamp = max(now.seconds, lastStamp + 1)
        state.stamp = stamp
        lastStamp = stamp
        return stamp
    }
}

/// An activity whose token died. The card may well be there still, and the next token its own.
struct DeadCard {
    /// The sequence of the last state that it showed.
    var shown: UInt64
    /// When it began. Nil where APNs says that the activity itself is over.
    var bornAt: WallTime?
    var token: String
    /// As of the lane that had the token.
    var rivals: [WallTime] = []
    var replacement: Replacement?
    /// When the starts left whose cards are to take its place, or may turn up beside it.
    var cardsToCome: [WallTime] { rivals + (replacement?.out ?? []) }

    /// When the activity of the next token began: where a successor has been started it is that, unless the dead one is
    /// told again.
    func birth(of next: String) -> WallTime? { next == token ? bornAt : replacement?.out.last ?? bornAt }
}

/// For timers that may outlive what they are about by hours.
struct SessionReference {
    weak var session: Session?
}

struct LaneReference {
    weak var lane: Lane?
}

/// One push-to-start of one turn to one phone.
final class StartAttempt {
    let deviceID: Int64
    let token: String
    let turn: Int
    /// The sequence of the state that the start shows.
    var sequence: UInt64
    /// When it left: the birth of the activity that it starts.
    let leftAt: WallTime
    /// The activity whose place the started one is to take; nil: it is the first of its turn.
    var replaces: Lane?
    /// An attempt was left without an answer: its card may be there, whatever becomes of the next one.
    var isInDoubt = false

    init(deviceID: Int64, token: String, turn: Int, sequence: UInt64, leftAt: WallTime) {
        self.deviceID = deviceID
        self.leftAt = leftAt
        self.token = token
        self.turn = turn
        self.sequence = sequence
    }
}

/// One activity on one phone, a row of `activity_registration`: a lane with at most one push under way, so that
/// states arrive in order and a newer one takes the place of one that waits.
final class Lane {
    /// The phone, where the registration named it.
    var deviceToken: String?
    /// The row; a rotated token is a new row of the same lane.
    var id: Int64
    let account: Account
    let session: Session
    var token: String
    var bundleID: String
    var environment: PushEnvironment
    /// When it began, as far as we know: its start push, or else its registration.
    let createdAt: WallTime
    /// Another is to take its place.
    var replacement: Replacement?
    /// When other starts for the activity whose place it took left that were accepted as well, the oldest first: their cards
    /// may still turn up.
    var rivals: [WallTime] = []
    /// When the starts left whose cards are to take its place, or may turn up beside it.
    var cardsToCome: [WallTime] { rivals + (replacement?.out ?? []) }
    var registeredAt: WallTime
    var revision = 0
    /// False once the row is gone: nothing leaves any more.
    var isRegistered = true
    /// A registration for FCM has a colon, a token of APNs is hex.
    var provider: Provider { token.contains(":") ? .fcm : .apns }

    /// A push was handed to the shell and is not answered.
    var isInFlight = false
    /// The push that waits for its next attempt, and when that is.
    var waiting: Push?
    var retryAt: Instant?
    /// States that leave one by one behind the one under way (`tellsEachState`).
    var queue: [SessionState] = []
    /// A newer state than the one under way wants to leave.
    var isStale = false
    /// Attempts in a row that failed for reasons that pass.
    var failures = 0
    /// The sequence of the newest state handed to APNs, and of the newest that it took.
    var sentSequence: UInt64 = 0
    var shownSequence: UInt64 = 0
    /// A state came to nothing, as the token was dead; the row is still there. The next token gets the newest.
    var isBehind = false
    /// Defect `swaps-order`: a state that its successor will overtake, and how many states there were.
    var heldBack: SessionState?
    var progressCount = 0
    /// The state of this lane that is spoilt on purpose; and whether a push of the lane has failed.
    var plant: Plant?
    var hasTrouble = false
    /// The end of the turn: the last this lane sends.
    var finalState: SessionState?

    init(
        id: Int64, session: Session, token: String, bundleID: String, environment: PushEnvironment,
        createdAt: WallTime, registeredAt: WallTime
    ) {
        self.id = id
        account = session.account
        self.session = session
        self.token = token
        self.bundleID = bundleID
        self.environment = environment
        self.createdAt = createdAt
        self.registeredAt = registeredAt
    }
}

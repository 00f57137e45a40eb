// A profile: how to speak to one relay, and what it promises to send on for each call.

package import Basics
package import Pushes

/// One relay, declared.
package struct Profile: Sendable {
    package enum HTTPVersion: Int, Hashable, Sendable {
        case http1 = 1
        case http2 = 2
    }

    /// In which order one session's events reach the relay.
    package enum Order: String, CaseIterable, Hashable, Sendable {
        /// The next event leaves when the earlier one was answered, failed or timed out. To wait for that is the
        /// relay's, not ours.
        case answered
        /// Without waiting, but all on one HTTP/2 connection, whose frames leave in order.
        case stream
        /// Without waiting, on any connection: nothing is judged by order.
        case parallel
    }

    /// Who keeps the tokens of phones and activities.
    package enum TokenOwner: String, CaseIterable, Hashable, Sendable {
        /// Calls register them, and events name a session.
        case relay
        /// Each call names those that it pushes to; the relay says in its answer which of them are dead.
        case caller
    }

    /// Which hosts of APNs the relay can push to.
    package enum Environments: String, CaseIterable, Hashable, Sendable {
        /// One fixed host: what is asked of relays that know two is not asked of it.
        case one
        /// Production and sandbox.
        case both
    }

    /// How the relay proves to APNs who it is.
    package enum Credential: String, CaseIterable, Hashable, Sendable {
        /// A provider token that it signs.
        case token
        /// A client certificate: what is asked of tokens is not asked of it.
        case certificate
    }

    package var name: String
    /// Bundle identifier the relay pushes to.
    package var topic: String
    package var httpVersion: HTTPVersion
    package var order: Order
    package var tokens = TokenOwner.relay
    package var environments = Environments.both
    package var credential = Credential.token
    package static let longestTimeout = Interval.seconds(600)
    /// So long the relay waits for an answer of APNs before it gives it up; nil: it says nothing.
    package var timeout: Interval?
    /// In the order of the file.
    package var calls: [ProfileCall]
    /// The throttle the relay declares; nil: every push is sent on by itself.
    package var coalescing: CoalescingSpec?
    /// What it passes over because it was said before; nil: nothing.
    package var dedupe: DedupeSpec?
    /// How many pushes it sends at most; nil: as many as are owed.
    package var cap: CapTerms?
    package var activities = ActivitiesSpec()
    /// How long a push may rest behind a 429 or 5xx of APNs beyond its deadline; nil: the relay says nothing, so as long as
    /// Apple's own words let it.
    package var rest: Interval?
    /// After the last answer, how long the relay may still be sending.
    package var settle: Interval
    /// Ids or claims of rules that this relay is known to break.
    package var knownFailing: [String] = []
    /// What is lawful in it and hardly meant, with its place.
    package var doubts: [Failure] = []
    /// What it is asked by `pushrig check` beside what all relays are asked.
    package var cases: [ProfileCase] = []
    /// Who listens to what it broadcasts.
    package var observers: [ObserverSpec] = []
    /// What it calls back; nil: nothing.
    package var webhooks: WebhookSpec?
    /// How its tables are asked; nil: they are not.
    package var state: StateSpec?
    /// What the content of its pushes must be.
    package var content = ContentSpec()
    /// Names of what its calls capture: `TemplateVariable.captured(i)` is `captures[i]`. At most `Capture.mostNames`.
    package var captures: [String] = []
    /// Those that stand in an `auth` or a header and in no body: they are credentials, and the journal does not have them.
    package var secretCaptures: CapturedNames = []

    /// Columns of feeders that its templates name: `TemplateVariable.fed(i)` is `feeds[i]`. A scenario whose sessions make such
    /// a call needs a feeder with that column.
    package var feeds: [String] = []
    /// How a caller tries again where an answer says so.
    package var retries = RetrySpec()

    package init(
        name: String, topic: String, httpVersion: HTTPVersion = .http1, order: Order = .answered, calls: [ProfileCall],
        coalescing: CoalescingSpec? = nil, settle: Interval = .seconds(2)
    ) {
        self.name = name
        self.topic = topic
        self.httpVersion = httpVersion
        self.order = order
        self.calls = calls
        self.coalescing = coalescing
        self.settle = settle
    }

    package func call(named name: String) -> Int? { calls.firstIndex { $0.name == name } }
}

/// At most one push per `window` and activity for the coalescable pushes; the newest state wins (trailing edge).
package struct CoalescingSpec: Hashable, Sendable {
    package var window: Interval

    package init(window: Interval) { self.window = window }
}

/// A state that says again what its card was told last need not be pushed.
package struct DedupeSpec: Hashable, Sendable {
    /// Where in a call's body the relay looks.
    package var by: [JSONPointerPath]
    /// From the push that told it, until it counts as new again; nil: it never does.
    package var window: Interval?
}

/// One request that can be made to the relay.
package struct ProfileCall: Sendable {
    package var name: String
    package var method: String
    /// Path and query.
    package var path: Template
    /// Names in lower case; `content-type` is among them when there is a body.
    package var fields: [(name: String, value: Template)]
    package var body: Template?
    /// What the body says as JSON, for rules that compare it with a push; nil: `body` is that itself, or says nothing so.
    package var saying: Template?
    /// Of a multipart body.
    package var multipart: MultipartSpec?
    package var auth: AuthSpec?
    /// Several events in one request; nil: each has its own.
    package var batch: BatchSpec?
    /// Any other status is a failed event.
    package var expectedStatus: Set<Int>
    /// What answers mean beyond that.
    package var answers: [AnswerRule] = []
    package var pushes: [ExpectedPush]
    /// What they look like, where that is said.
    package var declared: [PushForm: DeclaredPush] = [:]
    /// What it owes to those who listen.
    package var tells: [ExpectedTelling] = []
    /// The last state of a session: what its live activity must show in the end.
    package var isFinal: Bool
    /// It speaks of an activity that another one has replaced, so it must change nothing.
    package var isStale = false
    /// It speaks for a user whom nobody has registered, so it must reach nobody.
    package var isUnknown = false
    /// Made before anything else, and once is enough: without it the relay pushes nothing.
    package var prepares = false
    /// False: it needs a history that no case makes by itself, such as that nothing of its kind was said before.
    package var isForCases = true
    /// It is a malformed form of another call; nil: it is in order.
    package var malformed: Malformation?
    /// It holds an id that is longer than a relay has room for, so it is to be refused, and must not make the relay fail.
    package var isOversized = false
    /// What is taken from an answer of expected status.
    package var captures: [Capture] = []
    /// Those of them that the answer must not hold, for its caller may not see them.
    package var lacks: CapturedNames = []
    /// What comes through unchanged in the pushes for this call; nil: what the profile says for all.
    package var passes: [PassRule]?
    /// What the card shows from this call on, whatever its body says: by place in `ContentSpec.carried`.
    package var sets: [Int: JSONValue] = [:]
    /// Tokens the relay knows after this call, and no longer knows.
    package var registers: [SessionVariable]
    package var unregisters: [SessionVariable]
    /// The one, from 0, that it names otherwise than by a token, as by an id of the relay's.
    package var phone: Int?
    /// Names of the call's own variables: `TemplateVariable.own(i)` is `variables[i]`, as is `ScriptStep.values[i]`.
    package var variables: [String]
    /// What the variables are when a step says nothing else; same order.
    package var defaults: [StepValue]

    /// What is wrong with a form of a call.
    package struct Malformation: Hashable, Sendable {
        /// The call, by its place.
        package var of: Int
        /// It leaves out what the call says, or says nothing there. Else it says something that the call cannot mean.
        package var isOmission: Bool
    }

    package init(
        name: String, method: String, path: Template, fields: [(name: String, value: Template)] = [],
        body: Template? = nil, expectedStatus: Set<Int> = [200], pushes: [ExpectedPush] = [], isFinal: Bool = false,
        registers: [SessionVariable] = [], unregisters: [SessionVariable] = [], variables: [String] = [],
        defaults: [StepValue] = []
    ) {
        self.name = name
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
        self.expectedStatus = expectedStatus
        self.pushes = pushes
        self.isFinal = isFinal
        self.registers = registers
        self.unregisters = unregisters
        self.variables = variables
        self.defaults = defaults
    }
}

extension ProfileCall {
    /// Tokens that its pushes go to.
    package var targets: Set<SessionVariable> { Set(pushes.map(\.token)) }

    /// The relay knows them by this call.
    mutating func nameTargets() {
        for token in pushes.map(\.token) where !registers.contains(token) { registers.append(token) }
    }
}

/// A push the relay owes for a call. It is owed when `token` is registered at that moment (or `held`) and `unless`,
/// if there is one, is not.
package struct ExpectedPush: Hashable, Sendable {
    package enum Told: Hashable, Sendable {
        /// By the call's marker, in a text that the relay passes on.
        case marker
        /// By its token alone: it is of the last such call that was sent.
        case token
        /// By its declared `apns-collapse-id`.
        case collapseID
        /// By its `aps.timestamp`, which is the time that the call says.
        case timestamp
        /// By its type, which says no more than that something changed: one shows all that was said before it.
        case reload
    }

    package var provider = Provider.apns
    /// `apns-push-type` as on the wire; of FCM `liveactivity` where the message is a Live Update's, else `alert`.
    package var channel: PushType
    /// Of the kind that the channel goes to.
    package var token: SessionVariable
    package var unless: SessionVariable?
    /// `aps.event` of a live activity: start, update or end.
    package var event: ActivityEvent?
    /// A newer state of the same activity may arrive in its place.
    package var coalesce: Bool
    /// Without a registered `token` the relay keeps the newest state and sends it when the token registers;
    /// the deadline then counts from that registration.
    package var held: Bool
    /// It asks the user for something: to be sent at priority 10.
    package var isUrgent = false
    /// By what it is known of which call it is.
    package var told = Told.marker
    /// It need not come where it says again what was told last.
    package var dedupes = false
    /// It is sent before the call's other pushes.
    package var isFirst = false
    /// It goes to all who listen to the session's channel, and to no token.
    package var isBroadcast: Bool { token == .broadcastChannel }
    /// No other session's broadcasts go to that channel.
    package var hasOwnChannel = false
    /// Later than this after the planned instant is *late*.
    package var deadline: Interval

    package init(
        channel: PushType, token: SessionVariable, unless: SessionVariable? = nil, event: ActivityEvent? = nil,
        coalesce: Bool = false, held: Bool = false, deadline: Interval
    ) {
        self.channel = channel
        self.token = token
        self.unless = unless
        self.event = event
        self.coalesce = coalesce
        self.held = held
        self.deadline = deadline
    }

    package var isMarked: Bool { told == .marker }
}

// What the calls of a profile are for. A case is told in these words, so that it fits any relay whose profile has them.

package import Pushes
package import Scenarios

/// The call of a profile for each purpose: the first of the file that fits.
package struct CallRoles: Sendable {
    /// Registers a phone, with a push-to-start token where the relay takes one.
    package var device: ProfileCall?
    /// Each registers the phone again, without its push-to-start token.
    package var relaunches: [ProfileCall]
    /// Registers an app with FCM, and nothing else.
    package var registration: ProfileCall?
    /// Registers an app with FCM, whatever else it says.
    package var app: ProfileCall?
    /// Registers what took the place of an app's registration.
    package var newRegistration: ProfileCall?
    /// Takes an app's registration back, and owes nothing.
    package var unregisterApp: ProfileCall?
    /// Begins a session of an app's: owes a start by FCM, or one by APNs where none does.
    package var messageStart: ProfileCall?
    /// Owes a message of FCM, in the middle of a session.
    package var message: ProfileCall?
    /// The same at its end.
    package var messageEnd: ProfileCall?
    package var unregisterDevice: ProfileCall?
    package var secondDevice: ProfileCall?
    /// Registers an activity's token.
    package var activity: ProfileCall?
    package var secondActivity: ProfileCall?
    /// Registers what took the place of an activity's token.
    package var rotation: ProfileCall?
    /// Registers what took the place of the widgets' token.
    package var widgetRenewal: ProfileCall?
    /// Registers what took the place of a phone's start token.
    package var renewal: ProfileCall?
    /// Takes an activity's token back, and owes nothing.
    package var goodbye: ProfileCall?
    /// The same, of an activity that another one has replaced.
    package var lateGoodbye: ProfileCall?
    /// Begins a session: owes a start, and no alert.
    package var start: ProfileCall?
    /// All that owe a start, that one first.
    package var starts: [ProfileCall]
    /// A state that may be coalesced.
    package var progress: ProfileCall?
    /// A state that may not.
    package var state: ProfileCall?
    /// Owes an alert, or where none does a reload of what the app shows elsewhere, and does not end the session.
    package var alert: ProfileCall?
    /// Of which type that push is.
    package var alertType: PushType
    /// Owes a reload of widgets.
    package var reload: ProfileCall?
    /// Each may come in the middle of a session, and owes a push.
    package var events: [ProfileCall]
    /// Each says the last state of a session.
    package var finals: [ProfileCall]
    /// For a user whom nobody has registered.
    package var stranger: ProfileCall?
    /// To be refused.
    package var refused: [ProfileCall]
    /// To be refused for their length.
    package var oversized: [ProfileCall]
    /// To be refused for their credentials.
    package var forged: [ProfileCall]
    /// Some call names the session that it is of: else all that a user's sessions say is of one.
    package var namesSessions: Bool
    /// The relay keeps tokens; else each call names those that it pushes to.
    package var keepsTokens: Bool
    /// Some answer of a call that owes a push can say that its token is dead.
    package var tellsDeaths: Bool
    /// Events of a session that no start has begun are to be refused.
    package var refusesUnknownSessions: Bool

    package let profile: Profile
    /// By which a relay may know a phone, the likeliest first.
    private static let phoneTokens: [SessionVariable] = [.deviceToken, .startToken, .widgetToken, .controlToken]
    /// Answers that speak of the request alone, and not of a state that it was made in.
    private static let refusals: Set<Int> = [400, 413, 415, 422]

    package init(_ profile: Profile) {
        self.profile = profile
        let usual = profile.calls.filter(\.isUsual)
        let keepsTokens = profile.tokens == .relay
        self.keepsTokens = keepsTokens
        let registrations = usual.filter { !$0.registers.isEmpty && (keepsTokens || !$0.isFinal) }
        func most(_ token: SessionVariable) -> ProfileCall? {
            let fitting = registrations.filter { call in
                call.registers.contains(token) && call.registers.allSatisfy { $0.phone == token.phone }
            }
            let count = fitting.map(\.registers.count).max()
            return fitting.first { $0.registers.count == count }
        }
        let quiet = usual.filter { $0.pushes.isEmpty && $0.registers.isEmpty }
        let events = usual.filter { !$0.pushes.isEmpty && ($0.registers.isEmpty || !keepsTokens) }
        let states = events.filter { call in
            !call.isFinal && call.owes(.liveactivity, .update) && !call.owes(.liveactivity, .start)
        }
        device = Self.phoneTokens.lazy.compactMap(most).first
        let takesStart = device?.registers.contains(.startToken) ?? false
        relaunches = takesStart ? registrations.filter { $0.registers == [.deviceToken] } : []
        secondDevice = most(.deviceToken2) ?? most(.startToken2)
        let deviceName = device?.name
        registration = most(.registrationToken).flatMap { call in
            // Where it takes the place of another, a session is either the one's or the other's.
            let names = Set(call.captures.map(\.name))
            let isAlone = usual.allSatisfy { $0.name == call.name || names.isDisjoint(with: $0.captures.map(\.name)) }
            return call.pushes.isEmpty && isAlone && call.name != deviceName ? call : nil
        }
        app = most(.registrationToken)
        newRegistration = most(.newRegistrationToken)
        activity = most(.activityToken)
        secondActivity = most(.activityToken2)
        rotation = most(.rotatedToken)
        renewal = most(.newStartToken)
        widgetRenewal = usual.first { $0.registers == [.newWidgetToken] }
        let phone = Self.phoneTokens.first { most($0) != nil } ?? .deviceToken
        unregisterDevice = quiet.first { $0.unregisters.contains(phone) }
        goodbye = quiet.first { $0.unregisters.contains(.activityToken) && !$0.unregisters.contains(phone) }
        lateGoodbye = profile.calls.first { $0.isStale }
        let beginnings = events.filter { $0.owes(.liveactivity, .start) && !$0.isFinal }
        let start = beginnings.first { !$0.owes(.alert) }
        self.start = start
        starts = beginnings.filter { $0.name == start?.name } + beginnings.filter { $0.name != start?.name }
        self.events = events.filter { !$0.isFinal && !$0.owes(.liveactivity, .start) }
        progress = states.first { call in call.pushes.contains { $0.coalesce } }
        state = states.first { call in !call.pushes.contains { $0.coalesce } }
        func owing(_ type: PushType) -> ProfileCall? {
            events.first { $0.owes(type) && !$0.isFinal && !$0.owes(.liveactivity, .start) }
        }
        alertType = [.alert, .widgets, .controls].first { owing($0) != nil } ?? .alert
        alert = owing(alertType)
        reload = owing(.widgets)
        finals = events.filter(\.isFinal)
        unregisterApp = quiet.first { $0.unregisters.contains(.registrationToken) }
        messageStart = events.first { !$0.isFinal && $0.owesMessage(.start) } ?? start
        message = events.first { $0.owesMessage && !$0.isFinal && !$0.owesMessage(.start) && !$0.owes(.liveactivity, .start) }
        messageEnd = finals.first(where: \.owesMessage)
        stranger = profile.calls.first { $0.isUnknown }
        oversized = profile.calls.filter(\.isOversized)
        refused = profile.calls.filter { call in
            !call.isOversized && !call.isForged && call.pushes.isEmpty && call.expectedStatus.isSubset(of: Self.refusals)
        }
        let hasCredentials = profile.calls.contains { $0.auth.map { !$0.isSpoilt } ?? false }
        forged = profile.calls.filter { call in
            let isWithout = hasCredentials && call.auth == nil && call.expectedStatus.isSubset(of: [401, 403])
            return !call.isOversized && call.pushes.isEmpty && (call.isForged || isWithout)
        }
        namesSessions = usual.contains { call in
            let parts = call.path.segments + (call.body?.segments ?? []) + (call.saying?.segments ?? [])
            return (parts + call.fields.flatMap(\.value.segments)).contains { part in
                guard case .variable(.session(let variable), _) = part else { return false }
                return variable == .session || variable == .sessionID
            }
        }
        tellsDeaths = events.contains { call in call.answers.contains { $0.meaning == .pruned } }
        refusesUnknownSessions = profile.calls.contains { call in
            !call.isUnknown && !call.isStale && call.pushes.isEmpty && call.expectedStatus.isSubset(of: [404, 409, 410])
        }
    }

    /// Pushes to the app of other types than `alertType`, each with a call that owes one.
    package var otherAppPushes: [(type: PushType, call: ProfileCall?)] {
        [PushType.widgets, .controls].compactMap { type in
            guard type != alertType, let call = events.first(where: { $0.owes(type) }) else { return nil }
            return (type, call)
        }
    }

    /// Some call owes a broadcast, for which nobody has to be registered.
    package var broadcast: ProfileCall? { events.first { $0.pushes.contains(where: \.isBroadcast) } }

    package var relaunch: ProfileCall? { relaunches.first }
    package var final: ProfileCall? { finals.first }

    /// A state of the activity that each call is owed a push for: one that may not be coalesced, where there is one.
    package var anyState: ProfileCall? { state ?? progress }

    /// An event that reaches the phone in any case.
    package var anyEvent: ProfileCall? { alert ?? anyState }

    /// Some call owes a Live Activity push.
    package var hasActivities: Bool { activity != nil && anyState != nil }
}

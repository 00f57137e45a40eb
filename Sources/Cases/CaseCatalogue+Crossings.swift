// What a relay makes of a call that comes while a push has not got through yet: each wait crossed by each kind of call.

import Basics
import Pushes
import Scenarios

/// Why a push has not got through yet.
private enum Wait: String, CaseIterable {
    case refused, refusedAgain = "refused-again", late, dying, silent

    /// What happens to one push for each token.
    var action: String {
        switch self {
        case .refused, .refusedAgain: "respond: { reason: ServiceUnavailable }"
        case .late: "delay: \(Self.words(Self.slowAnswer))"
        case .dying: "respond: { reason: Unregistered, timestamp: after-registration, delay: \(Self.words(Self.slowAnswer)) }"
        case .silent: "silence: true"
        }
    }

    /// Refused twice, a relay that comes again at once waits all the same; refused once, what passes it gets through.
    var times: Int { self == .refusedAgain ? 2 : 1 }

    /// How often APNs asks for a rest.
    var rests: Int {
        switch self {
        case .refused, .refusedAgain: times
        case .late, .dying, .silent: 0
        }
    }

    /// Pushes for each token that get through first. What a new token must not meet as well comes behind all that it gets: the
    /// push that waited, and one more.
    var passing: Int { self == .dying || self == .silent ? 2 : 1 }

    /// Until what waits has got through, or has come again behind the time-out: whoever doubles his waits has come again.
    func lasts(_ rest: Interval, _ timeout: Interval) -> Interval {
        switch self {
        case .refused, .refusedAgain: .seconds(3) * Double(times) + rest * Double(times)
        case .late, .dying: Self.slowAnswer * 2
        case .silent: timeout + .milliseconds(2_500)
        }
    }

    /// Longer than a registration takes, unless its caller waits for the answer before.
    private static let slowAnswer = Interval.milliseconds(1_200)

    private static func words(_ interval: Interval) -> String { "\(interval.nanoseconds / 1_000_000)ms" }

    var question: String {
        switch self {
        case .refused: "Is what a relay is told while a push waits to be sent again heeded?"
        case .refusedAgain: "Is what a relay is told while a push waits, and is refused once more, heeded?"
        case .late: "Is what a relay is told while an answer of APNs takes a while heeded?"
        case .dying: "When APNs calls a token dead that has just been replaced, is the new one kept?"
        case .silent: "Is what a relay is told while APNs is silent heeded, once the silent push is given up?"
        }
    }
}

/// What the relay is told meanwhile.
private enum Meanwhile: String, CaseIterable {
    case news, question, rotation, goodbye, end
}

extension CaseCatalogue {
    var crossings: [PlannedCase] { Wait.allCases.map(crossed) + [crossedStart, slowStart] }

    private func crossed(_ wait: Wait) -> PlannedCase {
        let name = "told-while-\(wait.rawValue)"
        let met = wait == .dying ? [.rotation] : Meanwhile.allCases
        let scripts = met.compactMap { meanwhile in script(wait, meanwhile).map { (meanwhile, $0) } }
        let isMet = Need(
            isThere: !scripts.isEmpty, words: "the profile has no call that may come in order while a push waits")
        let needs = [needsEvent, needsDevice] + (wait == .dying ? [needsRotationByName] : [isMet])
        return planned(name, wait.question, needs) {
            Case(
                name: name, question: wait.question, scripts: scripts.map(\.1), sessions: 8 * scripts.count,
                faults: [
                    "{ id: \(name), match: { \(waiting) }, after: \(wait.passing), times: \(wait.times), per: token, "
                        + "action: { \(wait.action) } }"
                ],
                exercises: Array(Set(scripts.flatMap { rules(wait, $0.0) })).sorted(),
                touches: ["timestamp-seconds-rising", "states-delivered", "last-state-delivered"]
                    + (wait == .dying ? ["changed-row-kept"] : []),
                requestTimeout: wait == .silent ? mostPatient : .seconds(10),
                rests: wait.rests, rest: rest, needsHostClock: wait == .silent)
        }
    }

    /// The relay gives a push up after its own time-out, and answers its caller then. Where the profile says none: the most
    /// patient relay that we know waits 30 s (`Tolerances.patience`).
    private var timeout: Interval { roles.profile.timeout ?? .seconds(30) }
    /// Behind which it is blamed that nobody was answered.
    var mostPatient: Interval { timeout + .seconds(5) }

    /// An activity's states wait, or alerts of a relay that knows no activities.
    private var waiting: String {
        roles.hasActivities ? "pushType: liveactivity, event: update" : "pushType: \(roles.alertType.word)"
    }
    private var waits: ProfileCall? { roles.hasActivities ? roles.anyState : roles.anyEvent }

    /// Nil where the profile has no such call, or its calls cross each other.
    private func script(_ wait: Wait, _ meanwhile: Meanwhile) -> CaseScript? {
        var script = opening()
        script.name = "\(wait.rawValue)-\(meanwhile)"
        for _ in 0..<wait.passing { settle(&script, waits) }
        var call: ProfileCall?
        var behind: [ProfileCall?] = []
        let isOrdered = roles.profile.order != .parallel
        switch meanwhile {
        case .news: (call, behind) = (isOrdered ? waits : nil, [roles.final])
        case .question:
            // Behind a state that may wait for the throttle's window one that may not.
            let isShort = (window ?? .zero) <= .seconds(3)
            guard isOrdered, isShort, let progress = roles.progress, roles.state != nil else { return nil }
            settle(&script, progress)
            (call, behind) = (roles.state, [roles.final])
        case .rotation: (call, behind) = (roles.hasActivities ? roles.rotation : nil, [waits, roles.final])
        case .goodbye: (call, behind) = (roles.hasActivities ? roles.goodbye : roles.unregisterDevice, [waits])
        case .end: (call, behind) = ((roles.final?.owes(.liveactivity, .end) ?? false) && isOrdered ? roles.final : nil, [])
        }
        guard let call else { return nil }
        if meanwhile != .question { settle(&script, waits) }
        script.add(call, after: .milliseconds(350))
        for (number, next) in behind.enumerated() {
            let pause = silence(behind: script)
            script.add(next, after: number == 0 ? max(pause, wait.lasts(rest, timeout)) : pause)
        }
        return script
    }

    private func rules(_ wait: Wait, _ meanwhile: Meanwhile) -> [String] {
        let isDue = roles.hasActivities && roles.state == nil ? "last-state-delivered" : "states-delivered"
        return switch meanwhile {
        case .news, .question: roles.hasActivities ? ["state-order", isDue] : [isDue]
        case .rotation: wait == .dying ? [isDue] : ["new-token-used"]
        case .goodbye: ["unregister-respected"]
        case .end: ["last-state-delivered"]
        }
    }

    /// Where a caller waits for APNs nothing crosses: the old token is dead by then, and what was called by its id is gone.
    private var needsRotationByName: Need {
        guard roles.hasActivities, roles.rotation != nil else {
            return need(roles.hasActivities ? roles.rotation : nil, "registers `rotatedToken`")
        }
        return Need(
            isThere: roles.activity?.captures.isEmpty ?? true,
            words: "later calls name an activity by what its registration captures, which a dead token may take with it")
    }

    /// A start waits to be sent again, and meets another start token, or the end of its session.
    private var crossedStart: PlannedCase {
        let (name, wait) = ("told-while-starting", Wait.refusedAgain)
        let question = "Is what a relay is told while a start waits to be sent again heeded?"
        var scripts: [CaseScript] = []
        func begin(_ meanwhile: Meanwhile, _ call: ProfileCall, _ goOn: (inout CaseScript) -> Void) {
            var script = CaseScript(roles.profile)
            script.name = "starting-\(meanwhile)"
            script.add(roles.device, after: .zero)
            script.add(roles.start, after: .milliseconds(500))
            script.add(call, after: .milliseconds(350))
            goOn(&script)
            scripts.append(script)
        }
        if let renewal = roles.renewal {
            begin(.rotation, renewal) { script in
                script.add(roles.activity, after: wait.lasts(rest, timeout))
                settle(&script, roles.anyState)
                settle(&script, roles.final)
            }
        }
        if let final = roles.final, roles.profile.order != .parallel, !roles.refusesUnknownSessions {
            // The phone is registered once more, so that the run sees what comes behind the end.
            begin(.end, final) { $0.add(roles.device, after: wait.lasts(rest, timeout)) }
        }
        let isMet = Need(
            isThere: !scripts.isEmpty,
            words: "the profile has no call that registers `newStartToken`, none that ends a session without an activity")
        return planned(name, question, [need(roles.start, "owes a start"), needsActivity, isMet]) {
            let isRenewed = roles.renewal != nil
            return Case(
                name: name, question: question, scripts: scripts, sessions: 8 * scripts.count,
                faults: [
                    respond(name, "{ reason: ServiceUnavailable }", match: "pushType: liveactivity, event: start", times: 2)
                ], exercises: isRenewed ? ["states-delivered"] : ["stale-start-dropped"],
                touches: ["new-token-used", "one-start", "stale-start-dropped", "nothing-unexpected"], rests: 2,
                rest: rest)
        }
    }

    /// Longer than an impatient relay waits for an answer (docs/choices.md).
    private static let startTakes = Interval.seconds(4)

    private var slowStart: PlannedCase {
        let (name, question) = ("slow-start", "Does a start whose answer takes four seconds begin one activity?")
        return planned(name, question, [need(roles.start, "owes a start"), needsActivity]) {
            var script = CaseScript(roles.profile)
            script.add(roles.device, after: .zero)
            script.add(roles.start, after: .milliseconds(500))
            script.add(roles.activity, after: Self.startTakes * 1.5)
            settle(&script, roles.anyState)
            settle(&script, roles.final)
            let match = "match: { pushType: liveactivity, event: start }"
            return Case(
                name: name, question: question, scripts: [script],
                faults: ["{ id: \(name), \(match), action: { delay: \(Self.startTakes.nanoseconds / 1_000_000)ms } }"],
                exercises: ["one-start", "states-delivered"], touches: ["no-duplicate-push"])
        }
    }
}

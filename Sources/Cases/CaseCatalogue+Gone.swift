// What a relay has to know when it is back from a restart: what is gone and has to stay so, what waits, how old a card is.

import Basics
import Pushes
import Scenarios

extension CaseCatalogue {
    var knownAtRestartCases: [PlannedCase] {
        [deadAtRestart, goodbyeAtRestart, endedThenRestart, killedWhileWaiting, agedBehindRestart]
    }

    private var deadAtRestart: PlannedCase {
        let (name, question) = ("dead-at-restart", "Does a relay that was restarted know still which tokens are dead?")
        return gone(name, question, [needsDevice, needsEvent, needsOwnOpening]) {
            var script = ownOpening()
            states(&script, 1)
            states(&script, 2, after: untilBack(from: Self.lateRestart, behind: script))
            return Case(
                name: name, question: question, scripts: [script], sessions: 12,
                faults: [
                    respond(
                        name, "{ reason: Unregistered, timestamp: after-registration }",
                        match: refusable + ", tokenFraction: 0.6", times: 1)
                ],
                restarts: [Self.restart(at: Self.lateRestart, "TERM")],
                exercises: [refusesUpdates ? "dead-token-dropped" : "dead-device-token-dropped"])
        }
    }

    private var goodbyeAtRestart: PlannedCase {
        let (name, question) = ("goodbye-at-restart", "Does a relay that was restarted know still what was taken back?")
        let goodbye = roles.hasActivities ? roles.goodbye : nil
        let signOut = roles.alert == nil ? nil : roles.unregisterDevice
        let needsGoodbye = need(goodbye ?? signOut, "takes back a token that is owed pushes (`unregisters`)")
        return gone(name, question, [needsDevice, needsOwnOpening, needsGoodbye]) {
            var scripts: [CaseScript] = []
            if let goodbye {
                var script = ownOpening()
                states(&script, 1)
                script.add(goodbye, after: .milliseconds(300))
                states(&script, 2, after: untilBack(from: Self.lateRestart, behind: script))
                scripts.append(script)
            }
            if let signOut {
                var script = ownOpening()
                states(&script, 1, of: roles.alert)
                script.add(roles.goodbye, after: .milliseconds(300))
                script.add(signOut, after: .milliseconds(300))
                states(&script, 2, of: roles.alert, after: untilBack(from: Self.lateRestart, behind: script))
                scripts.append(script)
            }
            return Case(
                name: name, question: question, scripts: scripts, sessions: 8 * scripts.count,
                restarts: [Self.restart(at: Self.lateRestart, "TERM")], exercises: ["unregister-respected"])
        }
    }

    private var endedThenRestart: PlannedCase {
        let (name, question) = ("ended-then-restart", "Does a session that was over before a restart begin again behind it?")
        return gone(name, question, needsTwoTurns) {
            var script = opening()
            states(&script, 1)
            settle(&script, roles.final)
            script.add(roles.start, after: untilBack(from: Self.lateRestart, behind: script))
            script.add(roles.rotation, after: .milliseconds(300))
            states(&script, 1)
            settle(&script, roles.final)
            return Case(
                name: name, question: question, scripts: [script], sessions: 12,
                restarts: [Self.restart(at: Self.lateRestart, "TERM")], exercises: ["states-delivered"], touches: ["one-start"])
        }
    }

    /// A state that APNs refuses for now, a start that it refuses, and a state that waits for its activity's token; each was
    /// told long enough before the end that it is stored.
    private var killedWhileWaiting: PlannedCase {
        let (name, question) = ("killed-while-waiting", "Does what waits when a relay is killed come when it is back?")
        let (outage, kill) = (Interval.milliseconds(1_450), Interval.milliseconds(4_200))
        // Over while the relay is down: what waits gets through when it is back.
        let lasts = Interval.milliseconds(2_900)
        return gone(name, question, [needsDevice, needsEvent]) {
            func back(_ script: CaseScript) -> Interval { untilBack(from: kill, behind: script) + rest * 2 + .seconds(3) }
            var refused = opening()
            refused.name = "\(name)-state"
            refused.add(roles.anyEvent, after: .seconds(1))
            refused.add(roles.final, after: back(refused))
            // A relay that answers its caller only then has nothing that waits: it is asked all the same.
            var behind = opening()
            behind.name = "\(name)-behind"
            behind.add(roles.anyEvent, after: back(behind))
            var scripts = [refused, behind]
            if let start = roles.start, roles.hasActivities {
                var starting = CaseScript(roles.profile)
                starting.name = "\(name)-start"
                starting.add(roles.device, after: .zero)
                starting.add(start, after: .milliseconds(1_500))
                starting.add(roles.activity, after: back(starting))
                settle(&starting, roles.final)
                scripts.append(starting)
                if let held {
                    var gap = CaseScript(roles.profile)
                    gap.name = "\(name)-token"
                    gap.add(roles.device, after: .zero)
                    gap.add(start, after: .milliseconds(200))
                    gap.add(held, after: .milliseconds(500))
                    gap.add(roles.activity, after: back(gap))
                    settle(&gap, roles.final)
                    scripts.append(gap)
                }
            }
            let mayWait = roles.anyEvent?.pushes.contains { $0.coalesce } ?? false
            return Case(
                name: name, question: question, scripts: scripts, sessions: 8 * scripts.count,
                faults: [
                    "{ id: \(name), at: \(outage.nanoseconds / 1_000_000)ms, for: \(lasts.nanoseconds / 1_000_000)ms, "
                        + "action: { respond: { reason: ServiceUnavailable } } }"
                ],
                restarts: [Self.restart(at: kill, "KILL")],
                exercises: [mayWait ? "last-state-delivered" : "states-delivered"],
                touches: ["last-state-delivered", "one-start"], rests: 2, rest: rest)
        }
    }

    private var agedBehindRestart: PlannedCase {
        let name = "aged-behind-restart"
        let question = "Does a relay that was restarted know still how old an activity is?"
        let activities = roles.profile.activities
        let age = activities.end?.terms.after ?? activities.restart?.after
        let isAged = Need(isThere: age != nil, words: "the profile says nothing of an activity's age (`activities`)")
        return gone(name, question, [needsActivity, need(roles.start, "owes a start"), isAged]) {
            var script = opening()
            states(&script, 1)
            // Behind the age, and before the system ends the card, whose token stays where no other follows.
            for _ in 0..<2 { script.add(roles.anyState, after: (age ?? .zero) * 0.53, isExact: true) }
            return Case(
                name: name, question: question, scripts: [script], sessions: 4,
                restarts: [Self.restart(at: Self.lateRestart, "TERM")],
                exercises: [activities.end == nil ? "restart-in-time" : "aged-activity-ended"])
        }
    }

    /// Long enough behind what a case takes back or refuses that it is stored.
    static let lateRestart = Interval.milliseconds(3_400)

    private func gone(_ name: String, _ question: String, _ needs: [Need], _ make: () -> Case) -> PlannedCase {
        guard isLaunched else { return .cannot(name: name, question: question, reason: Self.isNotOurs) }
        return planned(name, question, needs, make)
    }

    // MARK: Sessions that nothing can start

    private var takesStart: Bool { roles.start != nil && roles.device?.registers.contains(.startToken) ?? false }

    /// The app has started the activity itself, and its phone cannot be started: a session of which nothing is left is
    /// new to a relay that was restarted, and may be begun again where that is possible.
    private func ownOpening() -> CaseScript {
        guard takesStart, roles.hasActivities else { return opening() }
        var script = CaseScript(roles.profile)
        script.add(roles.relaunch, after: .zero)
        script.add(roles.activity, after: .milliseconds(300))
        script.add(roles.start, after: .milliseconds(200))
        return script
    }

    private var needsOwnOpening: Need {
        let isOwed = roles.start?.pushes.contains { $0.event == .start && $0.unless != .activityToken } ?? false
        return Need(
            isThere: !takesStart || (roles.relaunch != nil && !isOwed),
            words: "the profile has no call that registers a phone without its start token, or a start is owed even so")
    }
}

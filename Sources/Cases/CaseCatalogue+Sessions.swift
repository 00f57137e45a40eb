// What a relay makes of sessions: whole ones, bursts, states in the gap before a token, a next turn.

import Basics
import Pushes
import Scenarios

extension CaseCatalogue {
    var sessionCases: [PlannedCase] { [lifecycle, burst, questionInBurst, sharedUser, gap, nextTurn] }

    private var lifecycle: PlannedCase {
        let question = "Does each event reach the phones it is for, once, in order, and as it was said?"
        return planned("lifecycle", question, [needsDevice, needsEvent]) {
            var script = opening()
            states(&script, 3)
            if let state = roles.anyState, state.name != roles.anyEvent?.name { states(&script, 2, of: state) }
            // What may wait for a long window has a case of its own.
            if (window ?? .zero) <= .seconds(3) {
                script.add(roles.progress, after: pause)
                settle(&script, roles.final)
            } else {
                script.add(roles.final, after: pause)
            }
            script.add(roles.goodbye, after: .milliseconds(300))
            return Case(name: "lifecycle", question: question, script: script, exercises: lifecycleRules(script))
        }
    }

    private func lifecycleRules(_ script: CaseScript) -> [String] {
        let owed = script.calls.flatMap(\.pushes)
        let content = roles.profile.content
        let hasStart = owed.contains { $0.event == .start }
        var rules = [
            "relay-serves", "accepted-is-pushed", "states-delivered", "no-duplicate-push", "nothing-unexpected",
            "sessions-kept-apart", "requests-well-formed", "payload-fits", "provider-token-reused",
        ]
        if owed.contains(where: { $0.channel == .liveactivity }) {
            rules += ["topic-fits-type", "timestamp-seconds-rising", "state-order", "last-state-delivered"]
            if content.contentState != nil { rules.append("content-decodes") }
        }
        if !content.passes.isEmpty { rules.append("content-unchanged") }
        if hasStart { rules += ["one-start", "start-is-complete"] }
        if owed.contains(where: { $0.event == .end }) { rules += ["activity-event-fits", "nothing-after-end"] }
        return rules
    }

    private var burst: PlannedCase {
        let question = "Of a burst, is the last state shown when it is over, and no more sent than the throttle allows?"
        let window = window ?? .zero
        return planned(
            "burst", question,
            [needsActivity, need(roles.progress, "owes an update that may be coalesced (`coalesce: true`)"), needsWindow]
        ) {
            var script = opening()
            let gap = max(window * 0.1, .milliseconds(50))
            script.add(roles.progress, after: max(window * 1.2, .milliseconds(300)), every: gap, count: 12)
            script.add(roles.progress, after: window * 2.4, every: gap, count: 4)
            script.add(roles.final, after: gap)
            return Case(
                name: "burst", question: question, script: script, exercises: ["throttle-respected", "last-state-delivered"])
        }
    }

    private var questionInBurst: PlannedCase {
        let question = "Does a state that is not to be coalesced pass those that wait for the throttle?"
        let window = window ?? .zero
        return planned(
            "question-in-burst", question,
            [
                needsActivity, need(roles.progress, "owes an update that may be coalesced (`coalesce: true`)"), needsWindow,
                need(roles.state, "owes an update that may not be coalesced"),
            ]
        ) {
            var script = opening()
            script.add(roles.progress, after: max(window * 1.2, .milliseconds(300)))
            script.add(roles.progress, after: window * 0.1)
            script.add(roles.state, after: window * 0.2)
            script.add(roles.progress, after: window * 1.2)
            script.add(roles.state, after: window * 0.2)
            settle(&script, roles.final)
            return Case(name: "question-in-burst", question: question, script: script, exercises: ["urgent-states-not-held"])
        }
    }

    private var sharedUser: PlannedCase {
        let question = "Are two sessions of one user kept apart, each with a throttle of its own?"
        return planned("two-sessions", question, [needsDevice, needsActivity]) {
            var script = opening()
            states(&script, 1, of: roles.anyState)
            if let progress = roles.progress, let window {
                script.add(progress, after: window * 1.2, every: window * 0.1, count: 4)
            }
            settle(&script, roles.anyState)
            script.add(roles.final, after: pause)
            let rules = ["sessions-kept-apart", "states-delivered"]
            return Case(
                name: "two-sessions", question: question, script: script, sessionsPerUser: 2,
                exercises: roles.progress == nil || window == nil ? rules : rules + ["throttle-per-session"])
        }
    }

    private var gap: PlannedCase {
        let question = "Between a start and its activity's token, is nothing started again, and the newest state kept?"
        let held = [roles.progress, roles.state].compactMap(\.self).first { $0.pushes.contains { $0.held } }
        return planned(
            "states-before-token", question,
            [
                need(roles.start, "owes a start"), needsActivity,
                need(held, "owes an update that waits for a token (`held: true`)"),
            ]
        ) {
            var script = CaseScript(roles.profile)
            script.add(roles.device, after: .zero)
            script.add(roles.start, after: .milliseconds(200))
            script.add(held, after: .milliseconds(200), every: .milliseconds(150), count: 4)
            script.add(roles.activity, after: .milliseconds(400))
            settle(&script, roles.anyState)
            script.add(roles.final, after: pause)
            return Case(
                name: "states-before-token", question: question, script: script,
                exercises: ["one-start", "last-state-delivered"])
        }
    }

    private var nextTurn: PlannedCase {
        let question = "Does a session that is over begin again with an activity of its own?"
        return planned(
            "next-turn", question,
            [
                need(roles.start, "owes a start"), needsActivity, need(roles.final, "ends a session (`final: true`)"),
                need(roles.rotation, "registers `rotatedToken`"),
            ]
        ) {
            var script = opening()
            states(&script, 1)
            settle(&script, roles.final)
            script.add(roles.start, after: grace)
            script.add(roles.rotation, after: .milliseconds(300))
            states(&script, 1)
            settle(&script, roles.final)
            return Case(
                name: "next-turn", question: question, script: script,
                exercises: ["one-start", "nothing-after-end", "states-delivered"])
        }
    }

    private var needsWindow: Need { Need(isThere: window != nil, words: "the profile has no `coalescing`") }
}

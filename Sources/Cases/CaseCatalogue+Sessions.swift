// What a relay makes of sessions: whole ones, many at once, bursts, states in the gap before a token, a next turn.

import Basics
import Pushes
import Scenarios

extension CaseCatalogue {
    var sessionCases: [PlannedCase] {
        [
            lifecycle, longTexts, load, burst, questionInBurst, questionInWindow, sharedUser, gap, longGap, nextTurn,
            toldAfterEnd, hours, busyHour, aged,
        ]
    }

    private var lifecycle: PlannedCase {
        let question = "Does each event reach the phones it is for, once, in order, and as it was said?"
        let phone = roles.device ?? roles.activity ?? roles.registration ?? roles.broadcast
        let needsPhone = need(phone, "registers a phone or an activity")
        return planned("lifecycle", question, [needsPhone, needsEvent]) {
            let beginnings = roles.starts.isEmpty ? [nil] : roles.starts.map(Optional.some)
            let ends = roles.finals.isEmpty ? [nil] : roles.finals.map(Optional.some)
            let parts = lifecycleParts(beginnings[0], ends[0])
            let count = max(beginnings.count, ends.count, parts.count)
            let scripts = (0..<count).map {
                whole(beginnings[$0 % beginnings.count], ends[$0 % ends.count], saying: parts[$0 % parts.count])
            } + pieces(beginnings[0], ends[0])
            return Case(
                name: "lifecycle", question: question, scripts: scripts, sessions: max(8, 4 * scripts.count),
                exercises: lifecycleRules(scripts), touches: lifecycleTouches)
        }
    }

    /// What may take no longer, so that a case is done without `--slow` however many calls a profile has.
    private static let longestSession = Interval.seconds(18)

    /// The events of a session; of several, where one would take too long to say them all.
    private func lifecycleParts(_ start: ProfileCall?, _ final: ProfileCall?) -> [[ProfileCall]] {
        let events = roles.events
        for count in 1..<max(2, events.count) {
            let size = (events.count + count - 1) / count
            let starts = stride(from: 0, to: events.count, by: max(1, size))
            let parts = starts.map { Array(events[$0..<min($0 + size, events.count)]) }
            if parts.allSatisfy({ whole(start, final, saying: $0).duration <= Self.longestSession }) {
                return parts.isEmpty ? [[]] : parts
            }
        }
        return events.map { [$0] }
    }

    /// Where a card goes on showing what was said before: the same backwards, so that values fall which rose, and close
    /// together, so that what is left out has to come with what is newest.
    private func pieces(_ start: ProfileCall?, _ final: ProfileCall?) -> [CaseScript] {
        let events = roles.events.filter { $0.owes(.liveactivity, .update) }
        guard !roles.profile.content.carried.isEmpty, roles.hasActivities, events.count > 1 else { return [] }
        var close = opening()
        for call in events + events.reversed() { close.add(call, after: .milliseconds(150)) }
        close.add(roles.relaunch, after: .milliseconds(150))
        settle(&close, events[0])
        settle(&close, final)
        let back = whole(start, final, saying: events.reversed())
        return (back.duration <= Self.longestSession ? [back] : []) + [close]
    }

    /// What an encoding on the way may spoil, of a form, of JSON, of a page: two, three and four bytes, and what is escaped.
    private static let words = JSONValue.string("Größe – 🚀 + & % \"5\"").text

    /// All that may be said in a session, from its beginning to its end.
    private func whole(_ start: ProfileCall?, _ final: ProfileCall?, saying events: [ProfileCall]) -> CaseScript {
        var script = CaseScript(roles.profile)
        script.add(roles.device, after: .zero)
        script.add(roles.registration, after: .milliseconds(100))
        script.add(start, after: .milliseconds(200))
        script.add(roles.activity, after: .milliseconds(300))
        states(&script, 2)
        // What may wait for a long window has a case of its own.
        let isShort = (window ?? .zero) <= .seconds(3)
        for call in events where isShort || !call.pushes.contains(where: \.coalesce) {
            settle(&script, call, with: call.freeTexts.suffix(1).map { ($0, Self.words) })
        }
        settle(&script, final)
        script.add(roles.goodbye, after: .milliseconds(300))
        return script
    }

    private func lifecycleRules(_ scripts: [CaseScript]) -> [String] {
        let calls = scripts.flatMap(\.calls)
        let owed = calls.flatMap(\.pushes)
        let content = roles.profile.content
        var rules = [
            "relay-serves", "accepted-is-pushed", "states-delivered", "no-duplicate-push", "nothing-unexpected",
            "sessions-kept-apart",
        ]
        if calls.contains(where: { $0.registers.contains { $0 != .registrationToken } }) {
            rules += ["requests-well-formed", "payload-fits"]
            if roles.profile.credential == .token { rules.append("provider-token-reused") }
        }
        if calls.contains(where: { $0.registers.contains(.registrationToken) }), owed.contains(where: { $0.provider == .fcm }) {
            rules += ["messages-well-formed", "access-token-reused"]
        }
        let cards = owed.filter { $0.channel == .liveactivity && !$0.isBroadcast }
        if cards.isEmpty, owed.contains(where: \.isBroadcast) { rules += ["state-order", "last-state-delivered"] }
        if !cards.isEmpty {
            rules += ["topic-fits-type", "timestamp-seconds-rising", "state-order", "last-state-delivered"]
            if content.contentState != nil { rules.append("content-decodes") }
        }
        if !content.passes.isEmpty { rules.append("content-unchanged") }
        if owed.contains(where: { $0.event == .start }) { rules += ["one-start", "start-is-complete"] }
        if cards.contains(where: { $0.event == .end }) { rules += ["activity-event-fits", "nothing-after-end"] }
        if owed.contains(where: \.isFirst) { rules.append("alert-goes-first") }
        return rules
    }

    private var lifecycleTouches: [String] {
        [
            "alerts-only-where-due", "progress-is-quiet", "content-fits-contract", "omitted-values-kept", "values-never-fall",
            "start-asks-for-token", "urgent-states-at-10", "activity-priorities-mixed", "apns-id-unique", "connections-reused",
            "one-team-per-connection", "states-in-time",
        ] + (roles.profile.captures.isEmpty ? [] : ["answers-hold-values"])
            + (roles.profile.calls.allSatisfy(\.declared.isEmpty) ? [] : ["pushes-as-declared"])
    }

    private var longTexts: PlannedCase {
        let question = "Is a text that no payload holds cut, or refused, so that each push fits?"
        // What an answer says again may be longer than any caller keeps.
        let calls = roles.events.filter { !$0.freeTexts.isEmpty && $0.captures.isEmpty }
        let ends = roles.finals.filter { !$0.freeTexts.isEmpty }
        return planned(
            "long-texts", question,
            [
                needsDevice, need(calls.first ?? ends.first, "has a text of its own behind the marker"),
                Need(isThere: !roles.profile.content.truncations.isEmpty, words: "the profile has no `truncates`"),
            ]
        ) {
            // Four bytes each, and those made of several: wherever bytes or UTF-16 are cut, one of four falls into a character.
            func long(_ call: ProfileCall?, _ number: Int) -> [(name: String, yaml: String)] {
                let text = String("abc".prefix(number % 4)) + String(repeating: "🚀", count: 1_000)
                let value = JSONValue.string(text + String(repeating: "👩‍👩‍👧 ", count: 300)).text
                return (call?.freeTexts ?? []).map { ($0, value) }
            }
            let finals = ends.isEmpty ? [roles.final] : ends.map(Optional.some)
            let scripts = (0..<max(4, finals.count)).map { number in
                var script = opening()
                for call in calls { script.add(call, after: pause, with: long(call, number)) }
                let final = finals[number % finals.count]
                settle(&script, final, with: long(final, number))
                return script
            }
            return Case(
                name: "long-texts", question: question, scripts: scripts, sessions: 4 * scripts.count,
                exercises: ["payload-fits"])
        }
    }

    private var load: PlannedCase {
        let question = "Does the relay stand a hundred sessions that begin in a second?"
        return planned("load", question, [needsDevice, needsEvent]) {
            var script = opening()
            states(&script, 4)
            settle(&script, roles.final)
            return Case(
                name: "load", question: question, scripts: [script], sessions: 100,
                exercises: ["relay-serves", "states-delivered", "connections-reused"], touches: ["states-in-time"])
        }
    }

    var needsProgress: Need { need(roles.progress, "owes an update that may be coalesced (`coalesce: true`)") }
    var needsWindow: Need { Need(isThere: window != nil, words: "the profile has no `coalescing`") }

    private var burst: PlannedCase {
        let question = "Of a burst, is the last state shown when it is over, and no more sent than the throttle allows?"
        let window = window ?? .zero
        return planned("burst", question, [needsActivity, needsProgress, needsWindow]) {
            let finals = roles.finals.isEmpty ? [nil] : roles.finals.map(Optional.some)
            let gap = max(window * 0.1, .milliseconds(50))
            let scripts = finals.map { final in
                var script = opening()
                script.add(roles.progress, after: max(window * 1.2, .milliseconds(300)), every: gap, count: 12)
                script.add(roles.progress, after: max(window * 2.4, silence(behind: script)), every: gap, count: 4)
                script.add(final, after: gap)
                return script
            }
            let hasEnd = roles.final?.owes(.liveactivity, .end) ?? false
            return Case(
                name: "burst", question: question, scripts: scripts,
                exercises: ["throttle-respected", "last-state-delivered"] + (hasEnd ? ["nothing-after-end"] : []),
                touches: ["state-order", "timestamp-seconds-rising"])
        }
    }

    private var questionInBurst: PlannedCase {
        let question = "Does a state that is not to be coalesced pass those that wait for the throttle?"
        let window = window ?? .zero
        return planned(
            "question-in-burst", question,
            [needsActivity, needsProgress, needsWindow, need(roles.state, "owes an update that may not be coalesced")]
        ) {
            var script = opening()
            script.add(roles.progress, after: max(window * 0.5, .milliseconds(300)))
            script.add(roles.progress, after: window * 0.1)
            script.add(roles.state, after: window * 0.2)
            script.add(roles.progress, after: window * 1.2)
            script.add(roles.state, after: window * 0.2)
            script.add(roles.progress, after: window * 0.2)
            settle(&script, roles.final)
            return Case(
                name: "question-in-burst", question: question, scripts: [script], sessions: 16,
                exercises: ["urgent-states-not-held", "state-order"], touches: ["last-state-delivered"])
        }
    }

    private var questionInWindow: PlannedCase {
        let question = "Does a state that waits for the window still come, where a question has passed the one before it?"
        let window = window ?? .zero
        return planned(
            "question-in-window", question,
            [needsActivity, needsProgress, needsWindow, need(roles.state, "owes an update that may not be coalesced")]
        ) {
            var script = opening()
            // The first opens the window, and all else falls into it.
            script.add(roles.progress, after: max(window * 1.2, .milliseconds(300)))
            script.add(roles.progress, after: window * 0.1)
            script.add(roles.state, after: window * 0.15)
            script.add(roles.progress, after: window * 0.2)
            settle(&script, roles.final)
            return Case(
                name: "question-in-window", question: question, scripts: [script], sessions: 12,
                exercises: ["last-state-delivered"], touches: ["urgent-states-not-held", "state-order"])
        }
    }

    private var sharedUser: PlannedCase {
        let question = "Are two sessions of one user kept apart, each with a throttle of its own?"
        let needsNames = Need(isThere: roles.namesSessions, words: "the profile has no call that names its session")
        return planned("two-sessions", question, [needsDevice, needsActivity, needsNames]) {
            func script(_ opening: CaseScript) -> CaseScript {
                var script = opening
                states(&script, 1, of: roles.anyState)
                if let progress = roles.progress, let window {
                    let gap = max(window * 0.1, .milliseconds(50))
                    script.add(progress, after: max(window * 1.2, .milliseconds(300)), every: gap, count: 12)
                }
                settle(&script, roles.anyState)
                script.add(roles.final, after: pause)
                return script
            }
            var scripts = [script(opening())]
            // Of two that wait for their tokens the one that began first may get its own last.
            if roles.start != nil {
                var late = CaseScript(roles.profile)
                late.add(roles.device, after: .zero)
                late.add(roles.start, after: .milliseconds(200))
                late.add(roles.activity, after: .milliseconds(1_700))
                scripts.append(script(late))
            }
            let rules = ["sessions-kept-apart", "states-delivered"]
            return Case(
                name: "two-sessions", question: question, scripts: scripts, sessionsPerUser: 2, sessions: 16,
                exercises: roles.progress == nil || window == nil ? rules : rules + ["throttle-per-session"])
        }
    }

    /// A state that waits for its activity's token.
    var held: ProfileCall? {
        [roles.progress, roles.state].compactMap(\.self).first { $0.pushes.contains { $0.held } }
    }

    private var needsHeld: Need { need(held, "owes an update that waits for a token (`held: true`)") }

    private var gap: PlannedCase {
        let question = "Between a start and its activity's token, is nothing started again, and the newest state kept?"
        return planned(
            "states-before-token", question, [need(roles.start, "owes a start"), needsActivity, needsHeld]
        ) {
            func script(_ say: (inout CaseScript) -> Void) -> CaseScript {
                var script = CaseScript(roles.profile)
                script.add(roles.device, after: .zero)
                script.add(roles.start, after: .milliseconds(200))
                say(&script)
                script.add(roles.activity, after: .milliseconds(400))
                settle(&script, roles.anyState)
                script.add(roles.final, after: pause)
                return script
            }
            var scripts = [script { $0.add(held, after: .milliseconds(200), every: .milliseconds(150), count: 4) }]
            // One that may not be coalesced, behind one that may: it is the newest.
            if let state = roles.state, state.pushes.contains(where: \.held), held?.name != state.name {
                scripts.append(
                    script {
                        $0.add(held, after: .milliseconds(200))
                        $0.add(state, after: .milliseconds(300))
                    })
            }
            return Case(
                name: "states-before-token", question: question, scripts: scripts, sessions: 8 * scripts.count,
                exercises: ["one-start", "last-state-delivered"], touches: scripts.count > 1 ? ["states-delivered"] : [])
        }
    }

    private var longGap: PlannedCase {
        let question = "Where an activity's token never comes, is nothing started a second time?"
        return planned("token-never-comes", question, [need(roles.start, "owes a start"), needsHeld]) {
            var script = CaseScript(roles.profile)
            script.add(roles.device, after: .zero)
            script.add(roles.start, after: .milliseconds(200))
            script.add(held, after: .milliseconds(500))
            // Longer than a relay may take a start for lost.
            script.add(held, after: .seconds(6))
            return Case(
                name: "token-never-comes", question: question, scripts: [script], exercises: ["one-start"])
        }
    }

    private var nextTurn: PlannedCase {
        let question = "Does a session that is over begin again with an activity of its own?"
        return planned("next-turn", question, needsTwoTurns) {
            Case(
                name: "next-turn", question: question, scripts: [twoTurns()],
                exercises: ["one-start", "nothing-after-end", "states-delivered"])
        }
    }

    /// What was overtaken on its way to the relay. Where that refuses what is said of a session that is none, that is the
    /// profile's own to ask.
    private var toldAfterEnd: PlannedCase {
        let question = "Does a state that is told right behind a session's end leave the ended activity alone?"
        let ends = roles.final.flatMap { call in
            call.owes(.liveactivity, .end) && call.unregisters.contains(.activityToken) ? call : nil
        }
        let late = roles.progress ?? roles.state
        let isTaken = Need(
            isThere: !roles.refusesUnknownSessions,
            words: "by a call of the profile what is said of an unknown session is refused (`expect: 404`)")
        return planned(
            "told-after-end", question,
            [
                needsActivity, need(late, "owes an update"), isTaken,
                need(ends, "ends a session, and takes its activity's token back (`final: true`, `unregisters`)"),
            ]
        ) {
            var script = opening()
            settle(&script, roles.anyState)
            settle(&script, ends)
            // Not so late that a relay may take it for the next turn's first.
            script.add(late, after: .milliseconds(400))
            return Case(
                name: "told-after-end", question: question, scripts: [script], exercises: ["nothing-after-end"],
                touches: ["nothing-unexpected", "last-state-delivered"])
        }
    }

    private var hours: PlannedCase {
        let question = "Is a provider token replaced before it is an hour old?"
        return planned("hours", question, [needsDevice, needsEvent, needsProviderToken]) {
            var script = opening()
            let often = max(pause, .seconds(150))
            // Close together, so that one who signs anew some minutes too late is seen; and two silences over the hour, of the
            // first token and of the second: who waits until APNs calls a token expired comes with an old one behind them.
            for (after, count) in [(often, 20), (.seconds(700), 20), (.seconds(700), 6)] {
                script.add(roles.anyEvent, after: after, every: often, count: count)
            }
            return Case(
                name: "hours", question: question, scripts: [script], sessions: 4, exercises: ["provider-token-fresh"],
                touches: ["provider-token-reused", "states-delivered"])
        }
    }

    private var busyHour: PlannedCase {
        let question = "Is a provider token replaced before it is an hour old, also where pushes go all the time?"
        return planned("busy-hour", question, [needsDevice, needsEvent, needsProviderToken]) {
            var script = opening()
            let often = max(pause, .seconds(60))
            script.add(roles.anyEvent, after: often, every: often, count: 68)
            return Case(
                name: "busy-hour", question: question, scripts: [script], sessions: 4, exercises: ["provider-token-fresh"],
                touches: ["provider-token-reused", "states-delivered"])
        }
    }

    private var aged: PlannedCase {
        let question = "Is an activity that grows too old ended in time, with a state that says so?"
        let end = roles.profile.activities.end
        return planned(
            "aged", question,
            [
                needsActivity, need(roles.start, "owes a start"),
                Need(isThere: end != nil, words: "the profile has no `activities: { end }`, when the relay ends an old one"),
            ]
        ) {
            var script = opening()
            states(&script, 1)
            script.add(roles.anyState, after: (end?.terms.after ?? .zero) * 0.5)
            script.add(roles.anyState, after: (end?.terms.after ?? .zero) * 0.6)
            return Case(name: "aged", question: question, scripts: [script], sessions: 4, exercises: ["aged-activity-ended"])
        }
    }
}

// What a relay makes of a call that comes while something waits: for a window to open, or to be sent again.

import Basics
import Scenarios

extension CaseCatalogue {
    var waitingCases: [PlannedCase] {
        [questionInWindow, newsInRetry, rotatedInRetry, rotatedInFlight, goodbyeInRetry]
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

    private var newsInRetry: PlannedCase {
        let question = "When a newer state is told while one waits to be sent again, is nothing older shown behind it?"
        let isOrdered = Need(
            isThere: roles.profile.order != .parallel, words: "the calls of the profile cross each other (`order: parallel`)")
        return planned("news-in-retry", question, [needsActivity, isOrdered]) {
            // What waits, and what comes meanwhile.
            var pairs = roles.state.map { [($0, $0)] } ?? []
            if let progress = roles.progress, pairs.isEmpty || (window ?? .zero) <= .seconds(3) {
                pairs.append((progress, roles.state ?? progress))
            }
            let scripts = pairs.map { older, newer in
                var script = opening()
                for call in [roles.anyState, older] { settle(&script, call) }
                script.add(newer, after: .milliseconds(300))
                // What waited has come by then, also from who waits longer each time.
                script.add(roles.final, after: max(silence(behind: script), .seconds(3)) + rest)
                return script
            }
            return Case(
                name: "news-in-retry", question: question, scripts: scripts, sessions: 8 * scripts.count,
                faults: [
                    respond(
                        "news-in-retry", "{ reason: ServiceUnavailable }", match: "pushType: liveactivity, event: update",
                        after: 1, times: 1)
                ], exercises: ["state-order"], touches: ["timestamp-seconds-rising", "last-state-delivered"], rests: 1,
                rest: rest)
        }
    }

    /// An answer that takes so long crosses a registration, unless the caller before that waits for it.
    private static let slowAnswer = Interval.milliseconds(1_200)

    private var rotatedInFlight: PlannedCase {
        let question = "When APNs calls a token dead that has just been replaced, is the new one kept?"
        // Where a caller waits for APNs nothing crosses: the old token is dead by then, and what was called by its id is gone.
        let isNamedByItself = Need(
            isThere: roles.activity?.captures.isEmpty ?? true,
            words: "later calls name an activity by what its registration captures, which a dead token may take with it")
        return planned(
            "rotated-in-flight", question,
            [needsActivity, need(roles.rotation, "registers `rotatedToken`"), isNamedByItself]
        ) {
            // More than the new token gets, so that it does not meet the same.
            let passing = 3
            var script = opening()
            for _ in 0...passing { settle(&script, roles.anyState) }
            script.add(roles.rotation, after: .milliseconds(300))
            script.add(roles.anyState, after: max(silence(behind: script), Self.slowAnswer + grace))
            settle(&script, roles.anyState)
            settle(&script, roles.final)
            let delay = "delay: \(Self.slowAnswer.nanoseconds / 1_000_000)ms"
            return Case(
                name: "rotated-in-flight", question: question, scripts: [script], sessions: 12,
                faults: [
                    respond(
                        "rotated-in-flight", "{ reason: Unregistered, timestamp: after-registration, \(delay) }",
                        match: "pushType: liveactivity, event: update", after: passing, times: 1)
                ], exercises: [roles.state == nil ? "last-state-delivered" : "states-delivered"],
                touches: ["changed-row-kept"])
        }
    }

    private var rotatedInRetry: PlannedCase {
        let question = "When a token changes while a push to it waits to be sent again, does that go to the new one?"
        return planned(
            "rotated-in-retry", question, [needsActivity, need(roles.rotation, "registers `rotatedToken`")]
        ) {
            retried("rotated-in-retry", question, meanwhile: roles.rotation, exercises: ["new-token-used"])
        }
    }

    private var goodbyeInRetry: PlannedCase {
        let question = "When an activity is taken back while a push to it waits to be sent again, is that dropped?"
        let needsGoodbye = need(roles.goodbye, "takes an activity's token back, and owes nothing")
        return planned("goodbye-in-retry", question, [needsActivity, needsGoodbye]) {
            retried("goodbye-in-retry", question, passing: 1, meanwhile: roles.goodbye, exercises: ["unregister-respected"])
        }
    }

    /// States that pass, one that APNs takes at the third attempt, and a call between the first attempt and the last. Refused
    /// twice, so that a relay which comes again at once waits all the same; and behind it time for whoever doubles his waits.
    /// Something has to pass where nothing else would ever be delivered.
    private func retried(
        _ name: String, _ question: String, passing: Int = 0, meanwhile call: ProfileCall?, exercises: [String]
    ) -> Case {
        var script = opening()
        for _ in 0...passing { settle(&script, roles.anyState) }
        script.add(call, after: .milliseconds(400))
        script.add(roles.anyState, after: max(silence(behind: script), .seconds(6)) + rest * 2)
        return Case(
            name: name, question: question, scripts: [script], sessions: 12,
            faults: [
                respond(
                    name, "{ reason: ServiceUnavailable }", match: "pushType: liveactivity, event: update", after: passing,
                    times: 2)
            ], exercises: exercises, rests: 2, rest: rest)
    }
}

// What a relay makes of a call that comes while something waits: for a window to open, or to be sent again.

import Basics
import Scenarios

extension CaseCatalogue {
    var waitingCases: [PlannedCase] { [questionInWindow, rotatedInRetry, goodbyeInRetry] }

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

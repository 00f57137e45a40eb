// What a relay makes of connections that go away, of answers that do not come, and of its own end.

import Basics
import Pushes
import Scenarios

extension CaseCatalogue {
    var connectionCases: [PlannedCase] {
        [
            connection(
                "goaway", "Is what a GOAWAY disowns sent again on another connection?",
                "{ id: goaway, at: 2s, action: { goaway: { reason: Shutdown, last: none } }, times: 1 }",
                ["goaway-obeyed", "states-delivered"],
                atEnd: "action: { goaway: { reason: Shutdown, last: none } }, times: 1"),
            connection(
                "polite-goaway", "Is what was under way at a GOAWAY that lets it finish not sent again?",
                "{ id: polite-goaway, at: 2s, action: { goaway: { reason: Shutdown, last: this } }, times: 1 }",
                ["no-duplicate-push", "states-delivered"]),
            connection(
                "refused-streams", "Is a push whose stream was refused sent again?",
                "{ id: refused-streams, at: 1500ms, action: { reset-stream: { code: REFUSED_STREAM } }, times: 4 }",
                ["states-delivered"],
                atEnd: "action: { reset-stream: { code: REFUSED_STREAM } }, times: 1, per: token"),
            connection(
                "lost-connection", "Does the relay go on after its connection was cut?",
                "{ id: lost-connection, at: 2s, action: { close: { how: reset, when: before-answer } }, times: 1 }",
                ["relay-serves", "last-state-delivered"]),
            connection(
                "slow-answers", "Does an answer of APNs that takes a while bring nothing twice?",
                "{ id: slow-answers, at: 1s, for: 2s, action: { delay: 400ms } }", ["no-duplicate-push", "states-delivered"]),
            silence,
            restart("restart", "Does a relay that was restarted know again what it was told?", "TERM"),
            restart("killed", "Does a relay that was killed know again what it was told?", "KILL"),
        ] + knownAtRestartCases
    }

    /// `atEnd`: what is done to the last state of a session as well. A state in its middle need not be sent again where the
    /// next takes its place in time; nothing is newer than the last.
    private func connection(
        _ name: String, _ question: String, _ fault: String, _ rules: [String], atEnd: String? = nil
    ) -> PlannedCase {
        planned(name, question, [needsDevice, needsEvent]) {
            var script = opening()
            states(&script, 6)
            var faults = [fault]
            var known = rules
            if let atEnd {
                if let last = lastWord(&script) {
                    faults.append("{ id: \(name)-end, \(last), \(atEnd) }")
                    known.append("last-state-delivered")
                }
            } else {
                settle(&script, roles.final)
                if !(roles.final?.owes(.liveactivity) ?? false) { known.removeAll { $0 == "last-state-delivered" } }
            }
            return Case(
                name: name, question: question, scripts: [script], faults: faults, exercises: known, needsHostClock: true)
        }
    }

    private var silence: PlannedCase {
        let question = "Does APNs' silence keep nobody waiting for ever?"
        return planned("silence", question, [needsDevice, needsEvent]) {
            var script = opening()
            // Nothing comes behind the silence, so that only its own caller waits.
            states(&script, 3)
            return Case(
                name: "silence", question: question, scripts: [script],
                faults: ["{ id: silence, match: { \(refusable) }, action: { silence: true }, after: 2, times: 1, per: token }"],
                exercises: ["answers-in-time"], requestTimeout: mostPatient, needsHostClock: true)
        }
    }

    static let isNotOurs = "the relay runs already, and is not ours to end"

    private func restart(_ name: String, _ question: String, _ signal: String) -> PlannedCase {
        guard isLaunched else {
            return .cannot(name: name, question: question, reason: Self.isNotOurs)
        }
        return planned(name, question, [needsDevice, needsEvent]) {
            var script = opening()
            states(&script, 1)
            // As often as not while the relay ends: what it has answered it has stored.
            script.add(roles.hasActivities ? roles.rotation : nil, after: .milliseconds(900))
            states(&script, 5, after: max(pause, .milliseconds(1_100)))
            // However long it took: what came before it went says nothing of a relay that is back.
            states(&script, 2, after: untilBack(from: Self.restartsAt, behind: script))
            return Case(
                name: name, question: question, scripts: [script] + restarted, sessions: 24,
                restarts: [Self.restart(at: Self.restartsAt, signal)], exercises: ["relay-serves", "states-delivered"],
                touches: (roles.rotation == nil ? [] : ["new-token-used"]) + (roles.start == nil ? [] : ["one-start"]))
        }
    }

    private static let restartsAt = Interval.milliseconds(2_300)

    static func restart(at: Interval, _ signal: String) -> String {
        "{ at: \(at.nanoseconds / 1_000_000)ms, signal: \(signal), down: 300ms }"
    }

    /// From what a session says last to when it may go on: a relay that takes six seconds to end and to come up again has been
    /// back for a while then.
    func untilBack(from restart: Interval, behind script: CaseScript) -> Interval {
        max(pause, restart + .milliseconds(300) + .seconds(6) + .milliseconds(500) - script.shortest)
    }

    /// Sessions that the relay has to know of when it is back: a phone that is to be started then, a card without its token.
    private var restarted: [CaseScript] {
        guard let start = roles.start, roles.hasActivities else { return [] }
        var later = CaseScript(roles.profile)
        later.add(roles.device, after: .zero)
        later.add(start, after: untilBack(from: Self.restartsAt, behind: later))
        later.add(roles.activity, after: .milliseconds(300))
        states(&later, 2)
        guard let held else { return [later] }
        var gap = CaseScript(roles.profile)
        gap.add(roles.device, after: .zero)
        gap.add(start, after: .milliseconds(300))
        gap.add(held, after: .milliseconds(3_100))
        gap.add(roles.activity, after: .milliseconds(400))
        settle(&gap, roles.anyState)
        return [later, gap]
    }
}

// Rules about malformed requests: what a relay may make of them is its own, but for what others feel of it.

import Basics
package import Metrics
import Pushes

/// Accepted pushes that came of users who make malformed requests. `owner` of each is another user, or nobody.
package struct MalformedPushes {
    private(set) var pushes: [SeenPush] = []
    private static let most = 100_000

    package mutating func add(_ push: SeenPush) {
        if pushes.count < Self.most { pushes.append(push) }
    }
}

enum MalformedRules {
    static let all = [answered, reachesNobodyElse, omissionReachesNobodyElse]

    static let answered = Rule(
        "malformed-answered", ["G26"], .should, on: .both,
        requirement: "A malformed request is answered, and not as if the relay itself had failed.",
        norm: "RFC 9110, 15.5 and 15.6: 4xx says that the client seems to have erred, 500 that the server has; 502 to 504 "
            + "speak of the provider, or of the load",
        advice: "check a request's form before anything else is done with it, and answer 400"
    ) { joined, run, tally in
        for call in joined.account.calls where run.malformedKinds.contains(call.kind) && call.state == .sent {
            // What ended the relay is told by `relay-serves`.
            guard let last = run.end(of: call), !run.hasDied(by: last) else { continue }
            // Whoever sends such a thing on loses a connection to the provider, and may try again before it answers.
            guard call.wasAnswered || !run.hasTrouble(between: call.sentAt, and: last) else { continue }
            tally.test()
            guard !call.wasAnswered || call.status >= 500 && !(502...504).contains(call.status) else { continue }
            let name = run.kind(call.kind)
            let message =
                call.wasAnswered
                ? "the relay answered `\(name)` with a failure of its own" : "the relay did not answer `\(name)`"
            tally.find(
                message, expected: "an answer of 2xx or 4xx", seen: call.wasAnswered ? "status \(call.status)" : "none",
                session: call.session, step: call.step)
        }
    }.ofMalformed

    /// Of requests that say what their call cannot mean, or of those that say nothing in its place.
    private struct Reach: RuleMachine {
        let isOmission: Bool
        var tally = Tally()
        private var asked: [UInt64: SeenCall] = [:]

        init(isOmission: Bool) { self.isOmission = isOmission }

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for call in joined.account.calls
            where run.malformedKinds.contains(call.kind) && run.omittingKinds.contains(call.kind) == isOmission
                && call.state == .sent
            {
                tally.test()
                asked[call.place] = call
            }
        }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = tally
            for push in run.malformedPushes.pushes where push.owner != 0 {
                guard let call = asked[push.place] else { continue }
                tally.find(
                    "`\(run.kind(call.kind))` caused a push to a user whom it does not name", expected: "none",
                    seen: "a push of type \(push.type.word)", session: call.session, step: call.step, push.id)
            }
            return tally.verdict
        }
    }

    static let reachesNobodyElse = Rule(
        "malformed-reaches-nobody-else", ["G27"], .must, on: .both,
        requirement: "A request with a value that its call cannot mean reaches no user whom it does not name.",
        norm: "Relay contract: a call reaches whom it names",
        advice: "check the form of what names a user before it is looked up; never match by a prefix or a pattern",
        make: { Reach(isOmission: false) }
    ).ofMalformed

    static let omissionReachesNobodyElse = Rule(
        "omission-reaches-nobody-else", ["G28"], .should, on: .both,
        requirement: "A request that leaves something out reaches no user whom it does not name.",
        norm: "Relay contract: a call reaches whom it names; some relays take the lack of a name for everybody",
        advice: "refuse a request that names nobody; or name this rule in the profile's `knownFailing`, where it is meant so",
        make: { Reach(isOmission: true) }
    ).ofMalformed
}

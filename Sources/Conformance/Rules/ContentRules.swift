// Rules about what a push carries: it decodes, keeps to the contract, and says what the relay was told.

import Basics
import Metrics
import Pushes

enum ContentRules {
    static let all = [decodes, fitsContract, unchanged, payloadFits]

    private static func judge(
        _ joined: JoinedAccount, _ run: RunContext, _ tally: inout Tally, _ trouble: (SeenPush) -> String?,
        _ message: String, expected: String, where isMeant: (SeenPush) -> Bool = \.isLiveActivity
    ) {
        for push in joined.account.pushes where isMeant(push) && push.isAccepted {
            tally.test()
            guard let seen = trouble(push) else { continue }
            tally.find(
                message, expected: expected, seen: seen, of: push, push.id)
        }
    }

    static let decodes = Rule(
        "content-decodes", ["R0.43", "P20", "P21"], .must,
        requirement: "Each accepted push is a JSON object, and that of a Live Activity decodes on the device.",
        norm: "Apple, Generating a remote notification: a JSON dictionary; "
            + "Starting and updating Live Activities: APNs accepts what the device then drops in silence",
        advice: "compare the keys, their case and their types with the app's ActivityAttributes"
    ) { joined, run, tally in
        judge(
            joined, run, &tally,
            { push in
                if push.undecodable >= 0 { return run.texts[push.undecodable] }
                guard push.outcome == .undecodable else { return nil }
                guard push.isLiveActivity else { return "a payload that is no JSON object" }
                let needs = "undecodable: aps needs timestamp, event and content-state"
                return push.event == .start ? needs + "; of a start also attributes-type, attributes and alert" : needs
            }, "a push was accepted, but no app can decode it",
            expected: "a JSON object, with content that the app's types decode",
            // Of other pushes the device asks no more than that.
            where: { $0.isLiveActivity || $0.outcome == .undecodable })
    }

    static let fitsContract = Rule(
        "content-fits-contract", ["R0.5"], .must,
        requirement: "What a Live Activity push carries keeps to the relay's contract.",
        norm: "Relay contract: exactly these keys, within these bounds",
        advice: "send the keys of the contract and no others, within their bounds"
    ) { joined, run, tally in
        guard run.hasSchemas else { return }
        judge(
            joined, run, &tally, { $0.contractBreak >= 0 ? run.texts[$0.contractBreak] : nil },
            "a push breaks the contract of its content", expected: "what the profile's schema allows")
    }

    static let unchanged = Rule(
        "content-unchanged", ["R0.11", "R0.12"], .must, on: .both,
        requirement: "What the relay passes on is what it was given.",
        norm: "Relay contract: the state is passed through",
        advice: "pass the state on as it came, and shorten a text only where the contract says so; "
            + "or mend the profile's `passes`"
    ) { joined, run, tally in
        guard run.passesContent else { return }
        for push in joined.account.pushes where push.isMarked && push.isAccepted {
            // What a card says while it goes nobody reads.
            if push.event == .end, joined.isOfRestart(push) { continue }
            if push.flags.contains(.isCompared) { tally.test() }
            guard push.alteration >= 0 else { continue }
            tally.find(
                "a push says something else than the relay was told", expected: "the values of the event",
                seen: run.texts[push.alteration], session: push.session, step: push.step, push.id)
        }
    }

    static let payloadFits = Rule(
        "payload-fits", ["R0.6"], .must,
        requirement: "No payload is larger than 4096 bytes.",
        norm: "Apple, Generating a remote notification: 4 KB for everything but VoIP",
        advice: "shorten texts by bytes before the payload is built, or refuse the event"
    ) { joined, run, tally in
        let limit: Int32 = 4096
        for push in joined.account.pushes where push.type != .voip {
            tally.test()
            guard push.payloadCount > limit else { continue }
            tally.find(
                "a payload is too large", expected: "at most \(limit) bytes", seen: "\(push.payloadCount) bytes",
                of: push, push.id)
        }
    }
}

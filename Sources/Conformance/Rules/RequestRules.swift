// Rules about the form of a request to the provider.

import Basics
import Journal
import Metrics
import Pushes

enum RequestRules {
    static let all = [wellFormed, topicFitsType, typeGiven, longIDsApart, accepted]

    static let wellFormed = Rule(
        "requests-well-formed", ["P17", "P23"], .must,
        requirement: "No push is rejected for its path, its header fields or its payload; its expiration is in seconds.",
        norm: "Apple, Sending notification requests to APNs",
        advice: "the reason names the field; compare it with Apple's table of request header fields",
        make: { WellFormed() })

    /// Also of pushes to tokens that nobody has registered, where the relay is ours: what it sends there it made up.
    private struct WellFormed: RuleMachine {
        private(set) var tally = Tally()

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for push in joined.account.pushes where !push.metFault {
                tally.test()
                if let unit = push.otherUnit {
                    tally.find(
                        "apns-expiration is not in Unix seconds", expected: "seconds since 1970, such as "
                            + "\(push.arrivedWall.seconds + 3_600)",
                        seen: "what looks like \(unit)", of: push, push.id)
                }
                Self.judge(push, "a push was rejected for its form", run, &tally)
            }
        }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = tally
            for push in run.refusedStrays where push.provider == .apns {
                tally.test()
                Self.judge(push, "a push to a token that nobody has registered was rejected for its form", run, &tally)
            }
            run.findUnread(of: .apns, &tally)
            return tally.verdict
        }

        private static func judge(_ push: SeenPush, _ message: String, _ run: RunContext, _ tally: inout Tally) {
            guard run.subject(of: push) == .request, !push.flags.contains(.isProbe) else { return }
            tally.find(message, expected: "a request APNs accepts", seen: run.reason(push), of: push, push.id)
        }
    }

    /// Of a mock that somebody else's tests drive: nothing else tells there that a push came to nothing. In a run it is a loss.
    static let accepted = Rule(
        "pushes-accepted", ["P1", "P11", "F6"], .should, on: .both,
        requirement: "No push is refused for its sender's credential, or for a token that is not of this app and host.",
        norm: "Apple, Handling notification responses from APNs; Google, FCM ErrorCode",
        advice: "mend what the reason names: key, key ID, team or project; topic, or the environment of the token"
    ) { joined, run, tally in
        guard run.isMockAlone else { return }
        for push in joined.account.pushes where !push.metFault {
            tally.test()
            switch run.subject(of: push) {
            case .sender:
                tally.find(
                    "a push was refused for its sender's credential", expected: "a credential that may push there",
                    seen: run.reason(push), of: push, push.id)
            case .token where push.status == 400 || push.status == 403:
                tally.find(
                    "a push was refused for its token", expected: "a token of this app, in this environment",
                    seen: run.reason(push), of: push, push.id)
            case .token, .request, .provider, .connection, nil: break
            }
        }
    }

    static let topicFitsType = Rule(
        "topic-fits-type", ["P18"], .must,
        requirement: "The topic of a push ends as its type wants: a Live Activity's with .push-type.liveactivity.",
        norm: "Apple, Sending notification requests to APNs: the bundle ID with the suffix of the push type",
        advice: "append the suffix of the push type to the bundle ID"
    ) { joined, run, tally in
        for push in joined.account.pushes where push.topic >= 0 {
            let suffix = push.type.topicSuffix.description
            guard !suffix.isEmpty else { continue }
            tally.test()
            guard !run.texts[push.topic].hasSuffix(suffix) else { continue }
            tally.find(
                "push type and topic disagree", expected: "a topic that ends with \(suffix)",
                seen: run.texts[push.topic], of: push, push.id)
        }
    }

    static let typeGiven = Rule(
        "push-type-given", ["P18"], .should,
        requirement: "A push says in apns-push-type what it is.",
        norm: "Apple, Sending notification requests to APNs: required on watchOS 6 and later, recommended everywhere else",
        advice: "send apns-push-type with every push: alert, background, liveactivity, …"
    ) { joined, run, tally in
        for push in joined.account.pushes {
            tally.test()
            guard push.flags.contains(.lacksType) else { continue }
            tally.find(
                "a push does not say of which type it is", expected: "the field apns-push-type",
                seen: "none, so APNs takes it for an alert", of: push, push.id)
        }
    }

    private struct OnToken: Hashable {
        var token: TokenHash
        var id: UInt64
    }

    static let longIDsApart = Rule(
        "long-ids-apart", ["P23"], .must,
        requirement: "An ID that is too long for apns-collapse-id becomes one that no other ID becomes, each time the same.",
        norm: "Apple, Sending notification requests to APNs: 64 bytes at most, and what has one ID is one notification",
        advice: "send a hash of the ID where it is too long: what is cut off may be all in which two of them differ"
    ) { joined, run, tally in
        var meant: [OnToken: (id: UInt64, push: UInt64)] = [:]
        var given: [OnToken: (id: UInt64, push: UInt64)] = [:]
        for push in joined.account.pushes where push.isAccepted {
            guard let shortened = push.shortened else { continue }
            tally.test()
            func tell(_ message: String, _ expected: String, _ first: UInt64) {
                tally.find(
                    message, expected: expected, seen: "two pushes to one device that say otherwise",
                    of: push, first, push.id)
            }
            let (byGiven, byMeant) = (
                OnToken(token: push.token, id: shortened.given), OnToken(token: push.token, id: shortened.meant)
            )
            if let first = meant[byGiven], first.id != shortened.meant {
                tell("two long IDs have become one apns-collapse-id", "one of its own for each", first.push)
            } else if let first = given[byMeant], first.id != shortened.given {
                tell("one long ID has become two apns-collapse-ids", "the same each time", first.push)
            }
            meant[byGiven] = (shortened.meant, push.id)
            given[byMeant] = (shortened.given, push.id)
        }
    }
}

extension RunContext {
    /// A finding for each note of requests that nobody could read.
    func findUnread(of provider: Provider, _ tally: inout Tally) {
        for note in unread where note.provider == provider {
            tally.test()
            tally.find(
                "connection \(note.connection) sent what could not be read as a request",
                expected: "a request within the rules and limits of HTTP",
                seen: "\(note.why), \(note.requests) \(note.requests == 1 ? "time" : "times")")
        }
    }
}

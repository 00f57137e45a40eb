// Rules about messages to FCM: their form, and what a Live Update asks of one (docs/fcm.md §7).

import Basics
import Metrics
import Pushes

enum MessageRules {
    static let all = [wellFormed, meant, dataOnly, high, lateInOrder, shownOnce, perToken, activityFits, RampUp.rule]

    static let wellFormed = Rule(
        "messages-well-formed", ["F11", "F12", "F13", "F16", "F17", "F18"], .must, on: .fcm,
        requirement: "No message to FCM is refused for its form: one target, texts as data, no reserved key, a size that fits.",
        norm: "Google, FCM v1 REST reference: Message",
        advice: "mend what that answer complains of; compare the message with Google's reference, and measure it before",
        make: { WellFormed() })

    private struct WellFormed: RuleMachine {
        private(set) var tally = Tally()

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for push in joined.account.pushes where !push.metFault {
                tally.test()
                guard run.subject(of: push) == .request, !push.flags.contains(.isProbe) else { continue }
                tally.find(
                    "a message was refused for its form", expected: "a message that FCM accepts", seen: run.reason(push),
                    of: push, push.id)
            }
        }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = tally
            run.findUnread(of: .fcm, &tally)
            return tally.verdict
        }
    }

    /// Without a plan nobody knows which messages were meant for devices.
    static let meant = Rule(
        "messages-are-meant", ["F25"], .must, on: .fcm,
        requirement: "A message that an event calls for is sent in earnest, not with validate_only.",
        norm: "Google, FCM v1 REST reference: such a message is delivered to nobody",
        advice: "leave validate_only out, or say false, outside of tests"
    ) { joined, run, tally in
        for (index, push) in joined.account.pushes.enumerated() where push.isAccepted && joined.rowOfPush[index] != nil {
            tally.test()
            guard push.outcome == nil else { continue }
            tally.find(
                "a message was accepted and delivered to nobody", expected: "validate_only false or absent",
                seen: "a message for trial", session: push.session, step: push.step, push.id)
        }
    }

    /// Of an Android app; a Live Activity of an iPhone has fields of its own.
    static func isLiveUpdate(_ push: SeenPush) -> Bool { push.isLiveActivity && !push.flags.contains(.isForApple) }

    static let dataOnly = Rule(
        "live-update-data-only", ["F14", "R3.7"], .should, on: .fcm,
        requirement: "A Live Update is data only: it has no notification block, neither for all nor for Android.",
        norm: "Follows from Google's page on message types: with a block the app does not run in the background",
        advice: "put what the app needs into data, and let it draw the update itself"
    ) { joined, run, tally in
        for push in joined.account.pushes where isLiveUpdate(push) {
            tally.test()
            guard push.flags.contains(.hasNotification) else { continue }
            tally.find(
                "a Live Update has a notification block", expected: "data alone", seen: "notification beside it",
                of: push, push.id)
        }
    }

    static let high = Rule(
        "live-update-high", ["F15"], .should, on: .fcm,
        requirement: "A Live Update goes at priority high.",
        norm: "Google, Set and manage message priority: normal messages wait while the device dozes",
        advice: "set android.priority to high for what the user sees change"
    ) { joined, run, tally in
        for push in joined.account.pushes where isLiveUpdate(push) {
            tally.test()
            guard push.priority < 10 else { continue }
            tally.find(
                "a Live Update was not sent at priority high", expected: "android.priority high",
                seen: push.flags.contains(.gavePriority) ? "normal" : "none, which is normal",
                of: push, push.id)
        }
    }

    /// What a phone's maker holds back comes all at once, and in any order: no relay is blamed for that, but for what it left
    /// the app to tell it by. Only a device of the mock says which state its app shows.
    static let lateInOrder = Rule(
        "late-states-in-order", ["R3.36"], .should, on: .fcm,
        requirement: "Of states that an Android device gets late and together the newest stays on its screen.",
        norm: "Sendora Cloud's page: data messages may be delayed; Google promises no order",
        advice: "give the states of an activity one collapse_key, or a number in data by which the app tells which is newer"
    ) { joined, run, tally in
        for push in joined.account.pushes where isLiveUpdate(push) {
            switch push.outcome {
            case .superseded: tally.test()
            // Where the app tells them apart by what it is sent.
            case .ignoredOlder: if run.tellsStatesApart { tally.test() }
            case .setBack:
                tally.test()
                tally.find(
                    "an older state took the place of a newer one on the device", expected: "the newest state",
                    seen: "an older one, whose message came behind it", of: push, push.id)
            default: break
            }
        }
    }

    /// What the app makes of data nobody knows where no device of the mock shows it.
    static let shownOnce = Rule(
        "repeats-shown-once", ["F20"], .should, on: .fcm,
        requirement: "A message that is sent again, for want of an answer, does not show twice on the device.",
        norm: "Seen in several relays; Google acknowledged that an answer may be lost behind a delivery",
        advice: "keep what the app tells messages apart by through all attempts: a tag, or an id in data"
    ) { joined, run, tally in
        var shown: [PushIdentity: SeenPush] = [:]
        // What was told twice may be shown twice.
        for push in joined.account.pushes
        where push.isMarked && !push.flags.contains(.hasTag) && joined.account.call(at: push.place)?.attempts ?? 1 < 2 {
            guard let outcome = push.outcome, let before = shown[push.identity] else {
                if push.outcome?.changedScreen == true { shown[push.identity] = push }
                continue
            }
            guard outcome != .handedOver else { continue }
            tally.test()
            guard outcome == .shown else { continue }
            tally.find(
                "a message that was sent again is shown beside itself", expected: "one showing of it", seen: "two",
                session: push.session, step: push.step, before.id, push.id)
        }
    }

    static let activityFits = Rule(
        "live-activity-messages-fit", ["F22"], .must, on: .fcm,
        requirement: "A Live Activity goes with its own token, a rising timestamp, its event and its state.",
        norm: "Google, Live Activities with FCM",
        advice: "put its token into apns.live_activity_token, and timestamp, event and content-state into apns.payload"
    ) { joined, run, tally in
        let messages = joined.account.pushes.filter { $0.flags.contains(.isForApple) }
        guard !messages.isEmpty else { return }
        for push in messages {
            tally.test()
            if let (expected, seen) = strangerBeside(push, joined) {
                tally.find(
                    "a message for a Live Activity names a token that is not its activity's", expected: expected, seen: seen,
                    of: push, push.id)
            }
            guard push.startLack >= 0 else { continue }
            tally.find(
                "a message for a Live Activity is not whole", expected: "what Google's page says that it has",
                seen: run.texts[push.startLack], of: push, push.id)
        }
        TimestampRule.judge(joined, run, &tally)
    }

    /// What was registered as something else, or by nobody of its user though its session has registered one. That of another
    /// session is `sessions-kept-apart`'s.
    private static func strangerBeside(_ push: SeenPush, _ joined: JoinedAccount) -> (expected: String, seen: String)? {
        guard let token = push.activityToken, let event = push.event else { return nil }
        let role: Lane.Role = event == .start ? .start : .activity
        let expected = event == .start ? "the phone's start token" : "the token that its activity has registered"
        if let lane = joined.tokens.lanes[token] {
            return lane.role == role ? nil : (expected, "one of kind \(lane.role)")
        }
        let isKnown = push.isMarked && joined.account.tokenCalls.contains { made in
            made.isRegistration && made.lane.role == role && made.place >> 32 == UInt64(push.session)
        }
        return isKnown && push.event != .start ? (expected, "one that nobody of its user has registered") : nil
    }

    private static let mostAMinute = 240

    static let perToken = Rule(
        "token-rate-kept", ["F21"], .must, on: .fcm,
        requirement: "One registration gets at most 240 messages a minute.",
        norm: "Google, FCM throttling and quotas: 240 messages a minute to a single device",
        advice: "send each message once, and merge the states of one device before they are sent: the newest is what it shows",
        span: { _ in .minute }
    ) { joined, run, tally in
        var recent: [TokenHash: [SeenPush]] = [:]
        var told: Set<TokenHash> = []
        for push in joined.account.pushes {
            var list = recent[push.token] ?? []
            if list.isEmpty { tally.test() }
            list.append(push)
            if list.count > mostAMinute + 1 { list.removeFirst() }
            recent[push.token] = list
            guard list.count > mostAMinute, push.arrivedAt - list[0].arrivedAt < .minute, told.insert(push.token).inserted
            else {
                continue
            }
            let different = Set(list.map(\.payloadHash)).count
            tally.find(
                "one device's registration token got more than \(mostAMinute) messages in a minute",
                expected: "at most \(mostAMinute)",
                seen: "\(list.count) in \(push.arrivedAt - list[0].arrivedAt), \(different) of them different",
                of: push,
                // Our calls may have come closer together than they were meant to, and no lateness of ours makes copies.
                restsOn: different > mostAMinute / 2 ? .timing : [], push.id)
        }
    }
}

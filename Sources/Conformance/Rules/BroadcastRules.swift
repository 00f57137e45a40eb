// Rules about what a relay broadcasts, as those heard it who listened.

import Basics
import Metrics
import Pushes

enum BroadcastRules {
    static let all = [told, own, agree, readable]

    static let told = Rule(
        "broadcasts-told", ["R1.1", "R1.2"], .must, basis: .absence, on: .both,
        requirement: "What a call changes is broadcast to each who listens at that time, as soon as the relay declares.",
        norm: "Relay contract: each change is broadcast on the channel of its user",
        advice: "broadcast behind the commit, to every subscriber of the channel, and hold nothing back"
    ) { joined, run, tally in
        for hearing in Hearing.all(joined.account) {
            for (call, owed) in hearing.owed(joined.account, run) {
                let due = call.answeredAt + owed.within + run.jitter
                guard hearing.listens(from: call.sentAt, until: due), !run.isAway(from: call.sentAt, until: due)
                else { continue }
                let telling = hearing.telling(of: call, isMarked: owed.isMarked)
                guard due <= run.circumstances.end || telling != nil else { continue }
                tally.test()
                let expected = "\(run.observer(owed.observer)) hears of it within \(owed.within) of the answer"
                guard let telling else {
                    let heardIt = joined.account.tellings.filter { $0.place == call.place && $0.what == .told }
                    let others = Set(heardIt.map { run.observer(Int($0.observer)) })
                    let heard = others.isEmpty ? "nobody heard of it" : "heard by \(others.sorted().joined(separator: ", "))"
                    tally.find(
                        "a change was not broadcast to one who listened", expected: expected,
                        seen: "no event with its marker; \(heard)",
                        session: call.session, step: call.step, hearing.opened)
                    continue
                }
                guard telling.at > due else { continue }
                tally.find(
                    "a broadcast came late", expected: expected, seen: "\(telling.at - call.answeredAt) after the answer",
                    session: call.session, step: call.step, restsOn: .timing, telling.id)
            }
        }
    }

    static let own = Rule(
        "broadcasts-own", ["R1.2"], .must, on: .both,
        requirement: "Who listens hears of the user's own changes only, and of none that was refused.",
        norm: "Relay contract: the channel is the user's own; a change that was refused is none",
        advice: "look up the channel by the row's own user, and broadcast behind the commit"
    ) { joined, run, tally in
        for telling in joined.account.tellings {
            guard telling.what == .told, let place = telling.place else { continue }
            tally.test()
            let name = run.observer(Int(telling.observer))
            let (session, step) = (UInt32(place >> 32), EventNumber.step(atPlace: place))
            guard let call = joined.account.call(at: place) else {
                tally.find(
                    "a broadcast went to another user", expected: "\(name) hears of its own user's changes",
                    seen: "an event with the marker of session \(session)", session: session, step: step, telling.id)
                continue
            }
            if let only = telling.session, only != session {
                tally.find(
                    "a broadcast went to another session", expected: "\(name) hears of session \(only) alone",
                    seen: "an event with the marker of session \(session)", session: session, step: step, telling.id)
                continue
            }
            guard run.refusedKinds.contains(call.kind), call.wasTaken else { continue }
            tally.find(
                "what was refused was broadcast", expected: "no event for a call that was answered \(call.status)",
                seen: "an event with its marker", session: session, step: step, telling.id)
        }
    }

    static let agree = Rule(
        "observers-agree", ["R1.16"], .must, basis: [.absence, .order], on: .both,
        requirement: "All who listen for one user have heard the same last, and that is the last change.",
        norm: "Relay contract: two who listen show the same, without polling",
        advice: "broadcast in the order of the commits, to all subscribers alike, and repeat nothing older"
    ) { joined, run, tally in
        let hearings = Hearing.all(joined.account)
        guard hearings.count > 1 else { return }
        // Who listens for one session hears of that alone.
        let groups = Dictionary(grouping: hearings) { UInt64($0.observer) << 32 | UInt64($0.session ?? 0) }
        for (_, own) in groups.sorted(by: { $0.key < $1.key }) {
            guard let (call, owed) = lastChange(own, joined.account, run), owed.isMarked,
                case let due = call.answeredAt + owed.within + run.jitter, due <= run.circumstances.end,
                own.allSatisfy({ $0.listens(from: call.sentAt, until: due) }), !run.isAway(from: call.sentAt, until: due)
            else { continue }
            tally.test()
            for hearing in own {
                // An event without a marker may be anything, and one of another user's is judged by itself.
                let last = hearing.told.last { $0.place.map { joined.account.index(ofCall: $0) != nil } ?? false }
                guard let last, last.place != call.place else { continue }
                tally.find(
                    "one who listens has heard something older last",
                    expected: "\(run.observer(own[0].observer)) ends with the change of `\(run.kind(call.kind))`",
                    seen: "the change of step \(EventNumber.step(atPlace: last.place!))", session: call.session,
                    step: call.step, last.id)
            }
        }
    }

    static let readable = Rule(
        "broadcasts-readable", ["R1.2"], .must, on: .both,
        requirement: "Who asks to listen is let in, and hears what the protocol of the broadcasts allows.",
        norm: "RFC 6455, sections 4.2, 5.1, 5.6 and 8.1; relay contract: the channel is open to its user",
        advice: "take each subscription that the contract has, and send text in UTF-8, in frames without a mask"
    ) { joined, run, tally in
        let owner = joined.account.calls.first?.session
        for hearing in Hearing.all(joined.account) {
            if hearing.isIn { tally.test() }
            for telling in hearing.broken {
                tally.test()
                tally.find(
                    "a subscription broke its protocol", expected: "text messages as RFC 6455 has them",
                    seen: telling.words ?? "something else", session: hearing.session ?? owner, telling.id)
            }
            // Who was let in later has been told to come again.
            guard !hearing.isIn, hearing.broken.isEmpty, let refused = hearing.refused,
                !run.isAway(from: refused.at, until: refused.at), refused.at <= run.circumstances.end
            else { continue }
            tally.test()
            tally.find(
                "one who asked to listen was never let in", expected: "\(run.observer(hearing.observer)) may listen",
                seen: refused.words ?? "a refusal", session: hearing.session ?? owner, refused.id)
        }
    }

    /// The change behind which there was no other, where all that came before it was over by then.
    private static func lastChange(
        _ hearings: [Hearing], _ account: Account, _ run: RunContext
    ) -> (SeenCall, RunContext.OwedTelling)? {
        let owed = hearings[0].owed(account, run)
        guard let last = owed.max(by: { $0.call.sentAt < $1.call.sentAt }) else { return nil }
        // What got no answer may have changed something at any time.
        let isClear = account.calls.allSatisfy { call in
            call.place == last.call.place || run.tellings[call.kind] == nil || call.state != .sent
                || hearings[0].session.map { $0 != call.session } ?? false
                || call.wasAnswered && call.answeredAt <= last.call.sentAt
        }
        return isClear ? last : nil
    }
}

/// What one who listens heard.
private struct Hearing {
    let observer: Int
    let session: UInt32?
    /// While the subscription stood.
    private var spans: [Range<Instant>] = []
    /// The note of its beginning.
    private(set) var opened: UInt64 = 0
    private(set) var told: [Telling] = []
    private(set) var broken: [Telling] = []
    /// The last time.
    private(set) var refused: Telling?
    var isIn: Bool { !spans.isEmpty }

    static func all(_ account: Account) -> [Hearing] {
        var hearings: [UInt32: Hearing] = [:]
        for telling in account.tellings {
            hearings[telling.listener, default: Hearing(telling)].take(telling)
        }
        return hearings.sorted { $0.key < $1.key }.map(\.value)
    }

    private init(_ first: Telling) {
        observer = Int(first.observer)
        session = first.session
    }

    private mutating func take(_ telling: Telling) {
        switch telling.what {
        case .opened:
            spans.append(telling.at..<Instant.distantFuture)
            opened = telling.id
        case .told: told.append(telling)
        case .refused: refused = telling
        case .closed, .broken:
            if telling.what == .broken { broken.append(telling) }
            guard let last = spans.popLast() else { return }
            spans.append(last.lowerBound..<max(last.lowerBound, min(last.upperBound, telling.at)))
        }
    }

    func listens(from first: Instant, until last: Instant) -> Bool {
        spans.contains { $0.lowerBound <= first && last < $0.upperBound }
    }

    /// Calls that the relay took, and what they owe to this one.
    func owed(_ account: Account, _ run: RunContext) -> [(call: SeenCall, owed: RunContext.OwedTelling)] {
        account.calls.flatMap { call -> [(call: SeenCall, owed: RunContext.OwedTelling)] in
            guard call.wasTaken, !call.wasRefusedAsItMay, session == nil || session == call.session else { return [] }
            return (run.tellings[call.kind] ?? []).filter { $0.observer == observer }.map { (call, $0) }
        }
    }

    /// Of a call that its event names; where the event can name none, the first such behind the call.
    func telling(of call: SeenCall, isMarked: Bool) -> Telling? {
        told.first { isMarked ? $0.place == call.place : $0.place == nil && $0.at >= call.sentAt }
    }
}

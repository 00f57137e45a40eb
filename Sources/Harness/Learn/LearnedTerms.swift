// What plays have told of a relay beyond its calls: what it leaves out where states come close together, what waits for a
// card's token, whether a card that is there is begun again, and what it makes of a push that was refused for now.

import Basics
import Journal
import Pushes

struct LearnedTerms {
    /// Of a call's push.
    struct Push {
        /// A newer state may come instead.
        var isCoalesced = false
        /// It waits for the card's token.
        var isHeld = false
        /// It is sent where the phone has no card.
        var isUnlessActivity = false
        /// It asks the user for something.
        var isUrgent = false
    }

    /// By the call's number, and by the words of a push.
    private(set) var terms: [Int: [String: Push]] = [:]
    /// Pushes that only a play has shown.
    private(set) var more: [Int: [TourDraft.SeenPush]] = [:]
    /// At most one coalesced push of a session in this time.
    private(set) var window: Interval?
    /// Some push was refused for now.
    private(set) var wasRefused = false
    /// The longest time until such a push came again; nil: some never did, or none was refused.
    private(set) var rest: Interval?
    /// What calls were answered whose push was refused for now, where it is no usual answer.
    private(set) var noes: Set<Int> = []
    /// The push of no such call came again.
    private(set) var isGivenBack = false

    // MARK: States close together, and what comes before a token

    mutating func learn(_ plays: LearnPlays, _ played: PlayedCalls) {
        for (session, question) in plays.questions.enumerated() {
            let calls = played.calls(of: UInt32(session))
            switch question {
            case .burst(let number): learn(burst: Array(calls.suffix(LearnPlays.burst)), of: number, plays, played)
            case .early(let number): learn(early: calls, of: number, plays, played)
            case .again(let number): learn(again: calls.last, of: number, plays, played)
            case .adopted(let number): learn(adopted: calls.last, of: number, plays, played)
            case .backwards: break
            }
        }
        markUrgent(played)
    }

    private mutating func learn(burst: [PlayedCalls.Call], of number: Int, _ plays: LearnPlays, _ played: PlayedCalls) {
        guard burst.count == LearnPlays.burst else { return }
        var came: [String: [(place: Int, push: PushEntry)]] = [:]
        for (place, call) in burst.enumerated() {
            for push in played.pushes(of: call) where push.status == 200 {
                came[TourProbe.push(push).words, default: []].append((place, push))
            }
        }
        for (words, seen) in came {
            let places = Set(seen.map(\.place))
            let known = plays.draft.seen[number].pushes.contains { $0.words == words }
            if !known, !places.isDisjoint(with: [0, burst.count - 1]) {
                more[number, default: []].append(TourProbe.push(seen[0].push))
            }
            // Who loses the last one coalesces nothing.
            guard places.count < burst.count, places.contains(burst.count - 1) else { continue }
            terms[number, default: [:]][words, default: Push()].isCoalesced = true
            let instants = seen.map(\.push.arrivedAt).sorted()
            let gaps = zip(instants.dropFirst(), instants).map { $0 - $1 }
            let alone = instants.last! - burst[0].event.sentAt
            window = max(window ?? .zero, gaps.max() ?? alone)
        }
    }

    private mutating func learn(early calls: [PlayedCalls.Call], of number: Int, _ plays: LearnPlays, _ played: PlayedCalls) {
        guard calls.count >= 2, let registered = calls.last?.event, 200..<300 ~= registered.status else { return }
        for push in played.pushes(of: calls[calls.count - 2])
        where push.status == 200 && push.arrivedAt >= registered.sentAt {
            terms[number, default: [:]][TourProbe.push(push).words, default: Push()].isHeld = true
        }
    }

    private mutating func learn(again call: PlayedCalls.Call?, of number: Int, _ plays: LearnPlays, _ played: PlayedCalls) {
        guard let call, 200..<300 ~= call.event.status else { return }
        let came = played.pushes(of: call).filter { $0.status == 200 }.map(TourProbe.push)
        for push in plays.draft.seen[number].pushes
        where push.event == .start && !came.contains(where: { $0.words == push.words }) {
            terms[number, default: [:]][push.words, default: Push()].isUnlessActivity = true
        }
        add(came, of: number, plays)
    }

    private mutating func learn(adopted call: PlayedCalls.Call?, of number: Int, _ plays: LearnPlays, _ played: PlayedCalls) {
        guard let call, 200..<300 ~= call.event.status else { return }
        add(played.pushes(of: call).filter { $0.status == 200 }.map(TourProbe.push), of: number, plays)
    }

    private mutating func add(_ came: [TourDraft.SeenPush], of number: Int, _ plays: LearnPlays) {
        let known = plays.draft.seen[number].pushes + (more[number] ?? [])
        for push in came where !known.contains(where: { $0.words == push.words }) { more[number, default: []].append(push) }
    }

    /// Pushes of a call that say of their priority that it is no chance.
    private static let fewest = 4

    /// A state that is never held back, and always of high priority where those that are bear a low one.
    private mutating func markUrgent(_ played: PlayedCalls) {
        var priorities: [Int: [String: [String]]] = [:]
        for call in played.calls {
            for push in played.pushes(of: call) where push.event == .update {
                let words = TourProbe.push(push).words
                priorities[Int(call.event.kind), default: [:]][words, default: []].append(push.priority ?? "")
            }
        }
        let isGraded = priorities.contains { number, own in
            own.contains { words, seen in terms[number]?[words]?.isCoalesced == true && Set(seen) == ["5"] }
        }
        guard isGraded else { return }
        for (number, own) in priorities {
            for (words, seen) in own
            where seen.count >= Self.fewest && Set(seen) == ["10"] && terms[number]?[words]?.isCoalesced != true {
                terms[number, default: [:]][words, default: Push()].isUrgent = true
            }
        }
    }

    // MARK: What was refused for now

    mutating func learn(refused played: PlayedCalls, _ draft: TourDraft) {
        var (longest, isLost, isOfOthers) = (Interval?.none, false, false)
        for call in played.calls {
            let pushes = played.pushes(of: call)
            let refused = pushes.filter { $0.status == 503 }
            guard !refused.isEmpty else { continue }
            wasRefused = true
            let status = Int(call.event.status)
            let isNo = status != 0 && !draft.seen[Int(call.event.kind)].statuses.contains(status)
            if isNo { noes.insert(status) }
            for push in refused {
                let again = pushes.first { $0.token == push.token && $0.status == 200 && $0.arrivedAt > push.arrivedAt }
                guard let again else {
                    isLost = true
                    if !isNo { isOfOthers = true }
                    continue
                }
                longest = max(longest ?? .zero, again.arrivedAt - push.arrivedAt)
            }
        }
        rest = isLost ? nil : longest
        isGivenBack = isLost && !isOfOthers
    }
}

// MARK: As YAML

extension LearnedTerms {
    /// Of the profile: each with what it rests on.
    var lines: String {
        var lines = ""
        if let window {
            lines += "\n# Of \(LearnPlays.burst) calls close together some states were left out: "
                + "the longest gap was \(window).\n"
                + "coalescing: { window: \(Self.rounded(window)) }\n"
        }
        if let rest {
            let longest = max(Interval.seconds(5), .seconds(Double((rest * 4).nanoseconds / 1_000_000_000 + 1)))
            lines += "\n# A push that was answered 503 once came again within \(rest).\nrest: \(longest)\n"
        } else if wasRefused {
            lines += "\n# A push that was answered 503 once did not come again. How long it may rest says `rest`.\n"
        }
        if isGivenBack {
            let statuses = noes.sorted().map(String.init).joined(separator: ", ")
            lines += "\n# So a call was answered whose push was refused for now. It is its caller's again.\n"
                + "answers: [{ status: [\(statuses)], means: permanent }]\n"
        }
        return lines
    }

    /// Behind a push of that call.
    func words(of push: TourDraft.SeenPush, by call: Int) -> String {
        guard let known = terms[call]?[push.words] else { return "" }
        return (known.isUnlessActivity ? ", unless: \(SeenTokens.Role.activity.rawValue)" : "")
            + (known.isCoalesced ? ", coalesce: true" : "") + (known.isHeld ? ", held: true" : "")
            + (known.isUrgent ? ", urgent: true" : "")
    }

    /// To what somebody would have written.
    private static func rounded(_ window: Interval) -> Interval {
        let grid: Int64 = window < .seconds(1) ? 50 : window < .seconds(5) ? 100 : window < .seconds(20) ? 500 : 1_000
        let milliseconds = window.nanoseconds / 1_000_000
        return .milliseconds(max(grid, (milliseconds + grid / 2) / grid * grid))
    }
}

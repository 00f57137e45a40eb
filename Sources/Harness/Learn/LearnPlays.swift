// What is asked of a relay once its calls are known: each that pushes several times in a row, some before a card has its token,
// the start of a card that is there, and all of it while the provider refuses a push.

import Basics

struct LearnPlays {
    /// What a session asks behind the opening.
    enum Question: Hashable {
        /// The call, several times in a row.
        case burst(Int)
        /// The call before the card's token is registered.
        case early(Int)
        /// A card is begun that is there.
        case again(Int)
        /// A card is begun that its app has begun already.
        case adopted(Int)
        /// All that push, the last first, so that values fall which rose as they were watched.
        case backwards([Int])

        /// Of a burst.
        var burst: Int? { if case .burst(let call) = self { call } else { nil } }
    }

    let draft: TourDraft
    /// Calls by which a session begins, and among them the one that registers a card's token.
    let opening: [Int]
    let registration: Int?
    /// Each a session.
    let questions: [Question]

    /// So often in a burst, and so long after each other.
    static let burst = 5
    private static let gap = "150ms"
    private static let pause = Interval.milliseconds(700)
    private static let behind = Interval.milliseconds(1_500)
    /// So long a state may be held back that a newer one has followed.
    private static let patience = "15s"
    private static let most = 24

    init(_ draft: TourDraft) {
        self.draft = draft
        let isUsual = { call in
            draft.traits[call].refusedWith == nil && draft.traits[call].unregisters.isEmpty && !draft.ends(call)
        }
        let activity = SeenTokens.Role.activity.rawValue
        let scripts = draft.scripts.map { $0.filter(isUsual) }
        let registration = scripts.joined().first { draft.registers($0).contains(activity) }
        let isPushing = { call in !draft.seen[call].pushes.isEmpty }
        // A session begins as the first one that has a card, or brings a push.
        var opening: [Int] = []
        if let registration, let script = scripts.first(where: { $0.contains(registration) }) {
            opening = Array(script[...script.firstIndex(of: registration)!])
        } else if let script = scripts.first(where: { $0.contains(where: isPushing) }) {
            opening = Array(script[..<script.firstIndex(where: isPushing)!])
        }
        // Each text may bring something about, though it has not beside the others.
        let asked = draft.calls.indices.filter { call in
            draft.traits[call].refusedWith == nil && draft.traits[call].unregisters.isEmpty && !opening.contains(call)
                && (isPushing(call) || draft.isMarked(call))
        }
        var questions = asked.map { Question.burst($0) }
        if registration != nil {
            questions += asked.filter { call in
                isUsual(call) && draft.seen[call].pushes.contains { $0.token == activity }
                    && draft.needs(call).isDisjoint(with: draft.traits[registration!].captures.map(\.name))
            }.map { .early($0) }
            let starts = opening.filter { draft.starts($0) }
            questions += starts.map { .again($0) } + starts.map { .adopted($0) }
        }
        let backwards = asked.filter { isUsual($0) && !draft.starts($0) }.reversed()
        questions = Array(questions.prefix(Self.most))
        if backwards.count > 1 { questions.append(.backwards(Array(backwards))) }
        (self.opening, self.registration, self.questions) = (opening, registration, questions)
    }

    // MARK: Plays

    /// Nil: nothing is asked.
    func terms(readyPath: String?) -> String? {
        guard !questions.isEmpty else { return nil }
        return scenario("terms", questions.map(steps), faults: [], drain: Self.patience, readyPath)
    }

    /// Where the refused pushes are those of the last steps of sessions.
    func refused(readyPath: String?) -> String? {
        let asked = questions.compactMap(\.burst)
        guard !asked.isEmpty else { return nil }
        let length = Self.pause * Double(opening.count) + .seconds(2)
        let at = "at: \(length.nanoseconds / 1_000_000)ms"
        let faults = [("apns", "ServiceUnavailable"), ("fcm", "UNAVAILABLE")].map { provider, reason in
            "{ id: refused-\(provider), \(at), match: { provider: \(provider) }, action: { respond: { reason: \(reason) } }, "
                + "times: 1, per: token }"
        }
        let steps = asked.map { call in opened(opening) + [step(call, after: "3s")] }
        return scenario("refused", steps, faults: faults, drain: "12s", readyPath)
    }

    /// Where the production host calls each token bad: whoever knows the other one tries that.
    func elsewhere(readyPath: String?) -> String? {
        let isAsked = { call in !draft.seen[call].pushes.isEmpty && !draft.starts(call) }
        guard let call = questions.compactMap(\.burst).first(where: isAsked) else { return nil }
        let length = Self.pause * Double(opening.count) + .seconds(2)
        let fault = "{ id: elsewhere, at: \(length.nanoseconds / 1_000_000)ms, match: { provider: apns }, "
            + "action: { respond: { reason: BadDeviceToken } }, times: 1, per: token }"
        return scenario("elsewhere", [opened(opening) + [step(call, after: "3s")]], faults: [fault], drain: "6s", readyPath)
    }

    private func steps(_ question: Question) -> [String] {
        let behind = "\(Self.behind.nanoseconds / 1_000_000)ms"
        switch question {
        case .burst(let call):
            return opened(opening)
                + (0..<Self.burst).map { step(call, after: $0 == 0 ? behind : Self.gap) }
        case .early(let call):
            let before = opening.filter { $0 != registration }
            return opened(before) + [step(call, after: behind), step(registration!, after: "1s")]
        case .again(let call): return opened(opening) + [step(call, after: behind)]
        case .adopted(let call): return opened(opening.filter { $0 != call }) + [step(call, after: behind)]
        case .backwards(let calls): return opened(opening) + calls.map { step($0, after: behind) }
        }
    }

    private func opened(_ calls: [Int]) -> [String] {
        calls.enumerated().map { step($1, after: $0 == 0 ? nil : "\(Self.pause.nanoseconds / 1_000_000)ms") }
    }

    private func step(_ call: Int, after: String?) -> String {
        "{ call: \(draft.names[call])\(after.map { ", after: \($0)" } ?? "") }"
    }

    private func scenario(
        _ name: String, _ scripts: [[String]], faults: [String], drain: String, _ readyPath: String?
    ) -> String {
        """
        # What is asked of the calls once they are known. Written by \(draft.author).

        name: \(name)
        relay: { profile: terms.profile.yaml, url: \(TourDraft.quoted(draft.relayURL)), ready: \(TourDraft.ready(readyPath)) }
        mock: { topics: [] }
        latenessBudget: 1s
        workload:
          draw: in-turn
          arrivals: [{ burst: \(scripts.count) }]
          requestTimeout: 20s
          scripts:
        \(scripts.enumerated().map { number, steps in
            "    - script: { name: \(name)-\(number), steps: [\(steps.joined(separator: ", "))] }\n"
        }.joined())
        \(faults.isEmpty ? "" : "faults:\n" + faults.map { "  - \($0)\n" }.joined())
        phases: { drain: \(drain) }
        """
    }
}

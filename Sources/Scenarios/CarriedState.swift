// What a card is to show when each call says only what has changed: what was said stays until something else is said.

import Basics
package import Schemas

/// The values of one session's card after some of its calls.
package struct CarriedState: Sendable {
    fileprivate enum Standing { case unknown, said, kept, disputed }

    /// As long as `ContentSpec.carried`; nil: nobody has said it.
    fileprivate var values: [JSONValue?]
    fileprivate var standings: [Standing]
}

/// When a relay may take a session to have begun, in Unix seconds of the run's clock.
package struct CountedSince: Sendable {
    package var earliest: Double
    /// Nil where it is not known.
    package var latest: Double?

    package init(earliest: Double, latest: Double?) {
        self.earliest = earliest
        self.latest = latest
    }
}

/// Follows the calls of sessions and holds pushes against them. Confined to one thread.
package final class CarriedChecker {
    private let profile: Profile
    private let comparison: JSONComparison
    private let sources: [JSONPointerPath]
    /// Places of the values that never fall.
    private let rising: [Int]
    /// Places of those that count seconds.
    private let counting: [Int]

    /// Nil where the profile carries nothing.
    package init?(_ profile: Profile) {
        guard !profile.content.carried.isEmpty else { return nil }
        self.profile = profile
        comparison = JSONComparison(truncations: profile.content.truncations)
        sources = profile.content.carried.indices.map { JSONPointerPath("/\($0)")! }
        rising = profile.content.carried.indices.filter { profile.content.carried[$0].rises }
        counting = profile.content.carried.indices.filter { profile.content.carried[$0].countsSeconds }
    }

    package var judgesNumbers: Bool { !rising.isEmpty || !counting.isEmpty }

    /// Whether the session is over with that call.
    package func isFinal(call: Int) -> Bool { profile.calls.indices.contains(call) && profile.calls[call].isFinal }

    /// Before the first call.
    package var beginning: CarriedState {
        let count = profile.content.carried.count
        return CarriedState(
            values: Array(repeating: nil, count: count), standings: Array(repeating: .unknown, count: count))
    }

    /// What the card shows behind a call with that body; `call` is its index in the profile. A call that is to be
    /// refused, or means another session or activity, says nothing of it.
    package func take(call: Int, body: Span<UInt8>, into state: inout CarriedState) {
        guard profile.calls.indices.contains(call) else { return }
        let spoken = profile.calls[call]
        for index in state.standings.indices where state.standings[index] != .unknown { state.standings[index] = .kept }
        guard !spoken.isStale, !spoken.isUnknown, spoken.expectedStatus.contains(where: { $0 < 400 }) else { return }
        let said = try? JSONValue(parsing: body)
        for (index, value) in profile.content.carried.enumerated() {
            let new = spoken.sets[index] ?? value.from.flatMap { said?.at(pointer: $0.text) }
            if let new { say(new, of: index, rises: value.rises && spoken.sets[index] == nil, in: &state) }
        }
        for (index, value) in profile.content.carried.enumerated() {
            guard let following = value.following, state.standings[following.other] == .said else { continue }
            let word = state.values[following.other]?.string ?? ""
            state.values[index] = following.words[word] ?? following.otherwise
            state.standings[index] = state.values[index] == nil ? .unknown : .said
        }
    }

    /// A number that is to fall is nobody's to judge but the rule that it must not: a relay may refuse to go along.
    private func say(_ new: JSONValue, of index: Int, rises: Bool, in state: inout CarriedState) {
        if rises, let before = state.values[index]?.double, let after = new.double, after < before {
            state.standings[index] = .disputed
            return
        }
        state.values[index] = new
        state.standings[index] = .said
    }

    /// Where a push shows something else than what its own call said, and than what was said before it.
    package func differences(
        _ payload: Span<UInt8>, _ state: CarriedState
    ) -> (said: [SchemaFinding], kept: [SchemaFinding]) {
        (differences(payload, state, .said), differences(payload, state, .kept))
    }

    private func differences(
        _ payload: Span<UInt8>, _ state: CarriedState, _ standing: CarriedState.Standing
    ) -> [SchemaFinding] {
        var wanted = JSONObject()
        for index in state.values.indices where state.standings[index] == standing {
            wanted[String(index)] = state.values[index]
        }
        let body = JSONValue.object(wanted).encoded()
        // A value may have come in a form.
        let isOfTexts = profile.calls.contains { $0.saying != nil }
        guard comparison.begin(sent: body.span, pushed: payload, ofTexts: isOfTexts) else { return [] }
        for (index, value) in profile.content.carried.enumerated() where state.standings[index] == standing {
            // To the app's types a key that is not there and one that is null are the same.
            comparison.compare(value.at, with: sources[index], orNothing: true)
        }
        return comparison.end()
    }

    /// The numbers that never fall and those that count seconds, as a push shows them; nil for what it does not show.
    package func numbers(_ payload: Span<UInt8>) -> (rising: [Double?], counting: [Double?]) {
        let shown = try? JSONValue(parsing: payload)
        let number = { (index: Int) in shown?.at(pointer: self.profile.content.carried[index].at.text)?.double }
        return (rising.map(number), counting.map(number))
    }

    /// How far what counts seconds may be off: a tick of ten seconds; and behind, or from push to push, what the throttle
    /// holds back besides.
    private static let tick = 10.0
    private var slack: Double { Self.tick + (profile.coalescing?.window.seconds ?? 0) }

    /// In words, where one that counts seconds has not run on with the clock. `beginnings` are the Unix seconds at which it
    /// began, by the push before; nil where there was none. `since`: when the session did, where that is known.
    package func drift(
        from beginnings: [Double?], to numbers: [Double?], stamp: Int64, since: CountedSince? = nil
    ) -> (finding: SchemaFinding?, beginnings: [Double?]) {
        var known = beginnings
        var finding: SchemaFinding?
        for (index, number) in numbers.enumerated() {
            guard let number else { continue }
            let begun = Double(stamp) - number
            defer { known[index] = known[index] ?? begun }
            guard finding == nil else { continue }
            let start = since.flatMap { misses($0, begun) ? $0.earliest : nil }
            let before = known[index].flatMap { abs(begun - $0) > slack ? $0 : nil }
            guard let from = start ?? before else { continue }
            let passed = JSONValue.integer(Int64((Double(stamp) - from).rounded())).text
            finding = SchemaFinding(
                pointer: profile.content.carried[counting[index]].at.text,
                reason: "is \(Self.words(number)) where \(passed) seconds have passed"
                    + (start == nil ? "" : " since the session began"))
        }
        return (finding, known)
    }

    private static func words(_ seconds: Double) -> String {
        (Int64(exactly: seconds).map { JSONValue.integer($0) } ?? .number(seconds)).text
    }

    private func misses(_ since: CountedSince, _ begun: Double) -> Bool {
        begun < since.earliest - Self.tick || since.latest.map { begun > $0 + slack } ?? false
    }

    /// In words, where one of them has fallen.
    package func fall(from before: [Double?], to after: [Double?]) -> SchemaFinding? {
        for (index, (before, after)) in zip(before, after).enumerated() {
            guard let before, let after, after < before else { continue }
            let place = profile.content.carried[rising[index]].at.text
            return SchemaFinding(
                pointer: place, reason: "fell from \(JSONValue.number(before).text) to \(JSONValue.number(after).text)")
        }
        return nil
    }
}

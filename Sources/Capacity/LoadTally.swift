// What trials at one load came to. How sure a load is goes by seconds and not by trials: it is judged once what is still to
// come could not turn it (MLRsearch, draft-ietf-bmwg-mlrsearch-15).

package struct LoadTally: Hashable, Sendable {
    package enum Word: Hashable, Sendable {
        /// It holds: even if all that is still to come were bad.
        case lower
        /// It does not: even if all that is still to come were good.
        case upper
        case undecided
    }

    /// Seconds of trials that held the goal, and of those that did not.
    package private(set) var good = 0.0
    package private(set) var bad = 0.0
    /// Of trials that told neither.
    package private(set) var open = 0.0
    /// Confirmations failed here, whatever trials say.
    package var isRefuted = false

    package init() {}

    package mutating func add(_ word: TrialWord, seconds: Double) {
        switch word {
        case .good: good += seconds
        case .bad: bad += seconds
        case .undecided: open += seconds
        }
    }

    package var seconds: Double { good + bad }

    /// `exceed`: the share of bad seconds that a load may have and still holds; 0..<1.
    package func word(sum: Double, exceed: Double) -> Word {
        if isRefuted { return .upper }
        let whole = max(sum, seconds)
        if bad > exceed * whole + 1e-9 { return .upper }
        return whole - good <= exceed * whole + 1e-9 ? .lower : .undecided
    }

    /// Whether it rather holds, as far as it is known.
    func isHopeful(exceed: Double) -> Bool { !isRefuted && bad <= exceed * seconds }
}

/// What one trial says of one goal.
package enum TrialWord: String, CaseIterable, Hashable, Sendable {
    case good, bad, undecided
}

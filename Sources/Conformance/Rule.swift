// What a rule is: a requirement with its norm, and a machine that sees the run's history once, in order, and ends in a
// verdict. Must not know sockets, clocks, files or live state.

package import Basics
package import Metrics
import Pushes

/// One requirement and the code that judges it.
package struct Rule: Sendable {
    /// How much a broken rule weighs: `must` fails the run, `should` warns, `environment` is only reported.
    package enum Level: String, Hashable, Sendable, CaseIterable { case must, should, environment }

    /// What a finding rests on beside the pushes that it shows. Where our own part in that was not sound, it proves nothing.
    package struct Basis: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It compares instants: we must not have been late ourselves.
        package static let timing = Basis(rawValue: 1)
        /// Something did not come: the history must be whole.
        package static let absence = Basis(rawValue: 2)
        /// It takes our events to have left in order.
        package static let order = Basis(rawValue: 4)
        /// It takes the relay to have run when it had something to do: a starved one hits time-outs of its own.
        package static let running = Basis(rawValue: 8)
    }

    /// Whose pushes it looks at; where it asks for one provider's, an account shows it no others.
    package enum Reach: Hashable, Sendable {
        case apns, fcm, both

        func covers(_ provider: Provider) -> Bool {
            switch self {
            case .apns: provider == .apns
            case .fcm: provider == .fcm
            case .both: true
            }
        }
    }

    /// Who keeps the tokens of the relays that a rule binds.
    package enum Keeper: Hashable, Sendable { case relay, callers }

    /// Names the rule for ever: lower-case words joined by hyphens, never reused for something else.
    package let id: String
    /// The numbered claims it judges, such as `R0.22`.
    package let claims: [String]
    package let level: Level
    package let basis: Basis
    package let reach: Reach
    /// Nil: it binds every relay.
    package let keeper: Keeper?
    /// One sentence for whoever failed it.
    package let requirement: String
    /// What the requirement rests on: a section of Apple's pages, or the relay's own words.
    package let norm: String
    /// What to change in a relay that broke it.
    package let advice: String
    /// The shortest span of time that it rests on and that is not its own to choose: a relay's window or pause. Where that
    /// is too short on the host's clock for a machine to keep it, the rule is not exercised. Nil: it rests on none.
    package let span: @Sendable (RunContext) -> Interval?
    package let make: @Sendable () -> any RuleMachine
    /// It is about users who make malformed requests, and sees no others; all other rules see none of those.
    package private(set) var isOfMalformed = false

    package init(
        _ id: String, _ claims: [String], _ level: Level, basis: Basis = [], on reach: Reach = .apns, of keeper: Keeper? = nil,
        requirement: String, norm: String, advice: String, span: @escaping @Sendable (RunContext) -> Interval? = { _ in nil },
        make: @escaping @Sendable () -> any RuleMachine
    ) {
        self.id = id
        self.claims = claims
        self.level = level
        self.basis = basis
        self.reach = reach
        self.keeper = keeper
        self.requirement = requirement
        self.norm = norm
        self.advice = advice
        self.span = span
        self.make = make
    }

    var ofMalformed: Rule {
        var rule = self
        rule.isOfMalformed = true
        return rule
    }

    /// Whether the relay of that run is one that it binds.
    package func binds(_ run: RunContext) -> Bool {
        let keeper: Keeper = run.circumstances.callersKeepTokens ? .callers : .relay
        return self.keeper ?? keeper == keeper
    }

    /// Why nothing can be said of it on a clock that runs so fast; nil where it can.
    package func tooFast(_ run: RunContext) -> String? {
        let pace = run.circumstances.pace
        guard pace > 1, let span = span(run) else { return nil }
        let real = span * (1 / pace)
        guard real < ClockBounds.leastSpan else { return nil }
        return "scale too high: its \(span) come to \(real) of real time, and \(ClockBounds.leastSpan) are the least"
    }

    /// A rule that looks at one account after the other and remembers nothing but what it found.
    init(
        _ id: String, _ claims: [String], _ level: Level, basis: Basis = [], on reach: Reach = .apns, of keeper: Keeper? = nil,
        requirement: String, norm: String, advice: String, span: @escaping @Sendable (RunContext) -> Interval? = { _ in nil },
        judge: @escaping @Sendable (JoinedAccount, RunContext, inout Tally) -> Void
    ) {
        self.init(
            id, claims, level, basis: basis, on: reach, of: keeper, requirement: requirement, norm: norm, advice: advice,
            span: span
        ) { AccountMachine(judge: judge) }
    }
}

/// Sees each account when it is over, then says what it thinks. Its memory goes with what is open, not with what happened.
package protocol RuleMachine {
    mutating func close(_ joined: JoinedAccount, _ run: RunContext)
    /// Once, when the history is over.
    func verdict(_ run: RunContext) -> Verdict
    /// What it looks for in single calls and pushes; a rule about rates has none.
    var tally: Tally { get }
}

/// Sees each push as it arrives as well: few rules ask across accounts.
package protocol PushMachine: RuleMachine {
    /// In order of arrival.
    mutating func see(_ push: SeenPush, _ run: RunContext)
}

extension RuleMachine {
    package mutating func close(_ joined: JoinedAccount, _ run: RunContext) {}
    package var tally: Tally { Tally() }
}

private struct AccountMachine: RuleMachine {
    let judge: @Sendable (JoinedAccount, RunContext, inout Tally) -> Void
    var tally = Tally()

    mutating func close(_ joined: JoinedAccount, _ run: RunContext) { judge(joined, run, &tally) }

    func verdict(_ run: RunContext) -> Verdict { tally.verdict }
}

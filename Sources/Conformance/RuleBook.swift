// All rules, in the order in which they are reported: causes before symptoms.

package import Metrics
import Pushes

package enum RuleBook {
    package static let all: [Rule] =
        ServingRules.all + ContentRules.all + CarriedRules.all + DeclaredRules.all + RequestRules.all
        + [TimestampRule.secondsAndRising] + TokenRules.all + CallerTokenRules.all
        + MessageRules.all + CollapseKeyRule.all + MessageAnswerRules.all + AccessTokenRules.all + StateRules.all
        + RegistrationRules.all + EnvironmentRules.all + ActivityRules.all + RestartRules.all
        + AgeRules.all + AlertRules.all + ThrottleRules.all + RetryRules.all + RestRule.all + MalformedRules.all
        + ConnectionRules.all + BroadcastRules.all + WebhookRules.all + RepeatRules.all + DeliveryRules.all

    /// The rule with this id or one of these claims (`R0.8`), in any case of letters.
    package static func rule(named name: String) -> Rule? {
        let wanted = name.lowercased()
        return all.first { $0.id == wanted }
            ?? Claim.named(wanted)?.rules.lazy.compactMap { id in all.first { $0.id == id } }.first
    }

    /// That rule, or all rules of that claim.
    package static func rules(named name: String) -> [Rule] { all.filter { names([name], $0) } }

    /// Whether a list of known breaks names the rule, by id or by one of its claims, in any case of letters.
    package static func names(_ list: some Sequence<String>, _ rule: Rule) -> Bool {
        list.contains { entry in
            let wanted = entry.lowercased()
            return wanted == rule.id || Claim.named(wanted)?.rules.contains(rule.id) == true
        }
    }
}

/// All rules at work on one history.
package struct RuleCourse {
    /// Beside `RuleBook.all`; nil where the rule's machine is among the watching ones.
    private var machines: [(any RuleMachine)?] = []
    private var watching: [(rule: Int, machine: any PushMachine)] = []
    /// What findings may be about: the calls, or the pushes of an account that has none.
    private var calls = 0

    package init() {
        for (number, rule) in RuleBook.all.enumerated() {
            let machine = rule.make()
            let watcher = machine as? any PushMachine
            machines.append(watcher == nil ? machine : nil)
            if let watcher { watching.append((number, watcher)) }
        }
    }

    package mutating func see(_ push: SeenPush, _ run: RunContext) {
        for index in watching.indices where RuleBook.all[watching[index].rule].reach.covers(push.provider) {
            watching[index].machine.see(push, run)
        }
    }

    package mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
        run.noteAsked(joined)
        calls += joined.account.calls.isEmpty ? joined.account.pushes.count : joined.account.calls.count
        let views = Views(joined, run)
        func sees(_ rule: Int) -> Bool { RuleBook.all[rule].isOfMalformed == joined.account.isMalformed }
        for index in machines.indices where sees(index) {
            if let view = views[RuleBook.all[index].reach] { machines[index]?.close(view, run) }
        }
        for index in watching.indices where sees(watching[index].rule) {
            if let view = views[RuleBook.all[watching[index].rule].reach] { watching[index].machine.close(view, run) }
        }
    }

    /// `knownFailing` holds ids or claims that are listed as known breaks.
    package func results(_ run: RunContext, knownFailing: [String], isStrict: Bool) -> [RuleResult] {
        var verdicts = machines.map { $0?.verdict(run) }
        var tallies = machines.map { $0?.tally ?? Tally() }
        for (number, machine) in watching { (verdicts[number], tallies[number]) = (machine.verdict(run), machine.tally) }
        let hindrances = RuleBook.all.map { $0.tooFast(run) }
        for (number, rule) in RuleBook.all.enumerated() where hindrances[number] != nil || !rule.binds(run) {
            verdicts[number] = .notExercised
        }
        let broken = Set(zip(RuleBook.all, verdicts).filter { $1?.isBroken == true }.map(\.0.id))
        let tested = Set(zip(RuleBook.all, verdicts).filter { $1 ?? .notExercised != .notExercised }.map(\.0.id))
        // Where the verdict counts more than that, or is another, nobody knows what all of it is about.
        let causes = RuleResult.causes(among: zip(tallies, verdicts).map { tally, verdict in
            if case .broken(_, let count) = verdict, count == tally.found { tally.subjects } else { Subjects() }
        }, ofCalls: calls)
        var known: Set<Int> = []
        return RuleBook.all.indices.map { number in
            let (rule, verdict, hindrance) = (RuleBook.all[number], verdicts[number], hindrances[number])
            // A claim that several rules judge has healed when all of them hold.
            let listed = knownFailing.filter { entry in
                guard let claim = Claim.named(entry.lowercased()), !broken.contains(rule.id) else { return true }
                return broken.isDisjoint(with: claim.rules) && tested.isSuperset(of: claim.rules)
            }
            var result = RuleResult(
                id: rule.id, claims: rule.claims, level: rule.level, basis: rule.basis.union(verdict?.basis ?? []),
                requirement: rule.requirement, norm: rule.norm, advice: rule.advice, verdict: verdict ?? .notExercised,
                isKnownFailing: RuleBook.names(listed, rule), isStrict: isStrict)
            result.hindrance = hindrance
            result.causes = causes[number].map { .init(rule: RuleBook.all[$0.place].id, count: $0.count) }
            // What is known takes along what follows from it.
            if result.isConsequence, causes[number].allSatisfy({ known.contains($0.place) }) { result.isKnownFailing = true }
            if result.isKnownFailing, verdict?.isBroken == true { known.insert(number) }
            return result
        }
    }
}

/// An account as rules of each reach see it: all of it, or what goes to one provider; nil where that is nothing, and something
/// goes to another.
struct Views {
    private let both: JoinedAccount
    private let apns: JoinedAccount?
    private let fcm: JoinedAccount?

    init(_ joined: JoinedAccount, _ run: RunContext) {
        let providers = joined.account.providers
        func view(_ provider: Provider) -> JoinedAccount? {
            guard providers.count > 1 else { return providers.isEmpty || providers.contains(provider) ? joined : nil }
            return JoinedAccount(joined.account.only(provider), run.circumstances, isDeath: run.tellsOfDeath)
        }
        (both, apns, fcm) = (joined, view(.apns), view(.fcm))
    }

    subscript(reach: Rule.Reach) -> JoinedAccount? {
        switch reach {
        case .apns: apns
        case .fcm: fcm
        case .both: both
        }
    }
}

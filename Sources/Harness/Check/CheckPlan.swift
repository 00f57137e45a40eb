// What a check asks of one relay: all that fits its profile and all that the profile names itself, each by the clock that it
// needs and the relay can share.

import Basics
import Cases
import Conformance
import OperatingSystem
import Scenarios
import Verdicts

/// The cases of one relay, and how each is played.
struct CheckPlan {
    /// How a case is played.
    struct Play {
        var clock: CaseClock
        /// Of our time, as planned.
        var takes: Interval
        /// It costs work and no wait.
        var isStepped: Bool
    }

    let base: CheckBase
    let cases: [PlannedCase]
    private let options: CheckOptions
    /// Those that every relay is asked, if nothing but the profile stood in their way.
    private let unbound: [PlannedCase]

    /// What a case that is stepped may take of our time: it is all work, and a machine may be busy.
    private static let stepped = Interval.seconds(60)
    /// No clock is faster than this for a case's sake (`ClockBounds`).
    private static let largestScale = 3_600.0

    init(_ options: CheckOptions, _ base: CheckBase) throws(Failure) {
        self.base = base
        self.options = options
        var relay = base.relay
        for place in relay.profile.cases.indices {
            let own = relay.profile.cases[place]
            // A case's file stands in another folder than the profile's.
            relay.profile.cases[place].path = FileSystem.absolute(own.path) ?? own.path
            relay.profile.cases[place].profile = own.profile.map { FileSystem.absolute($0) ?? $0 }
        }
        let hasSandbox = try options.mock.map { path throws(Failure) in try MockPlace(of: path).hasSandbox } ?? false
        let catalogue = CaseCatalogue(relay, saysGrace: base.scenario.saysGrace, hasSandbox: hasSandbox)
        var planned = catalogue.cases
        unbound = catalogue.unbound.cases
        for var item in try catalogue.ownCases(base.source(), overrides: options.overrides) {
            if case .runs(var own) = item {
                try Preflight.checkRules(own.exercises, "exercises", own.exercises.map { _ in own.file?.path ?? "" })
                var rules: [String] = []
                // A claim stands for all its rules, as in a run.
                for rule in own.exercises.flatMap({ RuleBook.rules(named: $0) }) where !rules.contains(rule.id) {
                    rules.append(rule.id)
                }
                own.exercises = rules
                item = .runs(own)
            }
            planned.append(item)
        }
        cases = planned
        guard options.isStepped, base.scenario.sharedClock != .stepped else { return }
        throw Failure(
            .usage, "\(options.path) does not say that the relay can take part in a clock that is stepped",
            hint: "hand it `{{mock.clock}}` and add `clock: stepped` to `relay` (docs/time.md), or leave --stepped out")
    }

    /// What the cases are about that were not played: left out on the command line, too long, or stopped; or such as this
    /// relay could be asked if it were launched, or told where the sandbox is.
    func rulesUnasked(but played: Set<String>) -> Set<String> {
        var rules: Set<String> = []
        for case .runs(let item) in cases + unbound where !played.contains(item.name) { rules.formUnion(item.rules) }
        return rules
    }

    /// Nil where it takes longer than is granted without `--slow`.
    func play(_ item: Case) -> Play? {
        guard let play = best(item) else { return nil }
        return options.isSlow || play.takes <= CheckOptions.longest || play.isStepped ? play : nil
    }

    private func best(_ item: Case) -> Play? {
        let scenario = base.scenario
        let host = Play(clock: .running, takes: item.duration, isStepped: false)
        let stepped = Play(clock: .stepped, takes: Self.stepped, isStepped: true)
        if item.needsHostClock, scenario.clockScale == 1 { return scenario.isStepped ? host : asItIs(item) }
        if scenario.isStepped { return stepped }
        if let file = item.file, file.clockScale != 1, !file.isStepped {
            guard scenario.sharedClock != .none else { return host }
            let scale = max(file.clockScale, scenario.clockScale)
            return Play(clock: .scaled(scale), takes: item.duration * (1 / scale), isStepped: false)
        }
        let isLong = item.duration.seconds / scenario.clockScale > CheckOptions.longest.seconds
        let wantsSteps = isLong || options.isStepped || item.file?.isStepped ?? false
        if wantsSteps, scenario.clockScale == 1, scenario.sharedClock == .stepped { return stepped }
        if isLong, scenario.sharedClock != .none, let faster = faster(item) { return faster }
        return asItIs(item)
    }

    private func asItIs(_ item: Case) -> Play {
        let scale = base.scenario.clockScale
        let takes = item.duration * (1 / scale)
        if item.file == nil { return Play(clock: .asItIs, takes: takes, isStepped: false) }
        return Play(clock: scale == 1 ? .running : .scaled(scale), takes: takes, isStepped: false)
    }

    /// Over in what is granted, unless that is too fast for a rule that it is about.
    private func faster(_ item: Case) -> Play? {
        let scale = min(Self.largestScale, (item.duration.seconds / CheckOptions.longest.seconds * 1.1).rounded(.up))
        let play = Play(clock: .scaled(scale), takes: item.duration * (1 / scale), isStepped: false)
        do throws(Failure) {
            let scenario = try Scenario.parse(
                text: item.text(extending: base.path, seed: 0, clock: play.clock), path: base.path,
                overrides: options.overrides, planned: [try base.source()])
            try Preflight.check(scenario)
        } catch {
            return nil
        }
        return play
    }
}

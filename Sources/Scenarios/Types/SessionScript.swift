// What one session does, step by step: times as distributions, calls by index into the profile.

package import Basics

/// A session's life. Times are seconds from the session's beginning, before `WorkloadSpec.pace` divides them.
///
/// A clock runs through the steps: `.after(d)` moves it on by a draw of `d`, `.at(d)` sets it to a draw of `d` unless
/// it is already later. A step that is left out by its probability does not move the clock.
package struct SessionScript: Sendable {
    package var name: String
    /// Its calls, in the order of the file, those of all arms among them.
    package var steps: [ScriptStep]
    /// In which order a session plays them, from the first move on; never empty where there are steps.
    package var moves: [ScriptMove]
    /// What it does when something happens on a phone.
    package var reactions: [Reaction]
    /// What is done on its phones.
    package var acts: [ScriptedAct]
    /// Seconds after the last step in which its phones are still heeded, before `pace`.
    package var listen: Double
    /// What the phones of a user are like whose first session plays it, in the place of what the workload says.
    package var phones: PhonesSpec

    package init(
        name: String, steps: [ScriptStep], moves: [ScriptMove]? = nil, reactions: [Reaction] = [], acts: [ScriptedAct] = [],
        listen: Double = usualListen, phones: PhonesSpec = PhonesSpec()
    ) {
        self.name = name
        self.steps = steps
        self.moves = moves ?? steps.indices.map { .step($0) }
        self.reactions = reactions
        self.acts = acts
        self.listen = listen
        self.phones = phones
    }

    package static let usualListen = 2.0

    /// What it may call, each once, whichever arms a session plays.
    package func calls(_ profile: Profile) -> [ProfileCall] {
        Set(steps.map(\.call) + reactions.map(\.call)).sorted().map { profile.calls[$0] }
    }

    /// The reaction that an event of the session is, by the number of its step: those of reactions follow those of steps.
    package func reaction(_ step: Int) -> Reaction? {
        step < steps.count || step - steps.count >= reactions.count ? nil : reactions[step - steps.count]
    }

    /// What the variables of the call are, of a step or of a reaction.
    package func values(_ step: Int) -> [StepValue] {
        step < steps.count ? steps[step].values : reactions[step - steps.count].values
    }
}

/// One step: a call, made once or repeatedly.
package struct ScriptStep: Sendable {
    package enum Time: Hashable, Sendable {
        /// Seconds since the session began.
        case at(Distribution)
        /// Seconds after the previous event of the session.
        case after(Distribution)
    }

    /// Name of the call in the profile; also the kind of its events in reports.
    package var kind: String
    /// Index into `Profile.calls`.
    package var call: Int
    package var time: Time
    package var repetition: Repetition?
    /// Drawn once for the step in each session; 0…1.
    package var probability: Double
    /// One entry for each of the call's own variables (`ProfileCall.variables`), in that order.
    package var values: [StepValue]

    package init(
        kind: String, call: Int, time: Time, repetition: Repetition? = nil, probability: Double = 1,
        values: [StepValue] = []
    ) {
        self.kind = kind
        self.call = call
        self.time = time
        self.repetition = repetition
        self.probability = probability
        self.values = values
    }
}

/// A step that recurs. The first event is at the step's own time, each next one `every` after the one before.
package struct Repetition: Hashable, Sendable {
    package enum Limit: Hashable, Sendable {
        /// That many events in all: a draw, rounded to the nearest whole number, possibly 0.
        case count(Distribution)
        /// As long as the event is earlier than this, in seconds since the session began.
        case until(Distribution)
    }

    /// Seconds; a draw for each gap, at least 1 ms.
    package var every: Distribution
    package var limit: Limit

    package init(every: Distribution, limit: Limit) {
        self.every = every
        self.limit = limit
    }
}

/// What a variable of a call is in one step: one of `choices`, drawn for each event; never empty.
package struct StepValue: Hashable, Sendable {
    package var choices: [VariableValue]

    package init(choices: [VariableValue]) {
        precondition(!choices.isEmpty, "a variable has at least one value")
        self.choices = choices
    }
}

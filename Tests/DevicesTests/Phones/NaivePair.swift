// One walk on two models of phones at once, and the first thing of which they say different things.

import Basics
import Devices
import Pushes

/// What a model said of one step.
struct StepRecord: Equatable {
    /// Of a push; nil: it was refused, or the step was an act.
    var outcome: Outcome?
    /// Of an act.
    var isDone: Bool?
    /// By phone, in their order there.
    var events: [String: [PhoneEvent]] = [:]
    /// Ordered by push.
    var late: [String] = []
    var cards: [ModelCard] = []

    mutating func add(_ news: (events: [PhoneEvent], late: [LateOutcome])) {
        for var event in news.events {
            // Numbers are counted in one order over all phones, of which no fact speaks.
            (event.number, event.marker) = (0, nil)
            events[event.phone, default: []].append(event)
        }
        // Nor of the order of what happens to several activities in one instant.
        for (phone, all) in events {
            func place(_ index: Int) -> (WallTime, String, UInt32, Int) {
                (all[index].at, all[index].app, all[index].activity, index)
            }
            let order = all.indices.sorted { place($0) < place($1) }
            events[phone] = order.map { all[$0] }
        }
        late = (late + news.late.map { "\($0.push) \($0.outcome.word)" }).sorted()
    }
}

/// Two models on one walk. Wake times are no draws here, for each model draws its own.
struct NaivePair {
    private let phones: [PhoneSetup]
    private let steps: [PhoneWalk.Step]
    private var product: FleetModel
    private var naive: NaivePhoneModel
    private var now = PhoneWalk.begin
    private(set) var stepCount = 0

    /// `turn`: what the second model's settings have otherwise, for a test of the pair itself.
    init(_ walk: PhoneWalk, seed: Seed, turn: (inout DeviceSettings) -> Void = { _ in }) {
        var chance = seed.child("pair").generator()
        var settings = walk.settings
        settings.phones.wake = PhoneWake(delay: .constant(7), never: chance.unit() < 0.7 ? 0 : 1)
        settings.pastLimit = [nil, .seconds(20)].randomElement(using: &chance)!
        settings.activityTokenExpiry = [.afterWholeLife, .afterEnd(.seconds(600)), .never].randomElement(using: &chance)!
        settings.storedWhenRestricted = [.belowTen, .all].randomElement(using: &chance)!
        settings.budgets.frequentActivity = [nil, 8].randomElement(using: &chance)!
        product = FleetModel(settings, seed: seed)
        turn(&settings)
        naive = NaivePhoneModel(settings, seed: seed)
        phones = walk.phones.map { phone in
            // An app whose pushes are to decode has a type.
            var phone = phone
            for index in phone.apps.indices { phone.apps[index].schema = UInt16.random(in: 0...1, using: &chance) }
            return phone
        }
        for phone in phones {
            product.make(phone, at: now)
            naive.make(phone, at: now)
        }
        let isCrowded = chance.unit() < 0.5
        steps = walk.steps.map { isCrowded ? Self.onOne($0, phone: walk.phones[0].name) : $0 }
    }

    /// The same on the first phone, so that more of it meets.
    private static func onOne(_ step: PhoneWalk.Step, phone: String) -> PhoneWalk.Step {
        switch step {
        case .push(var push, let wait):
            push.token.phone = phone
            return .push(push, after: wait)
        case .act(let action, _, let wait): return .act(action, phone: phone, after: wait)
        }
    }

    /// What was said otherwise at the first step at which anything was; nil: nothing. Times are from the walk's begin.
    mutating func disagreement() -> String? {
        for (number, step) in steps.enumerated() {
            if let found = take(step, "step \(number + 1)") { return found }
        }
        for phone in phones {
            for act in [PhoneAction.setOffline(false), .setLowPower(false)] {
                if let found = take(.act(act, phone: phone.name, after: .zero), "the end") { return found }
            }
        }
        return take(.act(.setLowPower(false), phone: phones[0].name, after: .seconds(31 * 86_400)), "31 days later")
    }

    private mutating func take(_ step: PhoneWalk.Step, _ place: String) -> String? {
        now = now + step.wait
        stepCount += 1
        let theirs = Self.record(step, of: &product, phones, now)
        let mine = Self.record(step, of: &naive, phones, now)
        guard theirs != mine else { return nil }
        let words = "product: \(Self.text(theirs, mine))\nnaive: \(Self.text(mine, theirs))"
        return "\(place), \(now - PhoneWalk.begin): \(step)\n\(words)"
    }

    private static func record(
        _ step: PhoneWalk.Step, of model: inout some PhoneModel, _ phones: [PhoneSetup], _ now: WallTime
    ) -> StepRecord {
        var record = StepRecord()
        model.advance(to: now)
        record.add(model.news())
        switch step {
        case .push(let push, _): record.outcome = model.push(push, at: now)?.outcome
        case .act(let action, let phone, _): record.isDone = model.act(action, on: phone, at: now)
        }
        record.add(model.news())
        record.cards = phones.flatMap { model.cards(of: $0.name, at: now) }
        return record
    }

    /// What `one` says that `other` does not.
    private static func text(_ one: StepRecord, _ other: StepRecord) -> String {
        var words: [String] = []
        if one.outcome != other.outcome { words.append(one.outcome.map { "\($0.word)" } ?? "refused") }
        if one.isDone != other.isDone { words.append("done: \(one.isDone ?? false)") }
        if one.late != other.late { words.append("late \(one.late)") }
        for (phone, events) in one.events.sorted(by: { $0.key < $1.key }) where events != other.events[phone] {
            words += events.map { "\($0.kind.word) \(phone) \($0.app) \($0.activity) at \($0.at - PhoneWalk.begin)" }
        }
        for card in one.cards where !other.cards.contains(card) {
            words.append(
                "\(card.phone) \(card.app) \(card.number) \(card.state.word) shown \(card.shown) taken \(card.taken) rotation "
                    + "\(card.token.rotation)")
        }
        return words.isEmpty ? "-" : words.joined(separator: "; ")
    }
}

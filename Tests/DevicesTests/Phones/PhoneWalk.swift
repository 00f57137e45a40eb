// Walks of 1 to 60 pushes and acts on 1 to 4 phones, drawn from a seed, and what must hold on each of them whatever the
// model.

import APNs
import Basics
import Devices
import Pushes

/// A walk as it is drawn: nothing in it depends on what the model answers.
struct PhoneWalk: Sendable {
    enum Step: Sendable {
        case push(ModelPush, after: Interval)
        case act(PhoneAction, phone: String, after: Interval)

        var wait: Interval {
            switch self {
            case .push(_, let wait), .act(_, _, let wait): wait
            }
        }
    }

    static let apps = ["com.example.one", "com.example.two"]
    static let begin = WallTime(seconds: 1_760_000_000)

    let settings: DeviceSettings
    let phones: [PhoneSetup]
    let steps: [Step]

    init(_ seed: Seed) {
        var chance = seed.generator()
        var settings = DeviceSettings(registration: .registered)
        settings.phones.wake = PhoneWake(delay: .uniform(0, 30), never: [0, 0.3, 1].randomElement(using: &chance)!)
        settings.phones.drawingInterval = .seconds([0, 15].randomElement(using: &chance)!)
        settings.equalTimestamps = [.apply, .ignore].randomElement(using: &chance)!
        settings.activitySlots = [.shared, .own].randomElement(using: &chance)!
        settings.unregisteredDelay = .seconds([0, 600].randomElement(using: &chance)!)
        settings.lowPriorityBatch = .seconds([0, 0, 20].randomElement(using: &chance)!)
        settings.budgets.starts = [nil, 3].randomElement(using: &chance)!
        settings.budgets.urgentActivity = [nil, 5].randomElement(using: &chance)!
        self.settings = settings
        let names = (1...Int.random(in: 1...4, using: &chance)).map { "p\($0)" }
        phones = names.map { name in
            PhoneSetup(name, apps: Self.apps.prefix(Int.random(in: 1...2, using: &chance)).map { AppSetup($0) })
        }
        var steps: [Step] = []
        var elapsed = Interval.zero
        for number in 1...Int.random(in: 1...60, using: &chance) {
            let wait = Self.wait(&chance)
            elapsed += wait
            let phone = names.randomElement(using: &chance)!
            let app = Self.apps[chance.unit() < 0.8 ? 0 : 1]
            if chance.unit() < 0.7 {
                let push = Self.push(UInt64(number), phone, app, (Self.begin + elapsed).seconds, &chance)
                steps.append(.push(push, after: wait))
            } else {
                steps.append(.act(Self.action(app, &chance), phone: phone, after: wait))
            }
        }
        self.steps = steps
    }

    private static func wait(_ chance: inout Generator) -> Interval {
        switch chance.unit() {
        case ..<0.3: .zero
        case ..<0.8: .milliseconds(Int64.random(in: 1...20_000, using: &chance))
        case ..<0.95: .seconds(Double.random(in: 60...3600, using: &chance))
        default: .seconds(Double.random(in: 3600...30_000, using: &chance))
        }
    }

    private static func push(
        _ id: UInt64, _ phone: String, _ app: String, _ now: Int64, _ chance: inout Generator
    ) -> ModelPush {
        let isStart = chance.unit() < 0.3
        var token = PhoneToken(isStart ? .start : .activity, phone: phone, app: app)
        if !isStart {
            token.ordinal = UInt32.random(in: 1...4, using: &chance)
            token.rotation = chance.unit() < 0.8 ? 0 : 1
        }
        let event: ActivityEvent = isStart ? .start : chance.unit() < 0.85 ? .update : .end
        var push = ModelPush(id: id, token: token, event: event, timestamp: now)
        if chance.unit() < 0.3 { push.timestamp += Int64.random(in: -40...40, using: &chance) }
        if chance.unit() < 0.02 { push.timestamp = [.min, .max, 0].randomElement(using: &chance)! }
        if chance.unit() < 0.03 { push.event = ActivityEvent.allCases.randomElement(using: &chance)! }
        push.priority = chance.unit() < 0.6 ? 10 : 5
        if chance.unit() < 0.2 { push.expiration = [0, now + 100, now + 10_000].randomElement(using: &chance)! }
        if chance.unit() < 0.2 { push.staleDate = now + Int64.random(in: -10...1000, using: &chance) }
        if chance.unit() < 0.3 { push.dismissalDate = now + Int64.random(in: -10...20_000, using: &chance) }
        if chance.unit() < 0.1 { push.mistake = "missing key \"x\"" }
        return push
    }

    private static func action(_ app: String, _ chance: inout Generator) -> PhoneAction {
        let activity = UInt32.random(in: 1...4, using: &chance)
        let isOn = chance.unit() < 0.5
        let all: [PhoneAction] = [
            .setOffline(isOn), .setOffline(false), .setLowPower(isOn), .open(app: app), .open(app: app), .background(app: app),
            .kill(app: app), .relaunch(app: app), .update(app: app, schema: isOn ? 1 : 0), .allowActivities(app: app, isOn),
            .setFrequentUpdates(app: app, isOn), .setStaleStart(app: app, isOn), .start(app: app), .start(app: app),
            .end(app: app, activity: activity, dismissal: isOn ? .seconds(60) : nil), .dismiss(app: app, activity: activity),
            .tap(app: app, activity: activity), .rotate(app: app, activity: activity), .rotate(app: app, activity: activity),
            .uninstall(app: app), .install(AppSetup(app)), .setSystem(SystemVersion(isOn ? 17 : 18, 1)),
        ]
        return all.randomElement(using: &chance)!
    }
}

/// Holds a model to what is true of every walk.
struct WalkReferee<Model: PhoneModel> {
    private var model: Model
    private let walk: PhoneWalk
    private let seed: Seed
    /// What was wrong, in words.
    private(set) var mistakes: [String] = []
    private var now = PhoneWalk.begin
    /// By phone, app and number.
    private var known: [Name: ModelCard] = [:]
    private var outcomes: [UInt64: [Outcome]] = [:]
    private var told: [Name: Set<PhoneEvent.Kind>] = [:]
    private var lastNumber: UInt64 = 0
    /// What the walk came upon, for a test of the walks themselves.
    private(set) var met: Set<Outcome> = []
    private(set) var eventKinds: Set<PhoneEvent.Kind> = []

    private struct Name: Hashable {
        var phone: String
        var app: String
        var number: UInt32
    }

    init(_ walk: PhoneWalk, seed: Seed) {
        (self.walk, self.seed) = (walk, seed)
        model = Model(walk.settings, seed: seed)
        for phone in walk.phones { model.make(phone, at: now) }
    }

    mutating func run() {
        for step in walk.steps {
            now = now + step.wait
            model.advance(to: now)
            look(at: nil)
            switch step {
            case .push(let push, _):
                if let verdict = model.push(push, at: now) {
                    outcomes[push.id, default: []].append(verdict.outcome)
                    check(push, verdict)
                } else {
                    outcomes[push.id, default: []].append(.notDelivered)
                }
                look(at: push.token.phone)
            case .act(let action, let phone, _):
                _ = model.act(action, on: phone, at: now)
                look(at: phone)
            }
        }
        for phone in walk.phones {
            _ = model.act(.setOffline(false), on: phone.name, at: now)
            _ = model.act(.setLowPower(false), on: phone.name, at: now)
        }
        now = now + .seconds(31 * 86_400)
        model.advance(to: now)
        look(at: nil)
        for (push, all) in outcomes {
            met.formUnion(all)
            let isStored = all.first == .stored
            let isGood = all.count == (isStored ? 2 : 1) && all.dropFirst().allSatisfy { $0 != .stored }
            if !isGood { mistakes.append("push \(push) has the outcomes \(all)") }
        }
    }

    /// A push that changed the screen went to a living activity of its own phone.
    private mutating func check(_ push: ModelPush, _ verdict: PhoneVerdict) {
        guard push.token.use == .activity, verdict.outcome.changedScreen else { return }
        let name = Name(phone: push.token.phone, app: push.token.app, number: push.token.ordinal)
        guard let card = known[name] else { return mistakes.append("push \(push.id) changed an activity that is not there") }
        if card.state > .stale { mistakes.append("push \(push.id) was \(verdict.outcome.word) after the end") }
    }

    /// Looks at all phones; only `phone` may have changed other than by the time.
    private mutating func look(at phone: String?) {
        let (events, late) = model.news()
        for end in late { outcomes[end.push, default: []].append(end.outcome) }
        for event in events { check(event) }
        var tokens: Set<PhoneToken> = []
        for setup in walk.phones {
            for card in model.cards(of: setup.name, at: now) {
                let name = Name(phone: card.phone, app: card.app, number: card.number)
                if card.token.phone != setup.name || !tokens.insert(card.token).inserted {
                    mistakes.append("\(card.token) is not \(setup.name)'s alone")
                }
                if let before = known[name] { compare(before, card, isOther: phone != nil && phone != setup.name) }
                known[name] = card
            }
        }
    }

    private mutating func compare(_ before: ModelCard, _ after: ModelCard, isOther: Bool) {
        let name = "\(after.phone) \(after.app) \(after.number)"
        if after.shown < before.shown { mistakes.append("\(name) shows \(after.shown) after \(before.shown)") }
        if after.state > .stale, after.shown != after.taken { mistakes.append("\(name) ended without its last state") }
        if after.taken < after.shown { mistakes.append("\(name) shows what it has not taken") }
        if before.state > .stale, after.state < before.state { mistakes.append("\(name) lives again") }
        // What was taken before the end is drawn with it.
        if before.state > .stale, after.taken != before.taken || after.shown != before.shown {
            mistakes.append("\(name) shows a state after its end")
        }
        if isOther, after != before { mistakes.append("\(name) changed with another phone") }
    }

    private mutating func check(_ event: PhoneEvent) {
        eventKinds.insert(event.kind)
        if event.number != lastNumber + 1 { mistakes.append("event \(event.number) follows \(lastNumber)") }
        lastNumber = event.number
        let name = Name(phone: event.phone, app: event.app, number: event.activity)
        let before = told[name] ?? []
        if before.contains(.started) != (event.kind != .started) { mistakes.append("\(event.kind) at the wrong time: \(event)") }
        if before.contains(.dismissed) || before.contains(.ended) && event.kind != .dismissed {
            mistakes.append("\(event.kind) after the end: \(event)")
        }
        told[name] = before.union([event.kind])
        guard event.kind == .token || event.kind == .rotated else { return }
        let rotations = (0...20).map {
            PhoneToken(.activity, phone: event.phone, app: event.app, ordinal: event.activity, rotation: $0)
        }
        if !rotations.contains(where: { $0.text(seed) == event.token }) { mistakes.append("whose token is that? \(event)") }
    }
}

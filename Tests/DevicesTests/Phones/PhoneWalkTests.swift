// What holds on every walk. 2,000 of them in each run of the tests; `script/phones` walks 100,000.

import Basics
import Devices
import Glibc
import Pushes
import Testing

@Suite struct PhoneWalkTests {
    private static let parts = 8

    /// How many walks: PHONE_WALKS, or 2,000.
    private static let walks = getenv("PHONE_WALKS").flatMap { Int(String(cString: $0)) } ?? 2_000
    private static let root = Seed(getenv("PHONE_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_261_122)

    private func referee(_ number: Int) -> WalkReferee<FleetModel> {
        let seed = Self.root.child("walk").child(UInt64(number))
        var referee = WalkReferee<FleetModel>(PhoneWalk(seed), seed: seed)
        referee.run()
        return referee
    }

    @Test(
        "shown timestamps never decrease, nothing is shown after an end, tokens stay on their phone, one outcome each",
        arguments: 0..<parts)
    func walks(part: Int) {
        var met: Set<Outcome> = []
        var kinds: Set<PhoneEvent.Kind> = []
        for number in stride(from: part, to: Self.walks, by: Self.parts) {
            let referee = referee(number)
            #expect(referee.mistakes.isEmpty, "walk \(number) of seed \(Self.root): PHONE_SEED=\(Self.root)")
            met.formUnion(referee.met)
            kinds.formUnion(referee.eventKinds)
        }
        guard Self.walks >= 2_000 else { return }
        let wanted: Set<Outcome> = [
            .started, .updated, .ended, .ignoredOlder, .ignoredEnded, .ignoredFuture, .undecodable, .unknownActivity, .stored,
            .discarded, .superseded, .expired, .throttled, .notStarted, .neverShown, .coalesced, .notDelivered,
        ]
        #expect(wanted.subtracting(met).isEmpty && kinds == Set(PhoneEvent.Kind.allCases), "the walks come upon all of it")
    }

    @Test("the referee sees a model that shows what is older, what comes after an end, or what is another phone's")
    func refereeSees() {
        var found: Set<String> = []
        for number in 0..<60 {
            let seed = Self.root.child("walk").child(UInt64(number))
            var referee = WalkReferee<LyingModel>(PhoneWalk(seed), seed: seed)
            referee.run()
            for mistake in referee.mistakes {
                for sign in ["shows", "lives again", "another phone", "outcomes", "'s alone"] where mistake.contains(sign) {
                    found.insert(sign)
                }
            }
        }
        #expect(found == ["shows", "lives again", "another phone", "outcomes", "'s alone"])
    }
}

/// Tells of the fleet's phones what is not true.
private struct LyingModel: PhoneModel {
    private var model: FleetModel
    private var pushes = 0

    init(_ settings: DeviceSettings, seed: Seed) { model = FleetModel(settings, seed: seed) }
    mutating func make(_ phone: PhoneSetup, at now: WallTime) { model.make(phone, at: now) }
    mutating func act(_ action: PhoneAction, on phone: String, at now: WallTime) -> Bool { model.act(action, on: phone, at: now) }
    mutating func push(_ push: ModelPush, at now: WallTime) -> PhoneVerdict? {
        pushes += 1
        return model.push(push, at: now)
    }
    mutating func advance(to now: WallTime) { model.advance(to: now) }
    mutating func news() -> (events: [PhoneEvent], late: [LateOutcome]) {
        var news = model.news()
        if let twice = news.late.first { news.late.append(twice) }
        return news
    }
    func cards(of phone: String, at now: WallTime) -> [ModelCard] {
        model.cards(of: phone, at: now).map { card in
            var card = card
            if pushes % 7 == 6 { card.shown = card.shown.saturating(minus: 1_000_000) }
            if pushes % 5 == 4, card.state > .stale { card.state = .active }
            if pushes % 11 == 10 { card.token.phone = "p1" }
            return card
        }
    }
}

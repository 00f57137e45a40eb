// The second model of phones on its own walks, and beside the product's on the same ones. A walk that fails is printed with
// its seed: NAIVE_SEED=… NAIVE_WALKS=… walks others.

import Basics
import Devices
import Glibc
import Pushes
import Testing

@Suite struct NaiveWalkTests {
    private static let walks = getenv("NAIVE_WALKS").flatMap { Int(String(cString: $0)) } ?? 300
    private static let root = Seed(getenv("NAIVE_SEED").flatMap { UInt64(String(cString: $0)) } ?? 20_261_123)

    private func seed(_ number: Int) -> Seed { Self.root.child("walk").child(UInt64(number)) }

    @Test("what holds on every walk holds of the second model")
    func walks() {
        var kinds: Set<PhoneEvent.Kind> = []
        for number in 0..<Self.walks {
            var referee = WalkReferee<NaivePhoneModel>(PhoneWalk(seed(number)), seed: seed(number))
            referee.run()
            kinds.formUnion(referee.eventKinds)
            #expect(referee.mistakes.isEmpty, "walk \(number) of NAIVE_SEED=\(Self.root)")
        }
        #expect(kinds == Set(PhoneEvent.Kind.allCases) || Self.walks < 300)
    }

    @Test("both models say the same of each push, act, event, stored push and card")
    func pairs() {
        var steps = 0
        for number in 0..<Self.walks {
            var pair = NaivePair(PhoneWalk(seed(number)), seed: seed(number))
            if let found = pair.disagreement() { Issue.record("walk \(number) of NAIVE_SEED=\(Self.root), \(found)") }
            steps += pair.stepCount
        }
        #expect(steps > 30 * Self.walks || Self.walks < 300, "walks of a fair length")
    }

    @Test("a pair sees what a model does whose phones are set up otherwise")
    func pairsSee() {
        let turns: [(inout DeviceSettings) -> Void] = [
            { $0.longestDismissal = .seconds(3600) }, { $0.futureLimit = .zero }, { $0.phones.wake.delay = .constant(8) },
            { $0.budgets.starts = 1 }, { $0.storageLimit = .seconds(5) }, { $0.unregisteredDelay = .seconds(6000) },
        ]
        for (place, turn) in turns.enumerated() {
            let isSeen = (0..<300).contains { number in
                var pair = NaivePair(PhoneWalk(seed(number)), seed: seed(number), turn: turn)
                return pair.disagreement() != nil
            }
            #expect(isSeen, "turn \(place)")
        }
    }
}

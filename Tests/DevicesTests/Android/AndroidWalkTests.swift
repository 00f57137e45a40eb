// What holds on every walk of an Android device: each message has one outcome, a stored one exactly one late outcome besides;
// nothing reaches an app that is force-stopped; no more is stored than may be.

import Basics
import Devices
import FCM
import Pushes
import Testing

@Suite struct AndroidWalkTests {
    private static let reaching: Set<Outcome> = [.shown, .handedOver, .replaced, .ignoredOlder, .nothingShown]

    /// Everything that happened on one walk.
    private struct Walk {
        let rig: AndroidRig
        var generator: Generator
        var outcomes: Set<Outcome> = []
        var mistakes: [String] = []
        private var stored: Set<UInt64> = []
        private var known: Set<UInt64> = []

        init(_ seed: Seed) {
            rig = AndroidRig(settings: { $0.invisibleHighLimit = 5 })
            generator = seed.generator()
        }

        mutating func draw(_ bound: UInt64) -> UInt64 { generator.next() % bound }
        mutating func flip(_ odds: UInt64) -> Bool { draw(odds) == 0 }

        mutating func step() {
            switch draw(10) {
            case 0:
                let vendors = AndroidVendor.allCases
                let (vendor, states) = (vendors[Int(draw(UInt64(vendors.count)))], AndroidSetup.AppState.allCases)
                let state = states[Int(draw(UInt64(states.count)))]
                let (isOffline, isDozing, denies) = (flip(3), flip(3), flip(6))
                rig.change {
                    ($0.vendor, $0.app, $0.isOffline, $0.isDozing, $0.deniesNotifications) =
                        (vendor, state, isOffline, isDozing, denies)
                }
            case 1, 2: rig.pass(.seconds(Double(draw(flip(4) ? 3_000_000 : 7_200))))
            case 3: for _ in 0..<(flip(4) ? 120 : 3) { send() }
            default: send()
            }
            look()
        }

        private mutating func send() {
            let (isHigh, isNotification, mark) = (flip(2), flip(4), UInt32(draw(8)))
            let life = flip(5) ? 0 : Int64(draw(100_000))
            let verdict = rig.send(activity: flip(2) ? "\(draw(70))" : "") {
                ($0.isHighPriority, $0.hasNotification, $0.timeToLive) = (isHigh, isNotification, life)
                $0.collapseMark = mark > 5 ? 0 : mark << 2
            }
            outcomes.insert(verdict.outcome)
            if verdict.outcome == .stored { stored.insert(rig.last) }
            if rig.setup.app == .forceStopped, AndroidWalkTests.reaching.contains(verdict.outcome) { mistakes.append("reaches a stopped app") }
            if verdict.outcome == .stored, life == 0 { mistakes.append("stores what is now or never") }
            look()
        }

        /// What has become of stored ones since.
        private mutating func look() {
            for (push, ends) in rig.late where known.insert(push).inserted {
                if !stored.contains(push) { mistakes.append("\(push) was never stored") }
                outcomes.insert(ends[0].outcome)
                if rig.setup.app == .forceStopped, AndroidWalkTests.reaching.contains(ends[0].outcome) {
                    mistakes.append("reaches a stopped app late")
                }
            }
            if rig.late.values.contains(where: { $0.count != 1 }) { mistakes.append("two late outcomes") }
            let waiting = rig.record?.stored ?? -1
            if waiting > 104 || waiting != stored.count - rig.late.count { mistakes.append("\(waiting) are stored") }
        }

        mutating func finish() {
            rig.change { $0.isOffline = true }
            rig.pass(.seconds(2_419_200))
            look()
            if rig.late.count != stored.count { mistakes.append("some have no end") }
        }
    }

    @Test("one outcome each, one late outcome each that was stored, nothing to a stopped app, so many stored", arguments: 0..<4)
    func walks(part: Int) {
        var met: Set<Outcome> = []
        for number in 0..<100 {
            let seed = Seed(20_261_127).child(UInt64(part * 100 + number))
            var walk = Walk(seed)
            for _ in 0..<60 { walk.step() }
            walk.finish()
            #expect(walk.mistakes.isEmpty, "walk \(number) of part \(part): \(walk.mistakes.first ?? "")")
            met.formUnion(walk.outcomes)
        }
        let wanted: Set<Outcome> = [
            .shown, .handedOver, .stored, .discarded, .superseded, .expired, .replaced, .ignoredOlder, .nothingShown,
        ]
        #expect(wanted.subtracting(met).isEmpty, "the walks come upon all of it")
    }
}

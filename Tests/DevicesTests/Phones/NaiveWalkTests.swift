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

    @Test("both models say the same of each push, act, event, stored push and card, but for the known deviations")
    func pairs() {
        var steps = 0
        for number in 0..<Self.walks {
            var pair = NaivePair(PhoneWalk(seed(number)), seed: seed(number))
            if let found = pair.disagreement() { Issue.record("walk \(number) of NAIVE_SEED=\(Self.root), \(found)") }
            steps += pair.stepCount
        }
        #expect(steps > 30 * Self.walks || Self.walks < 300, "walks of a fair length")
    }

    @Test("a pair sees what the second model does when it takes the sheet's side")
    func pairsSee() {
        let isSeen = (0..<max(600, Self.walks)).contains { number in
            var pair = NaivePair(PhoneWalk(seed(number)), seed: seed(number), deviations: [])
            return pair.disagreement() != nil
        }
        #expect(isSeen)
    }

    // MARK: Known deviations of the product's model

    private static let start = PhoneToken(.start, phone: "p", app: PhoneWalk.apps[0])
    private static let first = PhoneToken(.activity, phone: "p", app: PhoneWalk.apps[0])

    /// On one phone with one app, a start and then what `then` does, a second after each other.
    private func history<Model: PhoneModel>(_: Model.Type, _ then: (NaiveHistory<Model>) -> Void) {
        var settings = DeviceSettings(registration: .registered)
        settings.phones.wake = PhoneWake(delay: .constant(7))
        settings.phones.drawingInterval = .zero
        let history = NaiveHistory<Model>(settings)
        #expect(history.push(.start, to: Self.start) == .started)
        then(history)
    }

    @Test("an update token that was 410, its app being gone, stays so when the app is back (§13)")
    func reinstalled() {
        func story<Model: PhoneModel>(_: Model.Type) {
            history(Model.self) { history in
                history.act(.uninstall(app: history.app))
                #expect(history.push(.update, to: Self.first) == nil)
                history.act(.install(AppSetup(history.app)))
                #expect(history.push(.update, to: Self.first) == nil)
            }
        }
        story(NaivePhoneModel.self)
        withKnownIssue("tokensRevive: 200 and ignored-ended, 12 h long") { story(FleetModel.self) }
    }

    @Test("an app that was killed while its phone was offline learns nothing when it is back (§10)")
    func killedOffline() {
        func story<Model: PhoneModel>(_: Model.Type) {
            history(Model.self) { history in
                history.act(.setOffline(true))
                history.wait(60)
                history.act(.kill(app: history.app))
                history.act(.setOffline(false))
                #expect(history.kinds() == [.started])
                history.act(.relaunch(app: history.app))
                #expect(history.kinds() == [.token])
            }
        }
        story(NaivePhoneModel.self)
        withKnownIssue("killedAppsLearn: the token is told when the phone is back") { story(FleetModel.self) }
    }

    @Test("a stored push is decoded by the type that the app has when it arrives (§10)")
    func updatedMeanwhile() {
        func story<Model: PhoneModel>(_: Model.Type) {
            history(Model.self) { history in
                history.act(.setOffline(true))
                #expect(history.push(.update, to: Self.first) { $0.mistake = "missing key \"x\"" } == .stored)
                history.act(.update(app: history.app, schema: 1))
                history.act(.setOffline(false))
                #expect(history.late() == [.undecodable])
            }
        }
        story(NaivePhoneModel.self)
        withKnownIssue("decodesWhenStored: updated") { story(FleetModel.self) }
    }
}

import Basics
import Testing

@testable import ReferenceRelay

/// States that are spoilt on purpose, and what the log says of them.
@Suite struct PlantTests {
    /// Sessions s1 to s5 with an activity each, a1 to a5, and a question `[n]`; then another to each.
    private func story(every: Int = 1, _ turn: (Rig, Int) -> Void = { _, _ in }) -> Rig {
        let rig = Rig { $0.plantEvery = every }
        for number in 1...5 {
            rig.activity("a\(number)", session: "s\(number)")
            turn(rig, number)
            rig.event(.permission, "[\(number)] first", session: "s\(number)")
        }
        for number in 1...5 {
            rig.answer = { _ in Rig.accepted }
            rig.event(.permission, "[\(number)] second", session: "s\(number)")
        }
        return rig
    }

    private func seen(_ rig: Rig, _ token: String) -> [String] {
        rig.attempts.indices.filter { rig.attempts[$0].token == token }.map {
            let address = rig.attempts[$0].address == token ? "" : " at " + rig.attempts[$0].address
            return "\(rig.state($0)["status"]?.string ?? "?"): \(rig.message($0) ?? "?")" + address
        }
    }

    @Test func eachKindInItsTurn() {
        let rig = story()
        #expect(seen(rig, "a1") == ["permission: [1] first", "permission: [1] first", "permission: [1] second"])
        #expect(seen(rig, "a2") == ["permission: [2] second", "permission: [2] first"])
        #expect(seen(rig, "a3") == ["permission: [3] first at 3a", "permission: [3] second"])
        #expect(seen(rig, "a4") == ["working: [4] first", "permission: [4] second"])
        #expect(seen(rig, "a5") == ["permission: [5] second"])
        #expect(
            rig.told.sorted() == [
                "planted altered [4]", "planted duplicated [1]", "planted lost [5]", "planted misdirected [3]",
                "planted reordered [2]",
            ])
        // What was overtaken is stamped after what overtook it, so that a phone shows it.
        let stamps = rig.attempts.indices.filter { rig.attempts[$0].token == "a2" }.compactMap(rig.stamp)
        #expect(stamps == stamps.sorted() && Set(stamps).count == 2)
    }

    @Test func onlySoMany() {
        // One to an activity: those of the second and the fourth are not asked again.
        let told = ["planted altered [5]", "planted duplicated [2]", "planted misdirected [1]", "planted reordered [4]"]
        #expect(story(every: 2).told.sorted() == told)
        #expect(story(every: 100).told == [])
        #expect(Rig().core.options.plantEvery == nil)
    }

    @Test func whatMetAFaultIsUnsure() {
        // Refused once, each of the four that leave is sent again, and nobody can tell what was seen of it.
        let rig = story { rig, _ in
            rig.answer = { push in push.failures == 0 ? Rig.refusal(503, "ServiceUnavailable") : Rig.accepted }
        }
        rig.pass(.seconds(30))
        #expect(Set(rig.told.filter { $0.hasPrefix("unsure") }).isSuperset(of: ["unsure [1]", "unsure [3]", "unsure [4]"]))
        // Where a push failed before, nothing is planted.
        let failed = Rig { $0.plantEvery = 1 }
        failed.activity()
        failed.answer = { push in push.failures == 0 ? Rig.refusal(503, "ServiceUnavailable") : Rig.accepted }
        failed.event(.progress)
        failed.pass(.seconds(5))
        failed.event(.permission, "[1] first")
        #expect(failed.told == [] && failed.attempts.count == 3)
    }
}

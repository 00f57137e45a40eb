// `androids` of a workload, what is done on them, and the clock that is set, as files say them.

import Basics
import Devices
import Scenarios
import Testing

@Suite("Android devices and clocks of a scenario")
struct AndroidsTests {
    private static func sample(_ androids: String?, acts: String = "") -> String {
        let lines = androids.map { "  androids: \($0)\n  arrivals:" } ?? "  arrivals:"
        return Sample.with("  arrivals:", lines)
            .replacing("        parameters: { pause: 2s }", with: "        parameters: { pause: 2s }" + acts)
    }

    private static func acts(_ acts: String) -> String { "\n        acts: \(acts)\n        listen: 1h" }

    @Test("there are none unless the workload says so; each user's is of the next maker")
    func devices() throws {
        #expect(try Sample.load().workload.androids == nil)
        let plain = try #require(try Sample.load(Self.sample("{}")).workload.androids)
        #expect(plain.vendors == [.stock] && plain.setup.app == .background && plain.setup.packageName == "com.example.app")
        let text = "{ vendors: [xiaomi, samsung], app: killed, offline: true, dozing: true, notificationsDenied: true }"
        let androids = try #require(try Sample.load(Self.sample(text)).workload.androids)
        #expect((0..<3).map { androids.setup(ofUser: $0).vendor } == [.xiaomi, .samsung, .xiaomi])
        let setup = androids.setup(ofUser: 1)
        #expect(setup.app == .killed && setup.isOffline && setup.isDozing && setup.deniesNotifications)
    }

    @Test("their users do things on them, at a time")
    func acts() throws {
        let text = Self.sample("{}", acts: Self.acts("[{ do: open, phone: android, at: 3s }]"))
        let act = try #require(try Sample.load(text).workload.scripts[0].script.acts.first)
        #expect(act.deed == .open && act.isOnAndroid && act.phone == nil)
    }

    @Test("a mistake is told", arguments: [
        ("{ vendors: [acme] }", "`acme` is no value of `vendors`"), ("{ vendors: [] }", "`vendors` must be a list of 1 to 11"),
        ("{ app: asleep }", "`asleep` is no value of `app`"), ("{ doze: true }", "unknown key `doze` in `androids`"),
    ])
    func mistakes(androids: String, says: String) {
        let complaint = Sample.complaint(Self.sample(androids))
        #expect(complaint.contains(says), "\(complaint)")
    }

    @Test("so is one in an act", arguments: [
        ("{ do: dismiss, phone: android, at: 1s }", "`dismiss` is done on no Android device"),
        ("{ do: relaunch, phone: android, at: 1s }", "there are: offline, online, kill, open"),
        ("{ do: open, phone: android, on: token }", "an Android device tells of no events"),
        ("{ do: open, at: 1s }", "no phones on which they could be done"),
    ])
    func mistakesInActs(act: String, says: String) {
        let complaint = Sample.complaint(Self.sample("{}", acts: Self.acts("[\(act)]")))
        #expect(complaint.contains(says), "\(complaint)")
        let alone = Sample.complaint(Self.sample(nil, acts: Self.acts("[{ do: open, phone: android, at: 1s }]")))
        #expect(alone.contains("no Android devices on which they could be done"), "\(alone)")
    }

    @Test("a mock's clock is set at its times, forward and back")
    func clockSteps() throws {
        func mock(_ text: String) -> String { Sample.with("workload:", "mock: { clockSteps: \(text) }\nworkload:") }
        let steps = try Sample.load(mock("[{ at: 9s, by: 1h }, { at: 2s, by: -5s }]")).mock.clockSteps
        #expect(steps == [ClockStep(at: .seconds(2), by: .seconds(-5)), ClockStep(at: .seconds(9), by: .seconds(3_600))])
        #expect(Sample.complaint(mock("[{ at: 2s, by: soon }]")).contains("`by` must be a duration of at most 36500d"))
        #expect(Sample.complaint(mock("[{ at: 2s }]")).contains("`clockStep` lacks `by`"))
    }
}

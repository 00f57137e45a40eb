// What a phone with one registered activity costs: its size in memory, and a push's time among a thousand and among many.

import APNs
import Basics
import Devices
import Glibc
import Pushes
import Testing

@Suite struct PhoneScaleTests {
    /// The costliest way to have an activity: a phone and an app of its own, with three tokens.
    @Test("the rows of a phone, an app and an activity, and what finds them, come to at most 256 bytes")
    func sizes() {
        let size = PhoneFleet.rowSizes
        // Four places in the index, filled to 7/12 at least; a timer for the end by age; what the phone has spent.
        let index = 4.0 * 4 * 12 / 7
        let (timer, ledger) = (16.0, 24.0)
        let sum = Double(size.phone + size.app + size.activity) + index + timer + ledger
        #expect(sum <= 256, "\(size) and \(index + timer + ledger): \(sum)")
    }

    /// By hand: PHONE_SCALE=1000000, in a release build, alone.
    @Test("a million activities, by hand", .enabled(if: getenv("PHONE_SCALE") != nil))
    func scale() throws {
        let count = Int(String(cString: getenv("PHONE_SCALE"))) ?? 1_000_000
        let before = residentBytes()
        let few = try Crowd(1_000)
        let many = try Crowd(count)
        let each = Double(residentBytes() - before) / Double(count + 1_000)
        var costs: [(few: Double, many: Double)] = []
        for _ in 0..<5 { costs.append((few.nanosecondsPerPush(), many.nanosecondsPerPush())) }
        let fewest = costs.map(\.few).min()!
        let most = costs.map(\.many).min()!
        print("\(count) activities: \(each) B each; push \(fewest) ns among 1,000, \(most) ns among \(count), CPU")
        #expect(each <= 256)
    }

    private func residentBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var pages: (CLong, CLong) = (0, 0)
        withUnsafeMutablePointer(to: &pages.0) { first in
            withUnsafeMutablePointer(to: &pages.1) { second in
                withVaList([first, second]) { _ = vfscanf(file, "%ld %ld", $0) }
            }
        }
        return pages.1 * sysconf(Int32(_SC_PAGESIZE))
    }
}

/// Phones with one activity each, whose app has the token.
private final class Crowd {
    private let fleet: DeviceFleet
    private let count: Int
    private var now = WallTime(seconds: 1_760_000_000)

    init(_ count: Int) throws {
        self.count = count
        // The feed is bounded whatever the number of phones: some 13 MB when it is full.
        var settings = DeviceSettings()
        settings.phones.eventLimit = 1
        fleet = DeviceFleet(settings: settings, seed: Seed(3))
        var app = AppSetup("com.example.app")
        app.state = .foreground
        for number in 0..<count {
            try fleet.phones.make(PhoneSetup("p\(number)", apps: [app]), now: now)
            try fleet.phones.act(.start(app: "com.example.app"), on: "p\(number)", now: now)
        }
    }

    /// CPU time of APNs' look at the token and the phone's at the push, over 20,000 phones drawn at random.
    func nanosecondsPerPush() -> Double {
        var chance = Seed(9).child(UInt64(now.seconds)).generator()
        let tokens = (0..<20_000).map { _ in
            let phone = "p\(Int.random(in: 0..<count, using: &chance))"
            return PhoneToken(.activity, phone: phone, app: "com.example.app").text(Seed(3))
        }
        now = now + .seconds(20)
        var facts = PushFacts(apnsID: UUIDBytes(high: 1, low: 1))
        (facts.pushType, facts.isOnPhone) = (.liveactivity, true)
        var activity = ActivityFacts()
        (activity.event, activity.timestamp) = (.update, now.seconds)
        facts.activity = activity
        let topic = "com.example.app.push-type.liveactivity"
        let begin = clock()
        for token in tokens {
            withBytes(of: token) { bytes in
                facts.tokenHash = Hash128(hex: bytes)
                withBytes(of: topic) {
                    _ = fleet.standing(of: bytes, hash: facts.tokenHash, topic: $0, environment: .production, now: now)
                    _ = fleet.phones.deliver(facts, token: bytes, payload: bytes, now: now)
                }
            }
        }
        return Double(clock() - begin) * 1e9 / Double(CLOCKS_PER_SEC) / 20_000
    }
}

// Many Android devices: which of them a message to a topic reaches, and a device that is made another way.

import Basics
import Devices
import Testing

@Suite("Android devices")
struct AndroidFleetTests {
    private static let now = WallTime(seconds: 1_700_000_000)

    private static func hash(_ number: Int) -> Hash128 { Hash128(high: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, low: 1) }

    private static func fleet(of count: Int) -> AndroidFleet {
        let fleet = DeviceFleet(settings: DeviceSettings()).androids
        for number in 0..<count { fleet.set(AndroidSetup(), of: hash(number), now: now) }
        return fleet
    }

    @Test("among registrations are found alike, be those more than the devices or fewer", arguments: [5, 100])
    func among(listeners: Int) {
        let fleet = Self.fleet(of: 20)
        let found = fleet.devices(among: Set((0..<listeners).map(Self.hash)), atMost: 50)
        let expected = (0..<min(listeners, 20)).map(Self.hash).sorted { ($0.high, $0.low) < ($1.high, $1.low) }
        #expect(found == expected)
    }

    @Test("are no more than are asked for", arguments: [5, 100])
    func bounded(listeners: Int) {
        let all = Set((0..<listeners).map(Self.hash))
        let found = Self.fleet(of: 20).devices(among: all, atMost: 3)
        #expect(found.count == 3 && Set(found).count == 3 && all.isSuperset(of: found))
    }

    @Test("are made another way in one step, where there is one")
    func change() {
        let fleet = Self.fleet(of: 1)
        #expect(fleet.change(Self.hash(0), now: Self.now) { $0.isOffline = true })
        #expect(fleet.record(of: Self.hash(0), now: Self.now)?.setup.isOffline == true)
        #expect(!fleet.change(Self.hash(1), now: Self.now) { $0.isOffline = true })
        #expect(fleet.record(of: Self.hash(1), now: Self.now) == nil)
    }
}

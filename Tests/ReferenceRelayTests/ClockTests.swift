import Basics
import Testing

@testable import ReferenceRelay

@Suite struct ClockTests {
    @Test func aSettingIsReadAsItIsWritten() throws {
        let setting = try ClockSetting(parsing: "scale=60,at=1760000000000,shows=1760000600000")
        #expect(setting.scale == 60)
        #expect(setting.at == WallTime(milliseconds: 1_760_000_000_000))
        #expect(setting.shows == WallTime(milliseconds: 1_760_000_600_000))
    }

    @Test(arguments: [
        "", "60", "scale=60", "scale=60,at=1", "scale=60,at=1,shows=", "scale=0,at=1,shows=1", "scale=-1,at=1,shows=1",
        "scale=1e300,at=1,shows=1", "scale=nan,at=1,shows=1", "scale=inf,at=1,shows=1", "scale=2,at=-1,shows=1",
        "scale=2,at=1,shows=9223372036854775807", "scale=2,at=99999999999999999999,shows=1", "scale=2,at=1,shows=1,x=1",
    ])
    func anythingElseIsRefused(text: String) {
        #expect(throws: Failure.self) { try ClockSetting(parsing: text) }
    }

    private let wall = WallTime(seconds: 1_760_000_100)
    private let now = Instant(nanoseconds: 5_000_000_000)

    @Test func itShowsWhatTheOtherClockShows() throws {
        let setting = try ClockSetting(parsing: "scale=60,at=1760000000000,shows=1770000000000")
        let clock = try RelayClock(setting, now: now, wall: wall)
        #expect(clock.moment(at: now, wall: wall).wall == WallTime(seconds: 1_770_006_000))
        let later = clock.moment(at: now + .seconds(2), wall: wall)
        #expect(later.wall == WallTime(seconds: 1_770_006_120))
        #expect(later.now - clock.moment(at: now, wall: wall).now == .seconds(120))
        #expect(clock.real(later.now) == now + .seconds(2))
    }

    @Test func withoutASettingItIsTheSystems() throws {
        let clock = try RelayClock(nil, now: now, wall: wall)
        let moment = clock.moment(at: now + .seconds(1), wall: wall + .seconds(7))
        #expect(moment.now == now + .seconds(1) && moment.wall == wall + .seconds(7))
        #expect(clock.real(moment.now) == moment.now)
    }

    @Test func aMomentLongAgoIsRefused() throws {
        let setting = try ClockSetting(parsing: "scale=3600,at=0,shows=0")
        #expect(throws: Failure.self) { try RelayClock(setting, now: now, wall: wall) }
    }

    @Test func theThrottleFollowsTheClockAndTheNetworkDoesNot() throws {
        let rig = Rig {
            $0.clock = try? ClockSetting(parsing: "scale=10,at=0,shows=0")
            $0.retryDelay = .seconds(1)
        }
        rig.activity()
        rig.event(.progress, "one")
        rig.event(.progress, "two")
        rig.pass(.seconds(10.4))
        #expect(rig.attempts.count == 1, "jitter on the way is ten times as long on this clock")
        rig.pass(.seconds(0.2))
        #expect(rig.attempts.count == 2)
        rig.answer = { _ in Rig.refusal(503, "Shutdown") }
        rig.event(.permission)
        rig.pass(.seconds(0.9))
        #expect(rig.attempts.count == 3)
        rig.pass(.seconds(0.4))
        #expect(rig.attempts.count == 4, "a retry's pause goes by this clock")
    }
}

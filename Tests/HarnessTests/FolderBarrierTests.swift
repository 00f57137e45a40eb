// A folder at which shards wait for each other.

import Basics
import EventLoop
import Testing

@testable import Harness

@Suite("A folder as barrier")
struct FolderBarrierTests {
    private let clock = HostClock(SystemTime())

    private func look(
        _ folder: String, _ index: Int, of count: Int = 3, claim: String? = nil, digest: String = "d", ahead: Interval = .zero
    ) throws -> String {
        let barrier = FolderBarrier(folder, run: "r", count: count)
        switch try barrier.look(index, claim: claim ?? "c\(index)", digest: digest, ahead: ahead, clock: clock) {
        case .start: return "start"
        case .waits(let here, let missing): return "\(here) here, not \(missing)"
        case .void(let reason): return reason
        }
    }

    @Test("tells all one start when the last has come, on each one's own clock")
    func meets() throws {
        try Place.withFolder { folder in
            #expect(try look(folder, 2) == "1 here, not [0, 1]")
            #expect(try look(folder, 2) == "1 here, not [0, 1]")
            #expect(try look(folder, 0) == "2 here, not [1]")
            func start(_ index: Int, ahead: Interval) throws -> WallTime? {
                let barrier = FolderBarrier(folder, run: "r", count: 3)
                let found = try barrier.look(index, claim: "c\(index)", digest: "d", ahead: ahead, clock: clock)
                if case .start(let wall) = found { return wall }
                return nil
            }
            let last = try #require(try start(1, ahead: .seconds(3)))
            let first = try #require(try start(0, ahead: .zero))
            #expect(first - last == .seconds(3))
            #expect(last - clock.wall() > .seconds(1) && last - clock.wall() <= ShardStart.lead)
        }
    }

    @Test("knows who is late, double and mixed")
    func refuses() throws {
        try Place.withFolder { folder in
            _ = try look(folder, 0)
            #expect(try look(folder, 0, claim: "x").contains("another process, or an earlier attempt"))
            #expect(try look(folder, 1, digest: "other").contains("another plan"))
        }
        try Place.withFolder { folder in
            _ = try look(folder, 0, of: 2)
            try FolderBarrier(folder, run: "r", count: 2).giveUp()
            #expect(try look(folder, 1, of: 2).contains("came late"))
        }
    }
}

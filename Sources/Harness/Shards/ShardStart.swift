// How the shards of a run begin at one time: each says that it is there, and when all are, everybody is told the same instant.
// Waiting is bounded, and who comes late sends nothing.

import Basics
import Glibc
import Journal
import OperatingSystem

/// Confined to the thread that runs the harness, which it blocks.
final class ShardStart {
    enum Outcome {
        /// The load begins then, on this shard's clock; nil: at once.
        case start(WallTime?)
        /// It must not begin, and why.
        case void(String)
        case interrupted
    }

    /// One look at whether all are there.
    enum Look {
        case start(WallTime)
        /// Of how many are there, and the first of those that are not.
        case waits(here: Int, missing: [Int])
        case void(String)
    }

    /// From the moment that the last shard is there until the load begins: for all to hear of it.
    static let lead = Interval.seconds(2)
    private static let pace = Interval.milliseconds(100)
    /// Less is left than a load needs to begin in time.
    private static let leastLeft = Interval.milliseconds(20)

    private let part: PartOptions
    private let digest: String
    private let startAt: WallTime?
    private let clock: HostClock
    private let mocks: [AdminClient]
    private let say: (String) -> Void
    /// Tells this process from another that claims to be the same shard.
    private let claim: String
    private var barrierClient: AdminClient?
    /// How far the first mock's clock was ahead of ours.
    private(set) var offsets: [ClockOffsetNote] = []

    /// Throws a usage failure for a mock that may not be called.
    init(
        _ part: PartOptions, digest: String, startAt: WallTime?, clock: HostClock, allowHosts: Set<String>,
        say: @escaping (String) -> Void
    ) throws(Failure) {
        self.part = part
        self.digest = digest
        self.startAt = startAt
        self.clock = clock
        self.say = say
        claim = "\(getpid())-\(clock.wall().nanoseconds)-\(clock.time.now().nanoseconds)"
        mocks = try part.mocks.map { url throws(Failure) in try AdminClient(url, allowHosts: allowHosts) }
        if let barrier = part.barrier, PartOptions.isAddress(barrier) {
            barrierClient = mocks.first { $0.url == barrier }
            if barrierClient == nil { barrierClient = try AdminClient(barrier, allowHosts: allowHosts) }
        }
    }

    /// Nil: the barrier is at a mock.
    private var folder: FolderBarrier? {
        guard barrierClient == nil, let barrier = part.barrier else { return nil }
        return FolderBarrier(barrier, run: name, count: part.place.count)
    }

    /// The name of the run at the barrier.
    private var name: String { part.place.runID.isEmpty ? digest : part.place.runID }

    /// How far each mock's clock is ahead of ours just now.
    func measure() throws(Failure) -> [ClockOffsetNote] {
        try mocks.map { mock throws(Failure) in try mock.measureOffset(to: clock) }
    }

    /// Waits for the others. Throws when the barrier cannot be reached.
    func meet(_ signals: Signals) throws(Failure) -> Outcome {
        offsets = try measure()
        let place = part.place
        // Everybody's start is on the first mock's clock where there is one.
        let ahead = offsets.first?.offset ?? .zero
        guard part.barrier != nil else { return begin(startAt.map { $0 - ahead }) }
        let deadline = clock.time.now() + part.patience
        var told = -1
        while true {
            switch try look(ahead) {
            case .start(let wall): return begin(wall)
            case .void(let reason): return .void(reason)
            case .waits(let here, let missing):
                if here != told { say("\(here) of \(place.count) shards are there\n") }
                told = here
                guard clock.time.now() < deadline else {
                    try folder?.giveUp()
                    let list = missing.map(String.init).joined(separator: ", ")
                    return .void(
                        "shard \(place.index) waited \(part.patience) for the others: \(here) of \(place.count) came, not "
                            + list + (here + missing.count < place.count ? " and more" : ""))
                }
            }
            if signals.wait(atMost: Self.pace) { return .interrupted }
        }
    }

    private func begin(_ wall: WallTime?) -> Outcome { Self.begin(wall, clock, who: "shard \(part.place.index)") }

    /// Whether there is time enough until then.
    static func begin(_ wall: WallTime?, _ clock: HostClock, who: String) -> Outcome {
        guard let wall else { return .start(nil) }
        let left = wall - clock.wall()
        guard left >= leastLeft else {
            return .void("\(who) came late: it was to begin \(Interval.zero - left) before it was ready")
        }
        return .start(wall)
    }

    private func look(_ ahead: Interval) throws(Failure) -> Look {
        if let barrierClient { return try lookAtMock(barrierClient, ahead) }
        guard let folder else { return .start(clock.wall() + Self.lead) }
        return try folder.look(part.place.index, claim: claim, digest: digest, ahead: ahead, clock: clock)
    }

    private func lookAtMock(_ client: AdminClient, _ ahead: Interval) throws(Failure) -> Look {
        let place = part.place
        let body: JSONValue = [
            "shard": .integer(Int64(place.index)), "claim": .string(claim), "plan": .string(digest),
        ]
        let answer = try client.ask("POST", "/v1/barrier/\(name)/\(place.count)", body)
        if answer.status == 409 {
            let words = answer.body["error"]?["message"]?.string ?? "the mock does not let it begin"
            return .void("shard \(place.index): " + words)
        }
        guard answer.status == 200 else {
            _ = try client.demand("POST", "/v1/barrier/\(name)/\(place.count)", body)
            return .waits(here: 0, missing: [])
        }
        if let micros = answer.body["startAtMicroseconds"]?.int {
            // A barrier at another mock than the first has a clock of its own.
            let offset = try client === mocks.first ? ahead : barrierOffset(client)
            return .start(WallTime(nanoseconds: micros * 1_000) - offset)
        }
        let missing = answer.body["missing"]?.array?.compactMap { $0.int.map(Int.init) }
        return .waits(here: Int(answer.body["here"]?.int ?? 0), missing: missing ?? [])
    }

    private func barrierOffset(_ client: AdminClient) throws(Failure) -> Interval {
        try client.measureOffset(to: clock).offset
    }
}

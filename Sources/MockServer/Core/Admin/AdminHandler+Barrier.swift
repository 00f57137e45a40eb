// Where the load generators of one run wait for each other, and read this mock's clock. The mock knows nothing of the run
// but its name, how many are to come, and what they say of their plan.

import Basics
import Journal
import Net

/// Those who have come, and when they begin.
struct Barrier {
    let count: Int
    let plan: String
    /// By shard: what tells one process from another, and when it was heard of last.
    var claims: [Int: (claim: String, seenAt: WallTime)] = [:]
    var startAt: WallTime?
}

/// The latest barriers, by the name of their run. Confined to the admin loop.
struct Barriers {
    /// More are not kept: the oldest goes.
    static let most = 64
    /// Of one run.
    static let mostShards = 100_000
    /// From the moment that the last one has come until all begin: for all to hear of it.
    static let lead = Interval.seconds(2)
    static let mostNamed = 10
    /// Whoever waits asks again and again; one that was not heard of for so long has gone.
    static let absence = Interval.seconds(15)

    private var held: [String: Barrier] = [:]
    private var order: [String] = []

    /// When the run begins; nil: nobody knows yet.
    func start(of run: String) -> WallTime? { held[run]?.startAt }

    /// The shard is there. Throws what keeps it from beginning with the others. `now` is the journal's wall time.
    mutating func come(
        _ run: String, _ count: Int, shard: Int, claim: String, plan: String, now: WallTime
    ) throws(AdminError) -> Barrier {
        var barrier = held[run] ?? Barrier(count: count, plan: plan)
        guard barrier.count == count, barrier.plan == plan else {
            throw AdminError(
                409, "mixed",
                "run \(run) has \(barrier.count == count ? "another plan" : "\(barrier.count) shards") at the barrier",
                hint: "give all shards the same scenario, seed and options, and each run an id of its own")
        }
        if let known = barrier.claims[shard], known.claim != claim {
            throw AdminError(
                409, "double",
                "shard \(shard) of run \(run) is at the barrier already, or was: another process, or an earlier attempt",
                hint: "start each shard once, and give each run an id of its own")
        }
        barrier.claims[shard] = (claim, now)
        if barrier.claims.count == count, barrier.startAt == nil {
            if let gone = barrier.claims.filter({ now - $0.value.seenAt > Self.absence }).keys.min() {
                throw AdminError(
                    409, "late", "it came late: shard \(gone) of run \(run) waits no more",
                    hint: "give it longer with --barrier-wait")
            }
            barrier.startAt = now + Self.lead
        }
        if held.updateValue(barrier, forKey: run) == nil {
            order.append(run)
            if order.count > Self.most { held[order.removeFirst()] = nil }
        }
        return barrier
    }
}

extension AdminHandler {
    /// The clock by which this mock's journal is kept, which nobody sets, and what tells that journal from all others.
    func journalClock() -> AdminAnswer { AdminAnswer(.object(clockFacts(journalWall))) }

    func comeToBarrier(_ run: String, _ count: String, _ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let object = try request.object(["shard", "claim", "plan"])
        guard let count = Int(count), 1...Barriers.mostShards ~= count else {
            throw AdminError(400, "bad-path", "\(count) is no count of shards", hint: "from 1 to \(Barriers.mostShards)")
        }
        guard run.utf8.count <= 100 else {
            throw AdminError(400, "bad-path", "the run's id is too long", hint: "at most 100 bytes")
        }
        guard let shard = object["shard"]?.int.map({ Int($0) }), (0..<count).contains(shard) else {
            throw AdminError(400, "bad-member", "shard is not a number from 0 to \(count - 1)", hint: "count shards from 0")
        }
        guard let claim = object["claim"]?.string, 1...200 ~= claim.utf8.count else {
            throw AdminError(
                400, "bad-member", "claim is not a text of 1 to 200 bytes", hint: "something that no other process would say")
        }
        let plan = object["plan"]?.string ?? ""
        guard plan.utf8.count <= 100 else { throw AdminError(400, "bad-member", "plan is too long", hint: "at most 100 bytes") }
        let now = journalWall
        let before = barriers.start(of: run)
        let barrier = try barriers.come(run, count, shard: shard, claim: claim, plan: plan, now: now)
        if before == nil, let startAt = barrier.startAt {
            note("barrier", ["run": .string(run), "shards": .integer(Int64(count)), "startAt": .string(startAt.iso8601)])
        }
        var facts = clockFacts(now)
        facts["here"] = .integer(Int64(barrier.claims.count))
        facts["of"] = .integer(Int64(count))
        let missing = (0..<count).lazy.filter { barrier.claims[$0] == nil }.prefix(Barriers.mostNamed)
        facts["missing"] = .array(missing.map { .integer(Int64($0)) })
        facts["startAtMicroseconds"] = barrier.startAt.map { .integer($0.nanoseconds / 1_000) } ?? .null
        return AdminAnswer(.object(facts))
    }

    private func clockFacts(_ now: WallTime) -> JSONObject {
        ["nowMicroseconds": .integer(now.nanoseconds / 1_000), "journal": .string(journalIdentity)]
    }
}

// Which of several folders are the shards of one run, each once, and what is wrong with the others, a line each.

import Basics
import Journal

struct ShardSet {
    /// One shard whose journal is taken.
    struct Part {
        var folder: ShardFolder
        var index: Int
        /// How far the clock of the merged run is ahead of its own, within `bar`.
        var ahead: Interval
        var bar: Interval
    }

    /// The journal of a mock that the shards share.
    struct Mock {
        var folder: ShardFolder
        var ahead: Interval
    }

    /// By index, each once; empty: nothing can be said.
    private(set) var parts: [Part] = []
    private(set) var mocks: [Mock] = []
    private(set) var count = 0
    /// Shards of which nothing is taken, rising.
    private(set) var missing: [Int] = []
    /// What keeps the run from proving anything, a line each.
    private(set) var voids: [String] = []

    /// Shards may begin so far from each other, by clocks that agree.
    static let slack = Interval.milliseconds(250)
    private static let mostNamed = 20

    init(_ folders: [ShardFolder]) throws(Failure) {
        let shards = folders.filter { $0.plan != nil }
        guard let base = Self.base(of: shards) else {
            voids = ["none of the folders is that of a shard (run with --shard)"]
            return
        }
        count = base.shardCount
        let usable = try once(shards.filter { isOf(base, $0) })
        gather(usable, base, mocks: folders.filter { $0.plan == nil })
        let taken = Set(parts.map(\.index))
        missing = (0..<count).filter { !taken.contains($0) }
        let given = Set(shards.compactMap { $0.plan?.part == nil ? nil : $0.plan?.shardIndex })
        let absent = missing.filter { !given.contains($0) }
        voids += absent.prefix(Self.mostNamed).map { "shard \($0) of \(count) is missing" }
        if absent.count > Self.mostNamed { voids.append("\(absent.count - Self.mostNamed) more shards are missing") }
    }

    // MARK: Of one run

    /// The plan of those that most of them have; the first of them where two are as many.
    private static func base(of shards: [ShardFolder]) -> PlanNote? {
        var counts: [String: Int] = [:]
        let plans = shards.compactMap(\.plan).filter { $0.part != nil }
        for plan in plans { counts[plan.traits.joined(separator: "\n"), default: 0] += 1 }
        let most = counts.values.max() ?? 0
        return plans.first { counts[$0.traits.joined(separator: "\n")] == most }
    }

    /// Notes why a folder is of another run.
    private mutating func isOf(_ base: PlanNote, _ folder: ShardFolder) -> Bool {
        guard let plan = folder.plan else { return false }
        guard plan.part != nil else {
            voids.append("\(folder.path) is a run in one piece, and no shard")
            return false
        }
        for (index, name) in PlanNote.traitNames.enumerated() where plan.traits[index] != base.traits[index] {
            let (own, others) = (plan.traits[index], base.traits[index])
            let isShort = own.count + others.count < 100
            let words = isShort ? ": \(own.isEmpty ? "none" : own), not \(others.isEmpty ? "none" : others)" : ""
            voids.append("\(folder.path) is mixed in: it has another \(name) than the others\(words)")
            return false
        }
        return true
    }

    /// Those whose shard is there once, and whose seal fits or was never made.
    private mutating func once(_ shards: [ShardFolder]) throws(Failure) -> [ShardFolder] {
        var byIndex: [Int: [ShardFolder]] = [:]
        for shard in shards { byIndex[shard.plan?.shardIndex ?? 0, default: []].append(shard) }
        var found: [ShardFolder] = []
        for (index, same) in byIndex.sorted(by: { $0.key < $1.key }) {
            guard same.count == 1 else {
                voids.append("shard \(index) is there \(same.count) times: " + same.map(\.path).joined(separator: ", "))
                continue
            }
            if try isWhole(same[0], index) { found.append(same[0]) }
        }
        return found
    }

    /// Notes what is wrong with a shard; true: what it holds can be taken all the same.
    private mutating func isWhole(_ shard: ShardFolder, _ index: Int) throws(Failure) -> Bool {
        let name = "shard \(index) (\(shard.path))"
        if !shard.voids.isEmpty {
            voids += shard.voids.map { $0.hasPrefix("shard \(index)") ? $0 : "\(name): \($0)" }
            return false
        }
        if let attempt = shard.plan?.part?.attempt, attempt > 0 {
            voids.append("\(name) is attempt \(attempt): it was tried again")
            return false
        }
        if let flaw = try Seal.flaw(of: shard.path, shard.plan) {
            guard !flaw.isSealed else {
                voids.append("\(name) \(flaw.words)")
                return false
            }
            let ended = shard.finish == nil ? "was killed in its phase `\(shard.lastPhase)`: it is not sealed" : flaw.words
            voids.append("\(name) \(ended)")
        } else if let trouble = shard.finish?.trouble {
            voids.append("\(name) could not do its part: \(trouble)")
        } else if shard.finish?.isInterrupted == true {
            voids.append("\(name) was ended by a signal")
        }
        guard shard.origin != nil else { return false }
        guard shard.reader.isOfOneWriter else {
            voids.append("\(name) holds files of another run")
            return false
        }
        return true
    }

    // MARK: On one clock

    private mutating func gather(_ shards: [ShardFolder], _ base: PlanNote, mocks folders: [ShardFolder]) {
        let urls = base.part?.mocks ?? []
        guard let first = shards.first?.origin else { return }
        if urls.isEmpty {
            voids += folders.map { "\($0.path) is the journal of no mock of this run: each shard has its own" }
            // Each is a world of its own, and all begin at once.
            parts = shards.map { shard in
                Part(folder: shard, index: shard.plan?.shardIndex ?? 0, ahead: first - (shard.origin ?? first), bar: .zero)
            }
            tellStarts(shards.map { (shard: $0, at: $0.origin ?? first, bar: .zero) })
            return
        }
        let bar = gather(mocks: folders, urls, shards)
        for shard in shards {
            let index = shard.plan?.shardIndex ?? 0
            guard let (offset, own) = shard.offset(to: urls[0]) else {
                voids.append("shard \(index) (\(shard.path)) does not tell how its clock is to that of the mock at \(urls[0])")
                continue
            }
            parts.append(Part(folder: shard, index: index, ahead: offset, bar: own + bar))
        }
        tellStarts(parts.map { (shard: $0.folder, at: ($0.folder.origin ?? first) + $0.ahead, bar: $0.bar) })
    }

    /// Notes who began at another time than most.
    private mutating func tellStarts(_ starts: [(shard: ShardFolder, at: WallTime, bar: Interval)]) {
        guard !starts.isEmpty else { return }
        let middle = starts.map(\.at).sorted()[starts.count / 2]
        for start in starts where max(start.at - middle, middle - start.at) > Self.slack + start.bar {
            let isLate = start.at > middle
            let difference = isLate ? start.at - middle : middle - start.at
            voids.append(
                "shard \(start.shard.plan?.shardIndex ?? 0) (\(start.shard.path)) began \(difference) "
                    + "\(isLate ? "after" : "before") the others: give all the same --barrier or --start-at")
        }
    }

    /// Finds the journal of each mock; gives how far the clocks of mocks may be apart beyond what shards have measured.
    private mutating func gather(mocks folders: [ShardFolder], _ urls: [String], _ shards: [ShardFolder]) -> Interval {
        var left = folders
        var most = Interval.zero
        for (number, url) in urls.enumerated() {
            let journals = Set(shards.flatMap(\.offsets).filter { $0.mock == url }.map(\.journal))
            if journals.count > 1 { voids.append("the mock at \(url) was started anew while the shards ran") }
            let found = left.firstIndex { !$0.reader.identities.isDisjoint(with: journals) }
            guard let found else {
                voids.append("the journal of the mock at \(url) is missing: give its state directory")
                continue
            }
            var mock = Mock(folder: left.remove(at: found), ahead: .zero)
            if number > 0 {
                let ways = shards.compactMap { shard -> (ahead: Interval, bar: Interval)? in
                    guard let to = shard.offset(to: url), let first = shard.offset(to: urls[0]) else { return nil }
                    return (first.offset - to.offset, first.bar + to.bar)
                }
                guard let best = ways.min(by: { $0.bar < $1.bar }) else { continue }
                mock.ahead = best.ahead
                most = max(most, best.bar)
            }
            mocks.append(mock)
        }
        voids += left.map { "\($0.path) is the journal of no mock that the shards were told of: is it stale?" }
        return most
    }
}

extension PlanNote {
    fileprivate static let traitNames = [
        "version", "commit", "count of shards", "plan", "seed", "run id", "set of mocks", "set of options",
    ]

    /// What all shards of a run have in common, in the order of `traitNames`.
    fileprivate var traits: [String] {
        [
            toolVersion, commit, String(shardCount), part?.whole ?? "", String(seed), part?.runID ?? "",
            part?.mocks.joined(separator: " ") ?? "",
            (overrides.map { $0.joined(separator: "=") } + gates + knownFailing + (isStrict ? ["--strict"] : []))
                .joined(separator: " "),
        ]
    }
}

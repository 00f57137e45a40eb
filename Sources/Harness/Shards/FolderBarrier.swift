// A barrier that is a folder which all shards see: a file for each shard that is there, and one that says when all begin,
// made by whoever first sees that all are there.

import Basics
import EventLoop
import Glibc
import OperatingSystem

struct FolderBarrier {
    private let folder: String
    private let count: Int
    private let run: String
    private static let mostNamed = 10

    /// Runs have folders of their own in it, by name.
    init(_ parent: String, run: String, count: Int) {
        folder = parent + "/" + run
        self.run = run
        self.count = count
    }

    /// Says that the shard is there, and looks for the others. `ahead`: how far the clock in which the start is told is ahead
    /// of `clock`.
    func look(
        _ index: Int, claim: String, digest: String, ahead: Interval, clock: HostClock
    ) throws(Failure) -> ShardStart.Look {
        try FileSystem.makeDirectory(folder)
        let own = folder + "/shard-\(index)"
        let line = "\(claim) \(count) \(digest)\n"
        let isKnown = try isOurs(own, line)
        if let isKnown, !isKnown {
            return .void(
                "shard \(index) of run \(run) is at the barrier already, or was: another process, or an earlier attempt")
        }
        if FileSystem.exists(folder + "/gone"), start() == nil {
            return .void("shard \(index) came late: another shard of run \(run) waits no more")
        }
        if let start = start() { return .start(start - ahead) }
        if isKnown == nil { try create(own, line) }
        return try others(line: line, wall: clock.wall() + ahead) ?? .start((start() ?? clock.wall() + ahead) - ahead)
    }

    /// Whoever comes from now on does not begin without the shard that says so.
    func giveUp() throws(Failure) { try create(folder + "/gone", "\n") }

    /// Nil when all are there, and the start is told.
    private func others(line: String, wall: WallTime) throws(Failure) -> ShardStart.Look? {
        var here: Set<Int> = []
        for name in (try? FileSystem.names(in: folder)) ?? [] where name.hasPrefix("shard-") {
            guard let index = Int(name.dropFirst(6)), let text = FileSystem.text(of: folder + "/" + name), text.hasSuffix("\n")
            else { continue }
            let (theirs, ours) = (text.split(separator: " "), line.split(separator: " "))
            guard theirs.dropFirst() == ours.dropFirst() else {
                return .void("shard \(index) of run \(run) at the barrier has another plan, or another count of shards")
            }
            if index < count { here.insert(index) }
        }
        guard here.count == count else {
            let missing = (0..<count).lazy.filter { !here.contains($0) }.prefix(Self.mostNamed)
            return .waits(here: here.count, missing: Array(missing))
        }
        try create(folder + "/start", "\((wall + ShardStart.lead).nanoseconds)\n")
        return start() == nil ? .waits(here: count, missing: []) : nil
    }

    /// When all begin; nil: nobody has said yet, or is just saying it.
    private func start() -> WallTime? {
        guard let text = FileSystem.text(of: folder + "/start"), text.hasSuffix("\n"), let number = Int64(text.dropLast())
        else { return nil }
        return WallTime(nanoseconds: number)
    }

    /// Nil: there is no such file.
    private func isOurs(_ path: String, _ line: String) throws(Failure) -> Bool? {
        FileSystem.exists(path) ? FileSystem.text(of: path) == line : nil
    }

    /// Makes a file whole, for the first who does; the file of another stays.
    private func create(_ path: String, _ text: String) throws(Failure) {
        let draft = path + ".\(getpid())-\(SystemTime().now().nanoseconds)"
        try FileSystem.write(text, to: draft)
        defer { FileSystem.remove(draft) }
        guard link(draft, path) == 0 || errno == EEXIST else {
            throw Failure(
                .run, "cannot write \(path): \(SystemCall.describe(errno))",
                hint: "give --barrier a folder that all shards can write")
        }
    }
}

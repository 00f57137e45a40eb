// Every kept input of the fuzzers, eaten again: the seeds, the inputs that reached some corner, and those that once
// broke something. script/fuzz finds new ones.

import Basics
import Glibc
import Testing

@Suite("Fuzzing")
struct ReplayTests {
    private static let corpus =
        "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/FuzzCorpus"

    private static func read(_ path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var room = [UInt8](repeating: 0, count: 1 << 20)
        return Array(room.prefix(max(0, Glibc.read(descriptor, &room, room.count))))
    }

    @Test("finds nothing in what was kept", arguments: FuzzTarget.all.map(\.name))
    func replay(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let folder = try FuzzFolder()
        let eater = try target.make(folder.path)
        let files = FuzzFolder.names(in: Self.corpus + "/" + name)
        #expect(!files.isEmpty, "no inputs are kept for \(name)")
        for file in files {
            let input = Self.read(Self.corpus + "/\(name)/\(file)")
            do { try withExactBytes(input) { input throws(Violation) in try eater.eat(input) } } catch {
                Issue.record("\(name)/\(file): \(error)")
            }
        }
    }

    @Test("eats what is empty, and what is all zeros or ones", arguments: FuzzTarget.all.map(\.name))
    func poorFood(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let folder = try FuzzFolder()
        let eater = try target.make(folder.path)
        for byte in [0, 255] as [UInt8] {
            for count in [0, 1, 2, 100] {
                try withExactBytes([UInt8](repeating: byte, count: count)) { input throws(Violation) in try eater.eat(input) }
            }
        }
    }

    private func stepped(_ text: String, seeds: Range<UInt64> = 0..<4000) -> [[Substring]] {
        seeds.map { seed in
            var step = NumberStep(near: [1000], seed: Seed(seed))
            let bytes = withBytes(of: text) { step.step(in: $0) } ?? []
            return String(decoding: bytes, as: UTF8.self).split(separator: "|", omittingEmptySubsequences: false)
        }
    }

    @Test("steps a number to near a bound or another number of the text, and leaves the rest")
    func steps() {
        let texts = stepped("a|5|-700000|x")
        #expect(texts.allSatisfy { $0.count == 4 && $0[0] == "a" && $0[3] == "x" && ($0[1] == "5" || $0[2] == "-700000") })
        let seen = Set(texts.flatMap { $0 })
        for number in ["999", "1000", "1001", "4", "6", "-1", "-700001", "-699999", "9223372036854775807"] {
            #expect(seen.contains(Substring(number)), "\(number) never comes")
        }
        #expect(stepped("no number", seeds: 0..<9).allSatisfy { $0 == [""] })
    }

    @Test("steps times alone, or together, as far apart as they were")
    func stepsTogether() {
        let lives = stepped("1700000000|1700003600").map { (Int64($0[0]) ?? 0, Int64($0[1]) ?? 0) }
        let together = lives.count { $0.1 &- $0.0 == 3600 && $0.0 != 1_700_000_000 }
        let alone = lives.count { ($0.0 == 1_700_000_000) != ($0.1 == 1_700_003_600) }
        #expect(together > 1000 && alone > 1000 && together + alone > 3800, "\(together), \(alone)")
    }

    @Test("keeps its corpus small: a folder for each target, 200 files in it at most, 1 MB in all")
    func size() {
        let folders = FuzzFolder.names(in: Self.corpus)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name) + ["dictionaries"]))
        var bytes = 0
        for folder in folders {
            let files = FuzzFolder.names(in: Self.corpus + "/" + folder)
            #expect(files.count <= 200, "\(folder) has \(files.count) files")
            for file in files { bytes += Self.read(Self.corpus + "/\(folder)/\(file)").count }
        }
        #expect(bytes <= 1 << 20, "\(bytes) bytes")
    }
}

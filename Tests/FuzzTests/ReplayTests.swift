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

// The seal of a shard's folder: which shard of which run it is, and a digest of each file that a judge reads. Made when all is
// written; what was changed, cut or added since does not fit it, and a shard that was killed has none.

import Basics
import Glibc
import Journal
import OperatingSystem
import TLS

enum Seal {
    static let file = "seal.json"
    private static let format: Int64 = 1

    /// Seals the folder. Throws when it cannot be read or written.
    static func write(_ folder: String, _ note: PlanNote, _ place: ShardPlace) throws(Failure) {
        var files: [JSONValue] = []
        for name in try names(in: folder) {
            let path = folder + "/" + name
            files.append([
                "path": .string(name), "bytes": .integer(Int64(FileStatus(path)?.size ?? 0)),
                "sha256": .string(try digest(of: path)),
            ])
        }
        var seal = whose(note, run: place.runID, attempt: place.attempt)
        seal["format"] = .integer(format)
        seal["files"] = .array(files)
        let text = JSONValue.object(seal).encoded(pretty: true)
        try FileSystem.write(String(decoding: text, as: UTF8.self) + "\n", to: folder + "/" + file)
    }

    /// Whose it is: the same stands in the journal.
    private static func whose(_ note: PlanNote, run: String, attempt: Int) -> JSONObject {
        var object = JSONObject()
        object["run"] = .string(run)
        object["attempt"] = .integer(Int64(attempt))
        object["shard"] = .integer(Int64(note.shardIndex))
        object["shards"] = .integer(Int64(note.shardCount))
        object["plan"] = .string(note.part?.whole ?? "")
        object["version"] = .string(note.toolVersion)
        return object
    }

    /// What does not fit; nil: the folder is as it was sealed, by the run of that note. `isSealed` false: there is no seal.
    static func flaw(of folder: String, _ note: PlanNote?) throws(Failure) -> (isSealed: Bool, words: String)? {
        guard let text = FileSystem.text(of: folder + "/" + file) else { return (false, "is not sealed") }
        guard let seal = try? JSONValue(parsing: text), seal["format"]?.int == format, let files = seal["files"]?.array else {
            return (true, "has a seal that cannot be read")
        }
        if let note, let part = note.part {
            for (name, value) in whose(note, run: part.runID, attempt: part.attempt) where seal[name] != value {
                return (true, "has the seal of another: its `\(name)` is \(seal[name]?.text ?? "missing"), not \(value.text)")
            }
        }
        var left = Set(try names(in: folder))
        for sealed in files {
            guard let name = sealed["path"]?.string, let digest = sealed["sha256"]?.string else {
                return (true, "has a seal that cannot be read")
            }
            guard left.remove(name) != nil else { return (true, "lacks \(name), which was sealed") }
            guard try Self.digest(of: folder + "/" + name) == digest else {
                return (true, "does not fit its seal: \(name) was changed")
            }
        }
        return left.min().map { (true, "does not fit its seal: \($0) was added") }
    }

    /// What is sealed: the scenario and the journal.
    private static func names(in folder: String) throws(Failure) -> [String] {
        let journal: [String]
        do { journal = try FileSystem.names(in: folder + "/journal") } catch {
            throw Failure(.run, "cannot read \(folder)/journal: \(error.words)")
        }
        let names = journal.filter { $0.hasSuffix(".journal") }.map { "journal/" + $0 }
        return (names + (FileSystem.exists(folder + "/scenario.yaml") ? ["scenario.yaml"] : [])).sorted()
    }

    /// SHA-256 in hex digits.
    private static func digest(of path: String) throws(Failure) -> String {
        do throws(FileError) {
            let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
            var digest = RunningDigest()
            while true {
                var result = SystemResult.done(0)
                let number = file.number
                let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 20) { room, filled in
                    result = SystemCall.run { Glibc.read(number, room.baseAddress, 1 << 20) }
                    if case .done(let got) = result { filled = got }
                }
                switch result {
                case .done(0):
                    return digest.finish().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                case .done: digest.add(bytes.span)
                case .wouldBlock: throw FileError(EAGAIN, path)
                case .failed(let reason): throw FileError(reason, path)
                }
            }
        } catch {
            throw Failure(.run, "cannot read \(path): \(error.words)", hint: "see that the shard's folder is whole")
        }
    }
}

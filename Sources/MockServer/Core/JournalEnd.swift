// Where a journal ends now, without reading it: the size of each file. Of a file that is being written only what was
// committed counts, so that a reader never begins in the middle of a record.

import Basics
import Journal
import OperatingSystem

extension MockShared {
    /// The cursor after everything that has been answered so far.
    func journalEnd() throws(Failure) -> JournalCursor {
        var sizes: [String: Int] = [:]
        let names: [String]
        do { names = try FileSystem.names(in: journalDirectory) } catch {
            throw Failure(.run, "cannot read \(journalDirectory): \(error.words)")
        }
        for name in names where name.hasSuffix(Self.suffix) {
            guard let status = FileStatus(journalDirectory + "/" + name) else { continue }
            sizes[String(name.dropLast(Self.suffix.count))] = status.size
        }
        for loop in totals {
            let (path, size) = loop.committed
            guard let name = path.split(separator: "/").last, name.hasSuffix(Self.suffix) else { continue }
            sizes[String(name.dropLast(Self.suffix.count))] = size
        }
        let text = sizes.map { "\($0.key):\($0.value)" }.joined(separator: ",")
        guard let cursor = JournalCursor(parsing: text) else {
            throw Failure(.run, "\(journalDirectory) holds journals with odd names", hint: "move them away")
        }
        return cursor
    }

    private static let suffix = ".journal"
}

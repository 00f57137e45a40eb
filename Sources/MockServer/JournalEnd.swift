// Where a journal ends now, without reading it: the size of each file. Of a file that is being written only what was
// committed counts, so that a reader never begins in the middle of a record.

import Basics
import EventLoop
import Glibc
import Journal

extension MockShared {
    /// The cursor after everything that has been answered so far.
    func journalEnd() throws(Failure) -> JournalCursor {
        var sizes: [String: Int] = [:]
        guard let handle = opendir(journalDirectory) else {
            throw Failure(.run, "cannot read \(journalDirectory): \(SystemCall.describe(errno))")
        }
        defer { closedir(handle) }
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { room in
                String(decoding: room.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(Self.suffix) else { continue }
            var status = stat()
            guard stat(journalDirectory + "/" + name, &status) == 0 else { continue }
            sizes[String(name.dropLast(Self.suffix.count))] = Int(status.st_size)
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

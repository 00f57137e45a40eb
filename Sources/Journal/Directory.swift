// The directory of a journal: which files it holds, and how a writer gets a new one of its own.

import Basics
import EventLoop
import Glibc

enum Directory {
    /// The names of its journal files without their suffix, in no order.
    static func journals(in directory: String) throws(Failure) -> [String] {
        guard let stream = opendir(directory) else {
            let error = errno
            let reason = SystemCall.describe(error)
            throw Failure(
                error == EMFILE || error == ENFILE ? .run : .usage, "cannot read the journal directory \(directory): \(reason)",
                hint: "give the directory of a run or of a mock's state")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasSuffix(Format.suffix), name.utf8.count > Format.suffix.utf8.count else { continue }
            let stem = String(name.dropLast(Format.suffix.count))
            if JournalCursor.isFileName(stem) { names.append(stem) }
        }
        return names
    }

    static func path(_ directory: String, _ name: String) -> String { directory + "/" + name + Format.suffix }

    /// Creates the directory and those above it where they are missing.
    static func create(_ directory: String) throws(Failure) {
        var reason: Int32 = 0
        var end = directory.startIndex
        repeat {
            end = directory[end...].dropFirst().firstIndex(of: "/") ?? directory.endIndex
            if mkdir(String(directory[..<end]), 0o755) != 0, errno != EEXIST { reason = errno } else { reason = 0 }
        } while end != directory.endIndex
        var status = stat()
        if reason == 0, stat(directory, &status) == 0, status.st_mode & S_IFMT != S_IFDIR { reason = ENOTDIR }
        guard reason == 0 else {
            throw Failure(
                .usage, "cannot create the journal directory \(directory): \(SystemCall.describe(reason))",
                hint: "give a directory that can be written")
        }
    }

    /// A new file for a writer, with its header written. A file of that name from an earlier process is left alone and
    /// a number is added: `apns-0`, `apns-0.2`, `apns-0.3`.
    static func newFile(
        in directory: String, name: String, time: any TimeSource
    ) throws(Failure) -> (descriptor: Int32, path: String, header: FileHeader, length: Int) {
        // One writer at a time chooses its tag and name; where a file system cannot lock, O_EXCL still keeps files
        // apart.
        let lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if lock >= 0 { close(lock) } }
        if lock >= 0 { _ = SystemCall.run { Int(flock(lock, LOCK_EX)) } }
        var tag = 0
        for stem in try journals(in: directory) {
            if let other = header(of: path(directory, stem)) { tag = max(tag, Int(other.tag)) }
        }
        guard tag < Format.maxTag else {
            throw Failure(
                .usage, "the journal directory \(directory) is full: \(Format.maxTag) files",
                hint: "use a fresh directory")
        }
        var number = 1
        while true {
            let path = path(directory, number == 1 ? name : "\(name).\(number)")
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST, number <= Format.maxTag {
                number += 1
                continue
            }
            guard descriptor >= 0 else { throw cannotWrite(path, errno) }
            let header = FileHeader(name: name, tag: UInt16(tag + 1), time: time)
            let bytes = header.encoded()
            let written = write(descriptor, bytes, bytes.count)
            guard written == bytes.count else {
                let reason = written < 0 ? errno : ENOSPC
                close(descriptor)
                unlink(path)
                throw cannotWrite(path, reason)
            }
            return (descriptor, path, header, bytes.count)
        }
    }

    static func cannotWrite(_ path: String, _ reason: Int32) -> Failure {
        Failure(
            .run, "cannot write the journal \(path): \(SystemCall.describe(reason))",
            hint: "see that the disk has room and can be written, then start again")
    }

    private static func header(of path: String) -> FileHeader? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: Format.maxHeaderLength, alignment: 8) { room in
            let count = pread(descriptor, room.baseAddress!, room.count, 0)
            guard count > 0 else { return nil }
            return try? FileHeader.decode(UnsafeRawBufferPointer(rebasing: room[..<count])).get().header
        }
    }
}

// The directory of a journal: which files it holds, and how a writer gets a new one of its own.

import Basics
import Glibc
import OperatingSystem

enum Directory {
    /// The names of its journal files without their suffix, in no order.
    static func journals(in directory: String) throws(Failure) -> [String] {
        let names: [String]
        do { names = try FileSystem.names(in: directory) } catch { throw cannotRead(directory, error) }
        return names.filter { $0.hasSuffix(Format.suffix) }.map { String($0.dropLast(Format.suffix.count)) }
            .filter(JournalCursor.isFileName)
    }

    static func path(_ directory: String, _ name: String) -> String { directory + "/" + name + Format.suffix }

    /// Creates the directory and those above it where they are missing.
    static func create(_ directory: String) throws(Failure) {
        do { try FileSystem.makeFolder(directory) } catch {
            throw Failure(
                .usage, "cannot create the journal directory \(directory): \(error.words)",
                hint: "give a directory that can be written")
        }
    }

    /// A new file for a writer, with its header written. A file of that name from an earlier process is left alone and
    /// a number is added: `apns-0`, `apns-0.2`, `apns-0.3`.
    static func newFile(
        in directory: String, name: String, time: any TimeSource
    ) throws(Failure) -> NewFile {
        // One writer at a time chooses its tag and name; where a file system cannot lock, O_EXCL still keeps files
        // apart.
        let lock = try lock(directory)
        defer { lock.release() }
        var tag = 0
        for stem in try journals(in: directory) {
            if let other = header(of: path(directory, stem)) { tag = max(tag, Int(other.tag)) }
        }
        guard tag < Format.maxTag else {
            throw Failure(
                .usage, "the journal directory \(directory) is full: \(Format.maxTag) files",
                hint: "use a fresh directory")
        }
        let header = FileHeader(name: name, tag: UInt16(tag + 1), time: time)
        var number = 1
        while true {
            let path = path(directory, number == 1 ? name : "\(name).\(number)")
            do { return try make(path, header) } catch {
                guard error.number == EEXIST, number <= Format.maxTag else { throw cannotWrite(path, error.number) }
                number += 1
            }
        }
    }

    private static func lock(_ directory: String) throws(Failure) -> FileLock {
        do { return try FileLock(folder: directory) } catch { throw cannotRead(directory, error) }
    }

    private static func make(_ path: String, _ header: FileHeader) throws(FileError) -> NewFile {
        let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, mode: 0o600)
        let bytes = header.encoded()
        if case .failed(let reason) = file.write(bytes.span) {
            FileSystem.remove(path)
            throw FileError(reason, path)
        }
        return NewFile(descriptor: file, path: path, header: header, length: bytes.count)
    }

    struct NewFile: ~Copyable {
        let descriptor: Descriptor
        let path: String
        let header: FileHeader
        let length: Int
    }

    private static func cannotRead(_ directory: String, _ error: FileError) -> Failure {
        Failure(
            error.number == EMFILE || error.number == ENFILE ? .run : .usage,
            "cannot read the journal directory \(directory): \(error.words)",
            hint: "give the directory of a run or of a mock's state")
    }

    static func cannotWrite(_ path: String, _ reason: Int32) -> Failure {
        Failure(
            .run, "cannot write the journal \(path): \(SystemCall.describe(reason))",
            hint: "see that the disk has room and can be written, then start again")
    }

    private static func header(of path: String) -> FileHeader? {
        guard let bytes = try? FileSystem.start(of: path, count: Format.maxHeaderLength) else { return nil }
        return try? bytes.withUnsafeBytes { FileHeader.decode($0) }.get().header
    }
}

// One process at a time: a lock that the kernel lets go when its holder dies.

import Glibc

/// Held until it is released or dies. Locks of one file exclude each other within a process too.
package struct FileLock: ~Copyable, Sendable {
    private let file: Descriptor

    /// Makes the file (0600) where it is absent, never through a link, and refuses what is no plain file. Held elsewhere, it
    /// is waited for, or is an error.
    package init(_ path: String, waits: Bool) throws(FileError) {
        let file: Descriptor
        do {
            file = try Descriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        } catch {
            throw [ELOOP, ENXIO, EISDIR].contains(error.number) ? FileError(.notPlain, path) : error
        }
        guard FileStatus(file).isPlainFile else { throw FileError(.notPlain, path) }
        let number = file.number
        switch SystemCall.run({ Int(flock(number, waits ? LOCK_EX : LOCK_EX | LOCK_NB)) }) {
        case .done: break
        case .wouldBlock: throw FileError(.locked, path)
        case .failed(let reason): throw FileError(reason, path)
        }
        self.file = file
    }

    /// Of a folder, waited for. Some file systems cannot lock; then this holds nothing.
    package init(folder path: String) throws(FileError) {
        file = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY)
        let number = file.number
        _ = SystemCall.run { Int(flock(number, LOCK_EX)) }
    }

    /// Takes it again after a release; false where somebody else has it.
    package borrowing func retake() -> Bool { flock(file.number, LOCK_EX | LOCK_NB) == 0 }

    package borrowing func release() { flock(file.number, LOCK_UN) }
}

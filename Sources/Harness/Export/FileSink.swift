// A text file that grows by pieces.

import Basics
import Glibc
import OperatingSystem

final class FileSink {
    private let path: String
    private let file: Descriptor
    private var reason: Int32?
    private(set) var lines = 0

    /// Makes the file; throws a usage `Failure` where there is one.
    init(_ path: String) throws(Failure) {
        self.path = path
        do { file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644) } catch {
            throw Failure(.usage, "cannot make \(path): \(error.words)", hint: "choose another place with --out FILE")
        }
    }

    func add(_ text: String) {
        lines += text.utf8.count { $0 == 10 }
        if case .failed(let number) = file.write(text.utf8.span) { reason = reason ?? number }
    }

    /// Throws when something of it could not be written.
    func finish() throws(Failure) {
        guard let reason else { return }
        throw Failure(
            .run, "cannot write \(path): \(FileError(reason, path).words)", hint: "choose another place with --out FILE")
    }
}

// A pipe whose reader never waits; whoever writes does, while it is full.

package import Basics
import Glibc

package struct Pipe: ~Copyable {
    package let writing: Descriptor
    private let reading: Descriptor

    package init() throws(Failure) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw Failure(.run, "cannot make a pipe: \(SystemCall.describe(errno))", hint: "check `ulimit -n`")
        }
        reading = Descriptor(owning: ends[0])
        writing = Descriptor(owning: ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    }

    /// The reader's end alone; the other is closed.
    package consuming func reader() -> Int32 { reading.take() }
}

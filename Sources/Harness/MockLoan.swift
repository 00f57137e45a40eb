// How a run has the place of a mock that is up: by a lock beside the mock's own, which the kernel takes back from a run that
// was killed. The mock looks for it, stands aside, and comes back when it is free.

import Basics
import Glibc
import EventLoop
import MockServer
import OperatingSystem

/// The place is lent as long as the value lives.
final class MockLoan {
    private let directory: String
    private let lock: FileLock
    private static let pace = Interval.milliseconds(20)
    /// For the mock to look, to let open requests end, and to go.
    private static let patience = Interval.seconds(15)

    /// Waits until the mock has gone. Throws when another run has its place, or it does not go.
    init(of directory: String) throws(Failure) {
        self.directory = directory
        var taken: FileLock?
        // The mock itself holds it for a moment when it looks.
        _ = Self.waits(atMost: .seconds(1)) {
            taken = try? FileLock(directory + "/lent", waits: false)
            return taken != nil
        }
        guard let taken else {
            throw Failure(
                .run, "another run uses the mock of \(directory)", hint: "wait for it, or give each a mock of its own")
        }
        lock = taken
        guard Self.waits(atMost: Self.patience, until: { !RunningMock.isUp(directory) }) else {
            throw Failure(
                .run, "the mock of \(directory) does not stand aside",
                hint: "is it of this version? stop it, and start it again")
        }
    }

    /// Gives the place back, and waits for the mock to have taken it; no longer than some seconds, for it may be gone.
    func giveBack() {
        lock.release()
        _ = Self.waits(atMost: .seconds(5)) { [directory] in RunningMock.isUp(directory) }
    }

    /// Whether a run has, or wants, the place.
    static func isWanted(of directory: String) -> Bool {
        do throws(FileError) {
            _ = try FileLock(directory + "/lent", waits: false)
            return false
        } catch {
            return error.cause == .locked
        }
    }

    private static func waits(atMost limit: Interval, until isSo: () -> Bool) -> Bool {
        let time = SystemTime()
        let deadline = time.now() + limit
        while !isSo() {
            guard time.now() < deadline else { return false }
            usleep(UInt32(pace.nanoseconds / 1_000))
        }
        return true
    }
}

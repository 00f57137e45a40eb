// Lines of standard input, read by a thread of their own.

import Basics
import Glibc
import OperatingSystem
import Synchronization

final class AgentInput: Sendable {
    private struct State {
        var lines: [[UInt8]] = []
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Bytes of a line; one that is longer ends the input.
    private static let longest = 4 << 20
    /// Lines that wait; whoever sends more waits with them.
    private static let mostWaiting = 1_000

    /// Once.
    func start() throws(Failure) {
        var thread = pthread_t()
        let reader = Unmanaged.passRetained(self)
        let result = pthread_create(
            &thread, nil,
            { pointer in
                Unmanaged<AgentInput>.fromOpaque(pointer!).takeRetainedValue().read()
                return nil
            }, reader.toOpaque())
        guard result == 0 else { throw Failure(.run, "cannot start a thread: \(SystemCall.describe(result))") }
        pthread_detach(thread)
    }

    /// True when all lines have been taken that there will ever be.
    var hasEnded: Bool { state.withLock { $0.hasEnded && $0.lines.isEmpty } }

    /// What has come since the last time.
    func take() -> [[UInt8]] {
        state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
    }

    private func read() {
        var line: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(STDIN_FILENO, &room, room.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for byte in room[..<count] {
                guard byte == 10 else {
                    line.append(byte)
                    continue
                }
                give(line)
                line = []
            }
            if line.count > Self.longest {
                line = []
                break
            }
            while state.withLock({ $0.lines.count > Self.mostWaiting }) { usleep(1_000) }
        }
        give(line)
        state.withLock { $0.hasEnded = true }
    }

    private func give(_ line: [UInt8]) {
        guard line.contains(where: { $0 != 13 && $0 != 32 }) else { return }
        state.withLock { $0.lines.append(line) }
    }
}

// What a relay prints, in a file that stays small: the beginning whole and the end, and between them how much was left out.
// A relay that prints without end is never kept waiting, and fills no disk.

import Basics
import EventLoop
import Glibc
import OperatingSystem
import Verdicts

/// Thread-safe. Reads on a thread of its own until it is stopped.
final class RelayOutput: Sendable {
    /// Bytes of the beginning and of the end that are kept. Our choice.
    static let mostHead = 4 << 20
    static let mostTail = 1 << 20

    private let thread: LoopThread<OutputFile>

    /// `pipe`: what the relay prints to. Throws when the file cannot be written.
    init(from pipe: consuming Pipe, to path: String) throws(Failure) {
        let number = pipe.reader()
        do {
            thread = try LoopThread(name: "relay-output", rank: nil) { loop in
                try OutputFile(Descriptor(owning: number), path, loop)
            }
        } catch {
            throw error as? Failure ?? Failure(.run, "cannot keep what the relay prints: \(error)")
        }
    }

    /// Takes what has been printed up to now, and has it in the file.
    func settle() { _ = thread.askUnlessStopped { $0.settle() } }

    /// Bytes that stand in no file.
    var leftOut: Int { thread.askUnlessStopped { $0.leftOut } ?? 0 }

    func stop() {
        thread.post { $0.end() }
        thread.stop()
    }
}

/// Confined to its loop.
private final class OutputFile: ReadinessHandler {
    private let pipe: Descriptor
    private let file: Descriptor
    private let loop: EventLoop
    private var ticket: Ticket?
    private var timer: LoopTimer?
    /// Where the beginning ends in the file, and how much more it may have.
    private var headEnd: Int
    private var room = RelayOutput.mostHead
    /// What came last, and of how much behind the beginning.
    private var tail: [UInt8] = []
    private var tailTotal = 0
    private var isTailWritten = true
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// A turn reads no more, so that others have theirs.
    private static let readsPerTurn = 16
    /// In `settle`: what has been printed before is in the pipe, which holds less.
    private static let readsToSettle = 64
    /// How often the end is brought into the file while the relay prints.
    private static let pace = Interval.seconds(1)

    init(_ pipe: consuming Descriptor, _ path: String, _ loop: EventLoop) throws {
        self.pipe = pipe
        self.loop = loop
        do { file = try Descriptor(opening: path, O_WRONLY | O_CREAT, mode: 0o644) } catch {
            throw Failure(.run, "cannot write \(path): \(error.words)")
        }
        headEnd = FileStatus(file).size
        ticket = loop.register(self.pipe.number, for: .read, self)
    }

    var leftOut: Int { tailTotal - min(tailTotal, RelayOutput.mostTail) }

    func ready(_ readiness: Readiness) {
        guard !take(Self.readsPerTurn) else { return }
        end()
    }

    func loopEnded() {
        ticket = nil
        settle()
    }

    func settle() {
        _ = take(Self.readsToSettle)
        writeTail()
    }

    func end() {
        guard let ticket else { return }
        settle()
        timer?.cancel()
        loop.deregister(ticket)
        self.ticket = nil
    }

    /// False when nobody is left who could print.
    private func take(_ most: Int) -> Bool {
        let number = pipe.number
        for _ in 0..<most {
            let result = buffer.withUnsafeMutableBytes { bytes in
                SystemCall.run { read(number, bytes.baseAddress, bytes.count) }
            }
            switch result {
            case .done(let count) where count > 0: keep(buffer[..<count])
            case .wouldBlock: return true
            case .done, .failed: return false
            }
        }
        return true
    }

    private func keep(_ bytes: ArraySlice<UInt8>) {
        let head = bytes.prefix(room)
        room -= head.count
        write(Array(head), at: headEnd)
        headEnd += head.count
        let rest = bytes.dropFirst(head.count)
        guard !rest.isEmpty else { return }
        tail += rest
        tailTotal += rest.count
        // Seldom, and then many at once.
        if tail.count > 2 * RelayOutput.mostTail { tail.removeFirst(tail.count - RelayOutput.mostTail) }
        guard isTailWritten else { return }
        isTailWritten = false
        timer = loop.after(Self.pace) { [weak self] in self?.writeTail() }
    }

    private func writeTail() {
        guard !isTailWritten else { return }
        isTailWritten = true
        timer?.cancel()
        let kept = tail.suffix(RelayOutput.mostTail)
        let words = leftOut > 0 ? "\n[pushrig: \(Numbers.count(leftOut)) bytes that the relay printed are left out here]\n" : ""
        let text = Array(words.utf8) + kept
        write(text, at: headEnd)
        _ = ftruncate(file.number, off_t(headEnd + text.count))
    }

    /// A disk that is full loses it, and keeps nobody waiting.
    private func write(_ bytes: [UInt8], at place: Int) {
        let number = file.number
        var written = 0
        while written < bytes.count {
            let result = bytes.withUnsafeBytes { bytes in
                SystemCall.run { pwrite(number, bytes.baseAddress! + written, bytes.count - written, off_t(place + written)) }
            }
            guard case .done(let count) = result, count > 0 else { return }
            written += count
        }
    }
}

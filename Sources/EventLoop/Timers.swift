// Timers in a binary heap, driven by one timerfd: microseconds of lateness where epoll's timeout has milliseconds.

package import Basics
import CLinux
import Glibc
import OperatingSystem

/// One pending action. Cancelling is cheap; a cancelled timer leaves the heap when its time comes.
package final class LoopTimer {
    package let deadline: Instant
    fileprivate var action: (() -> Void)?
    fileprivate let order: UInt64

    fileprivate init(deadline: Instant, order: UInt64, action: @escaping () -> Void) {
        self.deadline = deadline
        self.order = order
        self.action = action
    }

    package func cancel() { action = nil }

    fileprivate func precedes(_ other: LoopTimer) -> Bool {
        deadline == other.deadline ? order < other.order : deadline < other.deadline
    }
}

final class TimerHeap {
    private var heap: [LoopTimer] = []
    private var nextOrder: UInt64 = 0
    private let descriptor: Descriptor
    private var armedFor = Instant.distantFuture

    init() throws(Failure) {
        descriptor = try SystemCall.make("timerfd_create") {
            timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        }
    }

    var descriptorNumber: Int32 { descriptor.number }

    func add(at deadline: Instant, _ action: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(deadline: deadline, order: nextOrder, action: action)
        nextOrder += 1
        heap.append(timer)
        siftUp(heap.count - 1)
        return timer
    }

    /// The next deadline.
    var next: Instant? {
        while let first = heap.first, first.action == nil { removeFirst() }
        return heap.first?.deadline
    }

    /// Runs what is due at `now`, in order of deadline, then arms the timerfd for what comes next. `real` says when on the
    /// host's clock that is.
    func runDue(at now: Instant, real: (Instant) -> Instant = { $0 }) {
        while let first = heap.first, first.deadline <= now || first.action == nil {
            removeFirst()
            guard let action = first.action else { continue }
            first.action = nil
            action()
        }
        arm(for: heap.first.map { real($0.deadline) } ?? .distantFuture)
    }

    /// Whoever holds his own timer is held by its action: so each is cancelled, and only after the heap is empty, for
    /// what goes with it may have timers to cancel.
    func forgetAll() {
        let forgotten = heap
        heap = []
        for timer in forgotten { timer.cancel() }
    }

    /// Empties the timerfd after it fired.
    func acknowledge() {
        var expirations: UInt64 = 0
        _ = read(descriptor.number, &expirations, 8)
        armedFor = .distantFuture
    }

    private func arm(for next: Instant) {
        guard next != armedFor else { return }
        // An earlier alarm may stay: it costs one idle turn, re-arming would cost a system call.
        if next > armedFor, armedFor != .distantFuture { return }
        armedFor = next
        guard next != .distantFuture else { return }
        var specification = itimerspec()
        let nanoseconds = max(1, next.nanoseconds)
        specification.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
        specification.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        _ = SystemCall.must("timerfd_settime") {
            timerfd_settime(descriptor.number, Int32(TFD_TIMER_ABSTIME), &specification, nil)
        }
    }

    private func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        siftDown(0)
    }

    private func siftUp(_ start: Int) {
        var index = start
        let moving = heap[index]
        while index > 0 {
            let parent = (index - 1) / 2
            guard moving.precedes(heap[parent]) else { break }
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = moving
    }

    private func siftDown(_ start: Int) {
        var index = start
        let moving = heap[index]
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(moving) else { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = moving
    }
}

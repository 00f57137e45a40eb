// epoll with tickets. A ticket carries a generation, so that an event for a closed and reused slot is dropped.

import Basics
import CLinux
import Glibc
import OperatingSystem

/// What a descriptor is ready for, or what its owner waits for.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let read = Readiness(rawValue: EPOLLIN.rawValue)
    package static let write = Readiness(rawValue: EPOLLOUT.rawValue)
    package static let readOrWrite = Readiness(rawValue: EPOLLIN.rawValue | EPOLLOUT.rawValue)

    // Plain bit tests: the set algebra's generic ones are not specialized here, and these run for each event.
    package var isReadable: Bool { rawValue & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
    package var isWritable: Bool { rawValue & EPOLLOUT.rawValue != 0 }
}

/// Called on the loop's thread when its descriptor is ready.
package protocol ReadinessHandler: AnyObject {
    func ready(_ readiness: Readiness)
    /// The loop has ended and lets go of the handler, whose ticket is useless from now on: the moment to let go of others,
    /// where they hold each other.
    func loopEnded()
}

extension ReadinessHandler {
    package func loopEnded() {}
}

/// Names one registration; useless after `deregister`.
package struct Ticket: Sendable {
    fileprivate let slot: Int32
    fileprivate let generation: UInt32
}

final class Poller {
    private struct Slot {
        var handler: (any ReadinessHandler)?
        var descriptor: Int32
        var generation: UInt32
    }

    private let epoll: Descriptor
    private var slots: [Slot] = []
    private var free: [Int32] = []
    private var events: [epoll_event]

    init() throws(Failure) {
        epoll = try SystemCall.make("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        events = Array(repeating: epoll_event(), count: 256)
    }

    func register(_ descriptor: Int32, for interest: Readiness, _ handler: any ReadinessHandler) -> Ticket {
        let index: Int32
        if let reused = free.popLast() {
            index = reused
            slots[Int(index)].handler = handler
            slots[Int(index)].descriptor = descriptor
        } else {
            index = Int32(slots.count)
            slots.append(Slot(handler: handler, descriptor: descriptor, generation: 0))
        }
        let ticket = Ticket(slot: index, generation: slots[Int(index)].generation)
        control(EPOLL_CTL_ADD, ticket, interest)
        return ticket
    }

    func change(_ ticket: Ticket, to interest: Readiness) {
        guard isCurrent(ticket) else { return }
        control(EPOLL_CTL_MOD, ticket, interest)
    }

    func deregister(_ ticket: Ticket) {
        guard isCurrent(ticket) else { return }
        control(EPOLL_CTL_DEL, ticket, [])
        let index = Int(ticket.slot)
        slots[index].handler = nil
        slots[index].generation &+= 1
        free.append(ticket.slot)
    }

    /// Lets go of all handlers and tells them; their tickets are useless from then on.
    func forgetAll() {
        // They go at the end, for they may have others to deregister.
        let forgotten = slots
        for index in slots.indices where slots[index].handler != nil {
            slots[index].handler = nil
            slots[index].generation &+= 1
        }
        for slot in forgotten { slot.handler?.loopEnded() }
    }

    /// Waits for at least one event and hands each to `dispatch`.
    func wait(_ dispatch: (any ReadinessHandler, Readiness) -> Void, woken: () -> Void) {
        let result = events.withUnsafeMutableBufferPointer { room in
            SystemCall.run { Int(epoll_wait(epoll.number, room.baseAddress!, Int32(room.count), -1)) }
        }
        guard case .done(let count) = result else { preconditionFailure("epoll_wait failed") }
        woken()
        for index in 0..<count {
            let event = events[index]
            let slot = Int(event.data.u64 & 0xFFFF_FFFF)
            guard slots[slot].generation == UInt32(event.data.u64 >> 32), let handler = slots[slot].handler else {
                continue
            }
            dispatch(handler, Readiness(rawValue: event.events))
        }
        if count == events.count, count < 4096 {
            events = Array(repeating: epoll_event(), count: count * 2)
        }
    }

    private func isCurrent(_ ticket: Ticket) -> Bool { slots[Int(ticket.slot)].generation == ticket.generation }

    private func control(_ operation: Int32, _ ticket: Ticket, _ interest: Readiness) {
        var event = epoll_event()
        event.events = interest.rawValue
        event.data.u64 = UInt64(UInt32(bitPattern: ticket.slot)) | UInt64(ticket.generation) << 32
        let descriptor = slots[Int(ticket.slot)].descriptor
        _ = SystemCall.must("epoll_ctl") { epoll_ctl(epoll.number, operation, descriptor, &event) }
    }
}

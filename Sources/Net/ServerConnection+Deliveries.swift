// What became of the answers: handed to the kernel, still waiting here, or never sent. A handler that puts a mark on an
// exchange is told when its answer did not reach the peer, or may not have.
//
//     answered ─▶ put out by the session ─▶ taken by the kernel ─▶ (the peer reads)
//         │ reset, GOAWAY      │ connection ends        │ RST_STREAM, RST, or the peer gone
//         └────────────────────┴────────────────────────┴─▶ handler.undelivered(mark)

import Basics
import EventLoop

/// An answer whose last bytes wait for the kernel.
struct UnsentAnswer {
    var mark: UInt64
    var streamID: Int32
    /// How many bytes the kernel has taken of the connection when it has this answer whole.
    var sentBytes: Int
}

extension ServerConnection {
    /// The exchange is over. `isPutOut`: the last byte of its answer was given to the transport.
    func conclude(_ exchange: ServerExchange, isPutOut: Bool) {
        guard exchange.mark != 0 else { return }
        let mark = exchange.mark
        exchange.mark = 0
        conclude(mark, of: exchange.streamID, isPutOut: isPutOut)
    }

    private func conclude(_ mark: UInt64, of streamID: Int32, isPutOut: Bool) {
        if !isPutOut || transport.isBroken { return server.handler.undelivered(mark) }
        guard transport.pendingBytes == 0 else {
            let sentBytes = transport.sentBytes + transport.pendingBytes
            return unsent.append(UnsentAnswer(mark: mark, streamID: streamID, sentBytes: sentBytes))
        }
        server.deliveries.add(mark, on: id, streamID: streamID, at: server.loop.moment)
    }

    /// HTTP/1.1: what was answered since the last flush is put out now.
    func concludeAnswered() {
        guard !answered.isEmpty else { return }
        for mark in answered { conclude(mark, of: 0, isPutOut: true) }
        answered.removeAll()
    }

    /// The kernel has taken more.
    func settleUnsent() {
        guard let first = unsent.first, first.sentBytes <= transport.sentBytes else { return }
        let count = unsent.firstIndex { $0.sentBytes > transport.sentBytes } ?? unsent.count
        for answer in unsent[..<count] {
            server.deliveries.add(answer.mark, on: id, streamID: answer.streamID, at: server.loop.moment)
        }
        unsent.removeFirst(count)
    }

    /// The connection goes. `isCut`: what was sent last may never be read.
    func concludeAll(isCut: Bool) {
        for answer in unsent { server.handler.undelivered(answer.mark) }
        for mark in answered { server.handler.undelivered(mark) }
        unsent.removeAll()
        answered.removeAll()
        guard isCut else { return }
        for mark in server.deliveries.takeDoubtful(on: id, at: server.loop.moment, within: doubtful) {
            server.handler.undelivered(mark)
        }
    }

    /// HTTP/2: the peer takes its leave in order, so it has what it waited for (RFC 9113, section 6.8). However its socket goes
    /// then, what was handed over before was read.
    func concludeRead() {
        _ = server.deliveries.takeDoubtful(on: id, at: server.loop.moment, within: doubtful)
    }

    private var doubtful: Interval { server.loop.clock?.span(ofReal: Deliveries.doubtful) ?? Deliveries.doubtful }

    /// HTTP/2: the peer gave the stream up while its answer was on the way.
    func concludeCrossed(_ streamID: Int32) {
        if let index = unsent.firstIndex(where: { $0.streamID == streamID }) {
            return server.handler.undelivered(unsent.remove(at: index).mark)
        }
        let mark = server.deliveries.takeDoubtful(on: id, streamID: streamID, at: server.loop.moment, within: doubtful)
        if let mark { server.handler.undelivered(mark) }
    }
}

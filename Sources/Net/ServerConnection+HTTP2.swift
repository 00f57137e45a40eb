// A server connection's ear on its HTTP/2 session.

package import HTTP2

extension ServerConnection: HTTP2EventHandler {
    package func message(_ stream: HTTP2Stream) {
        // What stands behind the cause of the end, in the same read, is not processed.
        guard !isClosed, !isClosing else { return }
        if stage == .unproven { server.move(self, to: .proven) }
        let exchange = exchange(on: stream)
        stream.owner = exchange
        server.handler.handle(exchange)
    }

    package func closed(_ stream: HTTP2Stream, code: UInt32) {
        if stream.isMalformed { server.count(.badRequests, on: self) }
        over(stream)
    }

    package func happened(_ event: HTTP2Event) {
        switch event {
        case .lateReset(let streamID): concludeCrossed(streamID)
        case .goAway(_, HTTP2ErrorCode.noError, _): concludeRead()
        default: break
        }
    }

    /// The stream's own exchange object again, if it has one to give. `readAt` is when this turn's bytes were read.
    private func exchange(on stream: HTTP2Stream) -> ServerExchange {
        guard let companion = stream.companion else {
            return ServerExchange(
                connection: self, head: stream.head, body: stream.body, responseHead: stream.outHead,
                arrivedAt: readAt, streamID: stream.id, stream: stream)
        }
        stream.companion = nil
        let exchange = unsafeDowncast(companion, to: ServerExchange.self)
        exchange.begin(on: stream, connection: self, arrivedAt: readAt)
        return exchange
    }
}

// A client connection's ear on its HTTP/2 session.

import HTTP2

extension ClientConnection: HTTP2EventHandler {
    func handOutEvents(of session: HTTP2Session) {
        session.handOutEvents(to: self)
        if !unprocessed.isEmpty { sendUnprocessedAgain() }
        guard mayHaveRoom else { return }
        mayHaveRoom = false
        if hasRoom { pool.offer(self) }
    }

    func message(_ stream: HTTP2Stream) {
        guard let owner = stream.owner.take() else { return }
        stream.endLending()
        let request = unsafeDowncast(owner, to: OutgoingRequest.self)
        pool.complete(request, status: stream.status, head: stream.head, body: stream.body, at: lastRead)
    }

    /// REFUSED_STREAM says that nothing was processed (RFC 9113 §8.7); so do streams above a GOAWAY's last one, which
    /// nghttp2 closes with the same code, and those that never left.
    func closed(_ stream: HTTP2Stream, code: UInt32) {
        inFlight -= 1
        mayHaveRoom = true
        guard let owner = stream.owner.take() else { return }
        let request = unsafeDowncast(owner, to: OutgoingRequest.self)
        let isRefused = code == HTTP2ErrorCode.refusedStream
        let isUnprocessed = isRefused || !request.isOnTheWire
        if !request.isOnTheWire { keepBack(request) }
        if isUnprocessed, pool.configuration.resends, !pool.isClosed,
            request.refusals < OutgoingRequest.maxRefusals
        {
            unprocessed.append((stream.id, request))
            return
        }
        let kind: ClientFailure.Kind = isRefused ? (isDraining ? .goAway : .refused) : .reset(code)
        pool.fail(
            request,
            ClientFailure(
                kind: kind, message: "the stream was reset with error code \(code)", isSafeToResend: isUnprocessed))
    }

    /// In the order in which they were sent; nghttp2 closes streams in any order.
    private func sendUnprocessedAgain() {
        let requests = unprocessed.sorted { $0.stream < $1.stream }.map(\.request)
        unprocessed.removeAll()
        pool.sendAgain(requests)
    }

    func happened(_ event: HTTP2Event) {
        if case .goAway = event { isDraining = true } else { mayHaveRoom = true }
    }
}

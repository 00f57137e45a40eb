// A client connection's ear on its HTTP/2 session.

import HTTP2

extension ClientConnection: HTTP2EventHandler {
    func handOutEvents(of session: HTTP2Session) {
        session.handOutEvents(to: self)
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

    func closed(_ stream: HTTP2Stream, code: UInt32) {
        inFlight -= 1
        mayHaveRoom = true
        guard let owner = stream.owner.take() else { return }
        let kind: ClientFailure.Kind =
            code == HTTP2ErrorCode.refusedStream ? (isDraining ? .goAway : .refused) : .reset(code)
        pool.fail(
            unsafeDowncast(owner, to: OutgoingRequest.self),
            ClientFailure(
                kind: kind, message: "the stream was reset with error code \(code)",
                isSafeToResend: code == HTTP2ErrorCode.refusedStream))
    }

    func happened(_ event: HTTP2Event) {
        if case .goAway = event { isDraining = true } else { mayHaveRoom = true }
    }
}

// A request on its way through a pool: what is sent, and what the pool remembers about the sending.

package import Basics
package import HTTP

/// A request to send. Reusable once its completion has run.
package final class OutgoingRequest {
    /// `:method` and `:path` first, then fields in lower case. The pool adds scheme, authority and content-length.
    package let head: HeaderBlock
    package let body: ByteBuffer
    /// The instant before the bytes were handed to the kernel for the first time; nil before that. Still set when the
    /// request failed.
    package internal(set) var sentAt: Instant?
    /// How often the peer may have seen it: 2 when a reused connection died under it and a fresh one carried it again.
    /// What the peer certainly did not process counts for nothing.
    package internal(set) var attempts: UInt8 = 1
    /// How long it waited in the pool before `sentAt`, for a connection to be opened or to become free.
    package internal(set) var waited = Interval.zero
    /// The part of all its waiting that began with every connection busy and no further one allowed.
    package internal(set) var waitedAtLimit = Interval.zero
    /// Called each time the bytes are handed to the kernel; `isFirst` is false when the request is sent again. Stays set
    /// from use to use.
    package var handedOver: ((_ isFirst: Bool) -> Void)?

    var completion: ((ClientOutcome) -> Void)?
    var deadline = Instant.distantFuture
    /// Since when it stands in the pool's queue.
    var queuedAt = Instant(nanoseconds: 0)
    var isHeldByLimit = false
    /// Handed over on the connection that carries it now.
    var isOnTheWire = false
    /// How often it was sent again because the peer had not processed it.
    var refusals: UInt8 = 0

    /// A peer that refuses a request this often is told about: the next refusal is its outcome.
    static let maxRefusals: UInt8 = 5

    /// As if it had never been sent.
    func begin(deadline: Instant, completion: @escaping (ClientOutcome) -> Void) {
        self.completion = completion
        self.deadline = deadline
        sentAt = nil
        attempts = 1
        waited = .zero
        waitedAtLimit = .zero
        isHeldByLimit = false
        isOnTheWire = false
        refusals = 0
    }

    func handOver(at now: Instant) {
        isOnTheWire = true
        let isFirst = sentAt == nil
        if isFirst { sentAt = now }
        handedOver?(isFirst)
    }

    /// Its place in the pool's queue is left.
    func endWaiting(at now: Instant) {
        let time = max(.zero, now - queuedAt)
        if sentAt == nil { waited += time }
        if isHeldByLimit { waitedAtLimit += time }
        isHeldByLimit = false
        queuedAt = now
    }

    /// Requests may share a head or a body that no longer changes.
    package init(head: HeaderBlock = HeaderBlock(), body: ByteBuffer = ByteBuffer()) {
        self.head = head
        self.body = body
    }

    package convenience init(method: String, path: String, fields: [(String, String)] = [], body bytes: [UInt8] = []) {
        self.init()
        head.append(":method", method)
        head.append(":path", path)
        for (name, value) in fields { head.append(name: name, value: value) }
        body.append(bytes.span)
    }
}

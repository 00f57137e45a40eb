// What a server's SETTINGS tell of MAX_CONCURRENT_STREAMS, from the moment they are queued until the peer has acknowledged
// them. nghttp2 is told nothing of it, because it would end the connection of a peer that had not read the frame in time.

import CNghttp2

/// One SETTINGS frame of a server.
struct Announcement {
    /// Its MAX_CONCURRENT_STREAMS, if it has one.
    var limit: UInt32?
    /// The limit is kept once the peer has acknowledged it: what it opens then it opens knowing it (RFC 9113 §5.1.2, §6.5.3).
    var isEnforcedOnceRead = false
    var isWritten = false

    /// A peer that leaves more of them unacknowledged is told SETTINGS_TIMEOUT (§6.5.3).
    static let mostWaiting = 10_000
}

extension HTTP2Session {
    /// The peer has read the oldest SETTINGS that it had not acknowledged (§6.5.3: in order).
    func settingsAcknowledged() {
        guard let oldest = announced.first, oldest.isWritten else { return }
        announced.removeFirst()
        guard let limit = oldest.limit else { return }
        acknowledgedStreams = limit
        if oldest.isEnforcedOnceRead { streamLimit = limit }
    }

    /// The most streams that the peer may believe to be allowed: what it has acknowledged, or may have read since. Nil until
    /// it has acknowledged a limit.
    var knownStreams: UInt32? {
        acknowledgedStreams.map { announced.reduce($0) { max($0, $1.limit ?? 0) } }
    }

    /// Streams that were refused since the last call although the peer had acknowledged a limit that forbids them (RFC 9113
    /// §5.1.2).
    package func takeOverrunStreams() -> Int {
        defer { overrunStreams = 0 }
        return overrunStreams
    }

    /// Sends SETTINGS with this MAX_CONCURRENT_STREAMS. `limit` is enforced from now on; nil: `count` itself, as soon as the
    /// peer has acknowledged it, unless another limit has come meanwhile.
    package func announce(streams count: UInt32, enforcing limit: UInt32?) {
        submit(settings: [.maxConcurrentStreams(count)])
        guard let limit else { return announced[announced.count - 1].isEnforcedOnceRead = true }
        for index in announced.indices { announced[index].isEnforcedOnceRead = false }
        streamLimit = limit
    }
}

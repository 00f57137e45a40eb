// What a server keeps for its peer, and how long the peer may leave it lying. Looked at now and then, so that nothing of
// it costs the data path any time.

package import Basics

extension HTTP2Session {
    /// The limit that the peer has broken: say GOAWAY and close.
    package var offence: HTTP2Offence? { meter.offence }

    /// Bytes of requests, answers and an unfinished header block that are kept for this connection, roughly.
    package var heldBytes: Int { heldByStreams + meter.headerBlockBytes }

    /// Of these, what is kept because the peer has not sent all of a request or not read all of an answer.
    package var owedBytes: Int {
        var sum = meter.headerBlockBytes
        var cursor = firstOpen
        while let held = cursor {
            cursor = held._withUnsafeGuaranteedRef { stream in
                if stream.owes != .nothing { sum += stream.heldBytes }
                return stream.next
            }
        }
        return sum
    }

    /// How many streams were reset since the last call because their header list was too large.
    package func takeRefusedHeaderLists() -> Int {
        defer { refusedHeaderLists = 0 }
        return refusedHeaderLists
    }

    /// What the peer owes for too long.
    package enum Overdue {
        case nothing
        /// So many requests that did not become whole in time; their streams are reset.
        case requests(Int)
        /// A header block that does not end: no stream can go on.
        case headerBlock
        /// An answer of which too little was read.
        case reading
    }

    /// Call at intervals well below the timeouts: they count from the first look that finds something owed. Of an answer
    /// a peer must read `readBytes` within `answerTimeout`, or all of it.
    package func watch(
        at now: Instant, requestTimeout: Interval, answerTimeout: Interval, readBytes: Int
    ) -> Overdue {
        guard openStreams > 0 else { return .nothing }
        var late = 0
        for stream in streams {
            let owed = stream.owes
            if owed == .nothing || owed != stream.owed || owed == .reading && stream.movedBytes >= readBytes {
                (stream.owed, stream.owedSince, stream.movedBytes) = (owed, now, 0)
                continue
            }
            if owed == .reading, now - stream.owedSince > answerTimeout { return .reading }
            if owed == .request, now - stream.owedSince > requestTimeout {
                if meter.isInHeaderBlock { return .headerBlock }
                reset(stream, code: HTTP2ErrorCode.cancel)
                late += 1
            }
        }
        return late > 0 ? .requests(late) : .nothing
    }
}

extension HTTP2Stream {
    /// What the peer has still to do before the stream can go on.
    fileprivate var owes: Owed { !isComplete ? .request : outBody.isEmpty ? .nothing : .reading }
}

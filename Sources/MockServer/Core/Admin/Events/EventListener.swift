// Somebody who listens to `GET /v1/events`, and how far in the journal he has been told.

import Basics
import Journal
import Net

/// Confined to the admin loop.
final class EventListener {
    enum Stage {
        /// Wants the newest so many pushes first, and is read up to the end of the journal for them.
        case gathering(limit: Int)
        /// Goes on from a cursor of his own: nothing is passed over.
        case catchingUp
        /// Has been at the end once. What he cannot take fast enough is passed over and told as a gap.
        case live
    }

    let exchange: ServerExchange
    let kinds: EventKinds
    var stage: Stage
    var cursor: JournalCursor
    /// The commits as of which the journal holds nothing behind the cursor; nil: it may hold something.
    var endedAt: UInt64?
    /// When he was last told anything.
    var toldAt: Instant
    /// The newest pushes that were found while gathering, and their bytes.
    private(set) var newest: [PushEntry] = []
    private var newestBytes = 0
    /// The oldest of what was gathered make room beyond this.
    private static let newestBytesLimit = 1 << 20

    init(exchange: ServerExchange, kinds: EventKinds, stage: Stage, cursor: JournalCursor, now: Instant) {
        self.exchange = exchange
        self.kinds = kinds
        self.stage = stage
        self.cursor = cursor
        toldAt = now
    }

    var isLive: Bool { if case .live = stage { true } else { false } }

    func gather(_ push: PushEntry, limit: Int) {
        newest.append(push)
        newestBytes += push.payload.count
        // In larger steps, for each moves all that stay.
        guard newest.count >= 2 * limit || newestBytes > 2 * Self.newestBytesLimit else { return }
        trim(to: limit)
    }

    private func trim(to limit: Int) {
        newest.removeFirst(max(0, newest.count - limit))
        newestBytes = newest.reduce(0) { $0 + $1.payload.count }
        var count = 0
        while newestBytes > Self.newestBytesLimit, count < newest.count {
            newestBytes -= newest[count].payload.count
            count += 1
        }
        newest.removeFirst(count)
    }

    /// The newest pushes, oldest first. He is live from now on.
    func takeNewest(limit: Int) -> [PushEntry] {
        trim(to: limit)
        defer { newest = [] }
        stage = .live
        return newest
    }
}

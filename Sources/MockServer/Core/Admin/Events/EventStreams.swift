// GET /v1/events: server-sent events (WHATWG HTML §9.2) out of the journal. Whoever answers pushes does nothing for it:
// what happens is in the journal before it is answered, and here it is read from there, while somebody listens.
//
//     journal ─▶ one read a turn for all who stand at the same place ─▶ frames ─▶ as far as each one reads
//
// A listener holds a cursor and at most `maxWaitingBytes` and one read of frames; beyond that he is read for no further
// until he has taken them. Nobody waits for him.

import Basics
import EventLoop
import Faults
import HTTP
import Journal
import Net
import Synchronization

/// Confined to the admin loop.
final class EventStreams {
    static let maxListeners = 32
    /// How often the journal is looked at for listeners, and for those who have yet to come to its end.
    static let lookInterval = Interval.milliseconds(50)
    static let catchUpInterval = Interval.milliseconds(10)
    static let heartbeatInterval = Interval.seconds(15)
    /// How long a client should wait before it comes back.
    static let retry = Interval.seconds(2)
    /// Of what was told already, so much may wait for the listener when he is told more.
    static let maxWaitingBytes = 256 << 10
    /// Of one read. So no more than 4,000 pushes a second are told, whatever comes.
    static let pushesPerRead = 200
    static let bytesPerRead = 512 << 10
    /// A listener who is live and has more of the journal than this before him misses pushes.
    static let maxLag = 4 << 20
    /// Records passed over, or looked at for the newest pushes, in one turn.
    static let recordsPerSkim = 50_000
    /// Different reads in one turn.
    static let readsPerTurn = 4
    /// How far back the newest pushes are looked for, in each file and in all.
    static let newestBytes = (inFile: 2 << 20, inAll: 16 << 20)
    static let newestLimit = 0...500

    private let loop: EventLoop
    let shared: MockShared
    private let reader: JournalReader
    private let scanner = JSONScanner(maxDepth: 64, maxNodes: 16_384)
    private var listeners: [EventListener] = []
    private var timer: LoopTimer?
    /// How often each rule had fired when that was last told.
    private var fired: [String: Int] = [:]
    private var firedInAll = 0
    /// What `GET /v1/clock` answers.
    var clock: () -> [UInt8] = { Array("{}".utf8) }

    init(loop: EventLoop, shared: MockShared) throws(Failure) {
        self.loop = loop
        self.shared = shared
        reader = try JournalReader(directory: shared.journalDirectory)
    }

    // MARK: Coming and going

    /// Begins the answer; what is told follows as it happens. Nil for GET; HEAD has its answer at once.
    func open(_ request: AdminRequest, _ exchange: ServerExchange) throws(AdminError) -> AdminAnswer? {
        let parameters = try request.parameters(["after", "last", "kinds"])
        let kinds = try self.kinds(parameters["kinds"])
        let (stage, cursor) = try beginning(parameters, lastEventID: exchange.head.text("last-event-id"))
        if request.method == "HEAD" { return AdminAnswer(text: "", contentType: "text/event-stream") }
        guard listeners.count < Self.maxListeners else {
            throw AdminError(
                503, "too-many-listening", "\(Self.maxListeners) listen already", hint: "close a page, or ask again later")
        }
        if listeners.isEmpty { noteFired() }
        let fields = exchange.responseHead
        fields.append("content-type", "text/event-stream")
        fields.append("cache-control", "no-store")
        fields.append("x-content-type-options", "nosniff")
        exchange.startStreaming(status: 200)
        var greeting = EventFrames(kinds: kinds)
        if case .gathering = stage {} else { greeting.addPosition(cursor) }
        exchange.stream(Array("retry: \(Int(Self.retry.milliseconds))\n\n".utf8) + greeting.bytes)
        listeners.append(
            EventListener(exchange: exchange, kinds: kinds, stage: stage, cursor: cursor, now: loop.now))
        schedule(after: .zero)
        return nil
    }

    func abandon(_ exchange: ServerExchange) {
        listeners.removeAll { $0.exchange === exchange }
        if listeners.isEmpty { stop() }
    }

    /// Ends every stream: the mock goes.
    func endAll() {
        for listener in listeners { listener.exchange.finishStreaming() }
        listeners = []
        stop()
    }

    private func stop() {
        timer?.cancel()
        timer = nil
    }

    private func schedule(after interval: Interval) {
        timer?.cancel()
        timer = loop.after(interval) { [self] in look() }
    }

    // MARK: Telling

    /// One read that all share who stand at the same place and want the same.
    private struct Read {
        var start: JournalCursor
        var kinds: EventKinds
        var frames: [UInt8]
        var cursor: JournalCursor
        var isAtEnd: Bool
    }

    private func look() {
        let now = loop.now
        let commits = shared.commits.load(ordering: .acquiring)
        let firings = framesOfFirings()
        var reads: [Read] = []
        var isCatchingUp = false
        for listener in listeners where listener.exchange.waitingBytes <= Self.maxWaitingBytes {
            var frames: [UInt8] = []
            if listener.endedAt != commits {
                do throws(Failure) { frames = try read(for: listener, commits, sharing: &reads) } catch {
                    // The journal cannot be read, which the next question will say in words.
                    listener.exchange.finishStreaming()
                    continue
                }
            }
            isCatchingUp = isCatchingUp || !listener.isLive
            if listener.isLive, listener.kinds.contains(.fault) { frames += firings }
            if frames.isEmpty, now - listener.toldAt >= Self.heartbeatInterval { frames = Array(": \n\n".utf8) }
            guard !frames.isEmpty else { continue }
            listener.toldAt = now
            listener.exchange.stream(frames)
        }
        listeners.removeAll { !$0.exchange.isStreaming }
        // The first shall be the last, for each turn has room for so many reads only.
        if listeners.count > Self.readsPerTurn { listeners.append(listeners.removeFirst()) }
        guard !listeners.isEmpty else { return stop() }
        schedule(after: isCatchingUp ? Self.catchUpInterval : Self.lookInterval)
    }

    private func read(for listener: EventListener, _ commits: UInt64, sharing reads: inout [Read]) throws(Failure) -> [UInt8] {
        if listener.isLive,
            let same = reads.first(where: { $0.kinds == listener.kinds && $0.start == listener.cursor })
        {
            listener.cursor = same.cursor
            listener.endedAt = same.isAtEnd ? commits : nil
            return same.frames
        }
        guard reads.count < Self.readsPerTurn else { return [] }
        let start = listener.cursor
        let read: Read
        if case .gathering(let limit) = listener.stage {
            read = try gather(for: listener, limit: limit)
        } else if try isToSkim(listener) {
            read = try skim(from: start, listener.kinds)
        } else {
            read = try next(from: start, listener.kinds)
        }
        reads.append(read)
        listener.cursor = read.cursor
        listener.endedAt = read.isAtEnd ? commits : nil
        if read.isAtEnd, case .catchingUp = listener.stage { listener.stage = .live }
        return read.frames
    }

    // MARK: Reading

    /// Whether requests are passed over: nobody wants them, or he has fallen too far behind.
    private func isToSkim(_ listener: EventListener) throws(Failure) -> Bool {
        if !listener.kinds.needRequests { return true }
        guard listener.isLive else { return false }
        return listener.cursor.bytes(to: try shared.journalEnd()) > Self.maxLag
    }

    /// Where the newest pushes are looked for.
    func shortlyBeforeNow() throws(AdminError) -> JournalCursor {
        do {
            return try reader.cursor(
                before: shared.journalEnd(), bytes: Self.newestBytes.inFile, total: Self.newestBytes.inAll,
                notBefore: shared.pushesBegin)
        } catch {
            throw AdminError(500, "journal", error.message, hint: error.hint)
        }
    }

    private func next(from start: JournalCursor, _ kinds: EventKinds) throws(Failure) -> Read {
        var frames = EventFrames(kinds: kinds)
        var isCut = false
        var visited = 0
        let cursor = try reader.forEach(since: start) { entry in
            visited += 1
            if let push = entry.request {
                frames.add(push, shared, scanner)
            } else if case .note(let note) = entry {
                frames.add(note, shared, clock: clock)
            }
            isCut =
                frames.requests == Self.pushesPerRead || frames.bytes.count >= Self.bytesPerRead
                || visited == Self.recordsPerSkim
            return !isCut
        }
        return finish(frames, from: start, to: cursor, kinds, isAtEnd: !isCut)
    }

    private func skim(from start: JournalCursor, _ kinds: EventKinds) throws(Failure) -> Read {
        var frames = EventFrames(kinds: kinds)
        let skimmed = try reader.skim(since: start, limit: Self.recordsPerSkim) { note in
            frames.add(note, shared, clock: clock)
        }
        if kinds.needRequests, skimmed.requests > 0 { frames.addGap(requests: skimmed.requests, since: start) }
        return finish(frames, from: start, to: skimmed.cursor, kinds, isAtEnd: skimmed.isAtEnd)
    }

    private func gather(for listener: EventListener, limit: Int) throws(Failure) -> Read {
        let start = listener.cursor
        var visited = 0
        let cursor = try reader.forEach(since: start) { entry in
            visited += 1
            if let push = entry.request { listener.gather(push, limit: limit) }
            return visited < Self.recordsPerSkim / 10
        }
        var frames = EventFrames(kinds: listener.kinds)
        let isAtEnd = visited < Self.recordsPerSkim / 10
        if isAtEnd {
            for push in listener.takeNewest(limit: limit) { frames.add(push, shared, scanner) }
        }
        // While it gathers it has told nothing, so nobody may come back to here.
        guard isAtEnd else {
            return Read(start: start, kinds: listener.kinds, frames: [], cursor: cursor, isAtEnd: false)
        }
        return finish(frames, from: start, to: cursor, listener.kinds, isAtEnd: true)
    }

    private func finish(
        _ frames: consuming EventFrames, from start: JournalCursor, to cursor: JournalCursor, _ kinds: EventKinds,
        isAtEnd: Bool
    ) -> Read {
        frames.addTouched(shared)
        if !frames.bytes.isEmpty { frames.addPosition(cursor) }
        return Read(start: start, kinds: kinds, frames: frames.bytes, cursor: cursor, isAtEnd: isAtEnd)
    }

    // MARK: Faults that fire

    /// Connections meet faults without any push, so their counts are looked at, not the journal.
    private func framesOfFirings() -> [UInt8] {
        let before = fired
        guard noteFired() else { return [] }
        var frames = EventFrames(kinds: EventKinds(.fault))
        for status in shared.faults.rules where status.fired > before[status.rule.id] ?? 0 {
            frames.fault("fired", status.rule.id, status)
        }
        return frames.bytes
    }

    /// False: nothing has fired since it was last asked.
    @discardableResult
    private func noteFired() -> Bool {
        let sum = shared.statistics().faultsFired
        guard sum != firedInAll else { return false }
        firedInAll = sum
        fired = [:]
        for status in shared.faults.rules where status.fired > 0 { fired[status.rule.id] = status.fired }
        return true
    }
}

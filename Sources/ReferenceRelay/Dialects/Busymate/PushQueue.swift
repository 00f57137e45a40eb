// What triggers ask for, carried out behind the commit: in batches, broadcast first, then posted to the push function. The
// original posts once, without order, and forgets what fails (pg_net); here a request stays until its pushes have been tried,
// in the order of the writes, and again where the function is out of reach or was never called (R1.17, R1.19, R1.20).

import Basics
import TLS

/// Confined to the relay's thread.
final class PushQueue {
    /// Requests that are taken at a time.
    static let batch = 200
    /// From a post that failed to the next try.
    static let pause = Interval.milliseconds(500)
    /// What the function answers to.
    static let path = "/functions/v1/push-notify"

    let tables: BusymateTables
    private let defects: Set<Defect>
    private let broadcast: (BusymateTables.Request) -> Void
    private var lastBroadcast: Int64
    private var lastPosted: Int64 = 0
    private var isAwake = false
    /// Defect `keeps-cleared-note`.
    private var notes: [String: String] = [:]
    /// Defect `alternates-repeats`: what was told last, and how often in turn.
    private var told: [String: (message: String, count: Int)] = [:]

    init(
        _ tables: BusymateTables, _ defects: Set<Defect>, broadcast: @escaping (BusymateTables.Request) -> Void
    ) throws(Failure) {
        self.tables = tables
        self.defects = defects
        self.broadcast = broadcast
        lastBroadcast = try tables.lastRequest()
    }

    private func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    /// There may be requests.
    func wake(_ relay: RelayService, in wait: Interval = .zero) {
        guard !isAwake else { return }
        isAwake = true
        relay.later(has(.postsWithoutOrder) ? max(wait, .milliseconds(250)) : wait) { [self] in
            isAwake = false
            // A table that cannot be read now may be so later.
            do { try drain(relay) } catch { wake(relay, in: Self.pause) }
        }
    }

    /// What was written before is told before: for whoever pushes at once.
    func catchUp(_ relay: RelayService) throws {
        var before = lastPosted - 1
        while before < lastPosted {
            before = lastPosted
            try drain(relay)
        }
    }

    private func drain(_ relay: RelayService) throws {
        var requests = try tables.requests(after: lastPosted, atMost: Self.batch)
        for request in requests where request.id > lastBroadcast {
            lastBroadcast = request.id
            broadcast(request)
        }
        guard let last = requests.last?.id else { return }
        let isReached = try tables.config().map { $0.url.hasSuffix(Self.path) }
        guard isReached == true else {
            if isReached == nil ? has(.losesColdWrites) : has(.losesFailedPosts) {
                for request in requests { try tables.removeRequest(request.id) }
                lastPosted = last
                return wake(relay)
            }
            return wake(relay, in: Self.pause)
        }
        if has(.postsWithoutOrder) { requests.reverse() }
        lastPosted = last
        for request in requests { try post(request, relay) }
        if requests.count == Self.batch { wake(relay) }
    }

    private func post(_ request: BusymateTables.Request, _ relay: RelayService) throws {
        var request = request
        if has(.keepsClearedNote) {
            if request.message.isEmpty { request.message = notes[request.device] ?? "" }
            notes[request.device] = request.message
        }
        if has(.alternatesRepeats) {
            let last = told[request.device]
            let count = last?.message == request.message ? (last?.count ?? 0) + 1 : 0
            told[request.device] = (request.message, count)
            if count % 2 == 1 { return try tables.removeRequest(request.id) }
        }
        if has(.ignoresClears), request.message.isEmpty { return try tables.removeRequest(request.id) }
        let state = BusymateState(mode: request.mode, message: request.message)
        if has(.pushesToEveryKind) || has(.alertsOnMessage) {
            for token in try tables.otherTokens(of: request.device) {
                relay.core.pushAstray(
                    Self.event(state, for: request.device), to: token, isActivity: has(.pushesToEveryKind), now: relay.moment)
            }
        }
        let ticket = EventTicket(context: TicketAnswer { [tables] _ in try? tables.removeRequest(request.id) })
        relay.core.handle(Self.event(state, for: request.device), ticket: ticket, now: relay.moment)
    }

    /// What the function does: every card of the device is told.
    static func event(_ state: BusymateState, for device: String) -> RelayEvent {
        RelayEvent(
            secret: secret(of: device), type: state.note == nil ? .clearing : .message, sessionID: device, content: state)
    }

    /// Devices are the kit's accounts.
    static func secret(of device: String) -> SecretHash { SecretHash(digest: withBytes(of: device) { sha256($0) }) }
}

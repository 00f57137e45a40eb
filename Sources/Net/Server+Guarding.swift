// A server's guard: who may come in, who has been too slow, and who goes when memory runs short.

import Basics
import EventLoop

extension Server {
    /// Connections looked at in one go; 20,000 of them then cost no turn of the loop more than some 20 µs.
    private static let sweepBatch = 1_000

    // MARK: Coming in

    /// Whether there is room for one more connection; makes some where that is just.
    func makeRoom() -> Bool {
        let limits = configuration.limits
        if connections.count >= limits.maxConnections {
            count(.connections)
            guard let oldest = oldestUnproven else { return false }
            close(oldest)
        }
        if handshaking.count >= limits.maxHandshakes, let oldest = handshaking.oldest {
            count(.handshakes)
            close(oldest)
        }
        return true
    }

    private var oldestUnproven: ServerConnection? {
        guard let first = handshaking.oldest, let second = unproven.oldest else {
            return handshaking.oldest ?? unproven.oldest
        }
        return first.acceptedAt < second.acceptedAt ? first : second
    }

    /// The connection has shaken hands, sent its first whole request, or gone.
    func move(_ connection: ServerConnection, to stage: ServerConnection.Stage) {
        assert(connection.stage.leads(to: stage), "\(connection.stage) does not lead to \(stage)")
        switch connection.stage {
        case .handshaking: handshaking.remove(connection)
        case .unproven: unproven.remove(connection)
        case .proven, .gone: break
        }
        connection.stage = stage
        if stage == .unproven { unproven.append(connection) }
    }

    // MARK: Time

    func scheduleSweep() {
        let laps = max(1, (connections.count + Self.sweepBatch - 1) / Self.sweepBatch)
        sweep = loop.after(configuration.limits.sweepInterval * (1 / Double(laps))) { [unowned(unsafe) self] in
            look(at: (connections.count + laps - 1) / laps)
            scheduleSweep()
        }
    }

    /// Looks at the next so many connections. One that takes the place of a closed one may have to wait a round.
    private func look(at count: Int) {
        let now = loop.now
        for _ in 0..<count {
            guard !connections.isEmpty else { return }
            if sweepIndex >= connections.count { sweepIndex = 0 }
            let connection = connections[sweepIndex]
            connection.checkTime(at: now)
            if !connection.isClosed { sweepIndex += 1 }
        }
    }

    // MARK: Memory

    /// Notes what a connection holds now.
    func account(_ connection: ServerConnection) {
        guard !connection.isClosed else { return }
        let held = connection.heldBytes
        heldBytes += held - connection.accountedBytes
        connection.accountedBytes = held
        if heldBytes > configuration.limits.maxHeldBytes { shed() }
    }

    /// Ends the connections that owe us the most until a sixteenth of the allowance is free: enough to be rare, and little
    /// enough to be quick. Where all is owed by us, those that hold the most go: memory has an end.
    private func shed() {
        let goal = configuration.limits.maxHeldBytes / 16 * 15
        for measure in [\ServerConnection.owedBytes, \ServerConnection.heldBytes] {
            let candidates = connections.map { ($0[keyPath: measure], $0) }.filter { $0.0 > 0 }
                .sorted { $0.0 > $1.0 }
            for (_, connection) in candidates {
                guard heldBytes > goal else { return }
                count(.heldBytes)
                close(connection)
            }
        }
    }

    // MARK: Telling

    func count(_ refusal: Refusal, times: Int = 1) { handler.refused(refusal, times: times) }

    func count(_ refusal: Refusal, times: Int = 1, on connection: ServerConnection) {
        count(refusal, times: times)
        if let why = refusal.unreadText(configuration.limits) { handler.unread(connection, requests: times, why: why) }
    }
}

// The registry as the last process left it.

import Basics

extension RelayCore {
    /// Once, before the first request. Throttles, dedupe windows and held states are not restored.
    func restore(_ rows: StoredRows, now: Moment) {
        for row in rows.devices {
            let account = registry.account(row.secret)
            let device = Device(
                id: row.id, account: account, token: row.token, bundleID: row.bundleID, environment: row.environment,
                startToken: row.startToken, createdAt: row.createdAt, registeredAt: row.updatedAt)
            device.claimedEnvironment = row.claimedEnvironment
            account.devices.append(device)
            registry.deviceCount += 1
            registry.lastDeviceID = max(registry.lastDeviceID, row.id)
        }
        for row in rows.activities {
            guard let session = restored(row.sessionID, of: row.secret, now: now) else { continue }
            let lane = Lane(
                id: row.id, session: session, token: row.token, bundleID: row.bundleID, environment: row.environment,
                createdAt: row.createdAt, registeredAt: row.updatedAt)
            session.lanes.append(lane)
            session.hadLane = true
            registry.lastActivityID = max(registry.lastActivityID, row.id)
            let rest = max(.zero, options.activityLifetime - (now.wall - row.createdAt))
            deadlines.add(.lifetime(SessionReference(session: session), turn: session.turn), at: now.now + rest)
        }
        for row in rows.starts {
            guard let session = restored(row.sessionID, of: row.secret, now: now) else { continue }
            session.starts.append(
                StartAttempt(deviceID: row.deviceID, token: row.token, turn: session.turn, sequence: 0))
            session.unadoptedStarts += 1
        }
    }

    private func restored(_ id: String, of secret: SecretHash, now: Moment) -> Session? {
        guard let session = session(id, of: registry.account(secret), now: now) else { return nil }
        if session.phase == .fresh {
            beginTurn(session, now: now)
            // The process before us may have stamped this second, and the next.
            session.lastStamp = now.wall.seconds + 1
        }
        return session
    }
}

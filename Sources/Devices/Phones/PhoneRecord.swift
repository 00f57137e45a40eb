// Phones as the admin side sees them. Off the data path.

import APNs
package import Basics
package import Pushes

/// One Live Activity on a phone.
package struct CardRecord: Sendable, Equatable {
    /// Which one of its app on its phone, from 1.
    package var number: UInt32
    package var token: PhoneToken
    /// Whether the app has that token, and so may register it.
    package var isTokenKnown: Bool
    package var state: ActivityState
    /// It has a card that was on the screen at least once.
    package var wasShown: Bool
    package var startedAt: WallTime
    /// `aps.timestamp` of the state on the screen and of the newest that was taken, Unix seconds.
    package var drawnStamp: Int64
    package var takenStamp: Int64
    package var drawnAt: WallTime
    package var staleAt: WallTime?
    /// When its card leaves the screen, or has left it; nil while it has not ended.
    package var goneAt: WallTime?
    package var marker: Marker?
    /// Pushes that it took, its start included, and pushes that it did not.
    package var shown: Int
    package var ignored: Int
    /// The payload that the card shows, where it is kept.
    package var payload: [UInt8]?
}

/// An app on a phone.
package struct AppRecord: Sendable, Equatable {
    package var bundle: String
    package var environment: PushEnvironment?
    package var state: AppState
    package var isGone: Bool
    package var allowsActivities: Bool
    package var hasFrequentUpdates: Bool
    package var hasStaleStart: Bool
    package var schema: UInt16
    package var wake: PhoneWake
    package var deviceToken: PhoneToken
    package var startToken: PhoneToken
    /// Oldest first; the latest `PhoneSettings.activityLimit`.
    package var activities: [CardRecord]
}

/// A phone.
package struct PhoneRecord: Sendable, Equatable {
    package var name: String
    package var system: SystemVersion
    package var isOffline: Bool
    package var isLowOnPower: Bool
    /// Pushes that APNs keeps for it.
    package var storedCount: Int
    package var apps: [AppRecord]
}

extension PhoneShard {
    func record(ofPhone place: Int32, now: WallTime) -> PhoneRecord {
        let row = tables.phones[place]
        return PhoneRecord(
            name: row.name, system: row.system, isOffline: row.isOffline, isLowOnPower: row.isLowOnPower,
            storedCount: away[place]?.stored.count ?? 0,
            apps: tables.apps(of: place).reversed().map { record(ofApp: $0, now: now) })
    }

    private func record(ofApp place: Int32, now: WallTime) -> AppRecord {
        let row = tables.apps[place]
        return AppRecord(
            bundle: bundles.text(row.bundle) ?? "", environment: row.environment, state: row.state, isGone: row.isGone,
            allowsActivities: row.allowsActivities, hasFrequentUpdates: row.hasFrequentUpdates,
            hasStaleStart: row.hasStaleStart, schema: row.schema, wake: wakes[Int(row.wake)],
            deviceToken: token(.device, of: place), startToken: token(.start, of: place),
            activities: tables.cards(of: place).reversed().map { record(ofCard: $0, now: now) })
    }

    private func record(ofCard place: Int32, now: WallTime) -> CardRecord {
        var row = tables.cards[place]
        row.settle(now, settings)
        let state = row.state(at: now, settings)
        let isDrawn = tables.cards[place].isDrawingDue && !row.isDrawingDue
        let content = contents[place]
        return CardRecord(
            number: row.ordinal, token: token(ofCard: place), isTokenKnown: row.isTokenKnown,
            state: state, wasShown: !row.isNeverShown, startedAt: row.startedAt,
            drawnStamp: row.drawnStamp, takenStamp: row.takenStamp, drawnAt: row.drawnAt,
            staleAt: row.staleAt == 0 ? nil : WallTime(seconds: Int64(row.staleAt)),
            goneAt: state > .stale ? row.leavesAt(settings) : nil, marker: row.hasMarker ? row.marker : nil,
            shown: Int(row.shown), ignored: Int(row.ignored),
            payload: isDrawn ? content?.waiting ?? content?.drawn : content?.drawn)
    }
}

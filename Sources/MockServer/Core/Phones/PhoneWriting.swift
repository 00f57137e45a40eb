// Phones as the admin API shows them. Shape: docs/openapi.yaml, `Phone`.

import Basics
import Devices
import Faults
import Pushes

/// What is needed to write phones out.
struct PhoneWriting {
    let seed: Seed
    let schemas: PhoneSchemas

    func json(_ phone: PhoneRecord) -> JSONValue {
        [
            "id": .string(phone.name), "ios": .string(phone.system.text),
            "connection": .string((phone.isOffline ? Connection.offline : .online).word.description),
            "lowPower": .bool(phone.isLowOnPower), "stored": .integer(Int64(phone.storedCount)),
            "apps": .array(phone.apps.map { json($0) }),
        ]
    }

    private func json(_ app: AppRecord) -> JSONValue {
        [
            "bundle": .string(app.bundle), "installed": .bool(!app.isGone),
            "environment": app.environment.map { .string($0.word.description) } ?? .null,
            "state": .string(app.state.word.description), "liveActivities": .bool(app.allowsActivities),
            "frequentUpdates": .bool(app.hasFrequentUpdates), "staleStartToken": .bool(app.hasStaleStart),
            "wake": [
                "delay": app.wake.delay.durations, "never": .number(app.wake.never),
                "rotate": app.wake.rotate?.durations ?? .null,
            ],
            "schema": schemas[app.schema]?.json ?? .null,
            "deviceToken": .string(app.deviceToken.text(seed)), "startToken": .string(app.startToken.text(seed)),
            "activities": .array(app.activities.map { json($0) }),
        ]
    }

    private func json(_ card: CardRecord) -> JSONValue {
        [
            "activity": .integer(Int64(card.number)), "state": .string(card.state.word.description),
            "token": .string(card.token.text(seed)), "tokenKnown": .bool(card.isTokenKnown),
            "presented": .bool(card.wasShown), "startedAt": .string(card.startedAt.iso8601),
            "shownTimestamp": .integer(card.drawnStamp), "takenTimestamp": .integer(card.takenStamp),
            "drawnAt": .string(card.drawnAt.iso8601), "staleAt": card.staleAt.map { .string($0.iso8601) } ?? .null,
            "dismissedAt": card.goneAt.map { .string($0.iso8601) } ?? .null,
            "marker": card.marker.map { .string($0.text) } ?? .null,
            "shown": .integer(Int64(card.shown)), "ignored": .integer(Int64(card.ignored)),
            "contentState": contentState(of: card),
        ]
    }

    /// What the card shows; null where it is not kept, or the app itself has started the activity.
    private func contentState(of card: CardRecord) -> JSONValue {
        guard let payload = card.payload, let value = try? JSONValue(parsing: payload.span) else { return .null }
        return value["aps"]?["content-state"] ?? .null
    }
}

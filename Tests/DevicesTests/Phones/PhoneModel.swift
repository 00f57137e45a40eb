// What a model of phones is asked, and the one under test. A second model, written from the facts by somebody else, is to
// answer the same questions.

import APNs
import Basics
import Devices
import Pushes

/// A push as it reaches APNs, all that a phone looks at.
struct ModelPush: Hashable, Sendable {
    /// Counted from 1.
    var id: UInt64
    var token: PhoneToken
    var event: ActivityEvent
    /// Unix seconds.
    var timestamp: Int64
    var priority: UInt8 = 10
    var expiration: Int64?
    var staleDate: Int64?
    var dismissalDate: Int64?
    /// Why the app's type would not decode it; nil: it does.
    var mistake: String?
}

/// An activity as a user sees it.
struct ModelCard: Hashable, Sendable {
    var phone: String
    var app: String
    var number: UInt32
    var state: ActivityState
    /// `aps.timestamp` of what is on the screen.
    var shown: Int64
    /// Of the newest state that was taken.
    var taken: Int64
    var token: PhoneToken
}

/// Phones, tokens and time, with nothing that a relay could not cause. All phones are made before the first push; time
/// never goes back.
protocol PhoneModel {
    init(_ settings: DeviceSettings, seed: Seed)
    mutating func make(_ phone: PhoneSetup, at now: WallTime)
    /// False: it cannot be done, and nothing has changed.
    mutating func act(_ action: PhoneAction, on phone: String, at now: WallTime) -> Bool
    /// Nil: APNs refuses it, or the token is no phone's.
    mutating func push(_ push: ModelPush, at now: WallTime) -> PhoneVerdict?
    /// All that is due happens.
    mutating func advance(to now: WallTime)
    /// Since it was asked last: what happened, and what became of stored pushes by their ids.
    mutating func news() -> (events: [PhoneEvent], late: [LateOutcome])
    /// Of one phone, ordered by app and number.
    func cards(of phone: String, at now: WallTime) -> [ModelCard]
}

/// The model under test.
struct FleetModel: PhoneModel {
    let fleet: DeviceFleet
    private var cursor: UInt64 = 0
    private var now = WallTime(nanoseconds: 0)

    init(_ settings: DeviceSettings, seed: Seed) { fleet = DeviceFleet(settings: settings, seed: seed) }

    mutating func make(_ phone: PhoneSetup, at now: WallTime) { _ = try? fleet.phones.make(phone, now: now) }

    mutating func act(_ action: PhoneAction, on phone: String, at now: WallTime) -> Bool {
        do throws(PhoneRefusal) { try fleet.phones.act(action, on: phone, now: now) } catch { return false }
        return true
    }

    mutating func push(_ push: ModelPush, at now: WallTime) -> PhoneVerdict? {
        let text = push.token.text(fleet.phones.seed)
        let topic = push.token.use == .device ? push.token.app : push.token.app + ".push-type.liveactivity"
        var facts = PushFacts(apnsID: UUIDBytes(high: 1, low: push.id))
        var activity = ActivityFacts()
        (activity.event, activity.timestamp) = (push.event, push.timestamp)
        (activity.staleDate, activity.dismissalDate) = (push.staleDate, push.dismissalDate)
        (facts.pushType, facts.activity) = (.liveactivity, activity)
        (facts.priority, facts.expiration) = (push.priority, push.expiration)
        return withBytes(of: text) { token in
            facts.tokenHash = Hash128(hex: token)
            let standing = withBytes(of: topic) {
                fleet.standing(of: token, hash: facts.tokenHash, topic: $0, environment: .production, now: now)
            }
            guard standing == .activeOnPhone else { return nil }
            let decoder = push.mistake.map(Grumbler.init)
            return withBytes(of: "{}") { payload in
                let verdict = fleet.phones.deliver(facts, token: token, payload: payload, now: now, decoder: decoder)
                if verdict.outcome == .stored {
                    fleet.phones.store(facts, token: token, payload: payload, push: push.id, now: now, decoder: decoder)
                }
                return verdict
            }
        }
    }

    mutating func advance(to now: WallTime) {
        self.now = now
        fleet.phones.advance(to: now)
    }

    mutating func news() -> (events: [PhoneEvent], late: [LateOutcome]) {
        let page = fleet.phones.feed.events(after: cursor, limit: .max)
        cursor = page.next
        return (page.events, fleet.phones.takeLate())
    }

    func cards(of phone: String, at now: WallTime) -> [ModelCard] {
        guard let record = fleet.phones.record(of: phone, now: now) else { return [] }
        return record.apps.sorted { $0.bundle < $1.bundle }.flatMap { app in
            app.activities.map {
                ModelCard(
                    phone: phone, app: app.bundle, number: $0.number, state: $0.state, shown: $0.drawnStamp,
                    taken: $0.takenStamp, token: $0.token)
            }
        }
    }

    private final class Grumbler: PhoneDecoder {
        let text: String
        init(_ text: String) { self.text = text }
        func mistake(schema: UInt16, event: ActivityEvent, payload: Span<UInt8>) -> String? { text }
    }
}

// Phones under a clock that is turned by hand, and pushes to their tokens as APNs would let them through.

import APNs
import Basics
import Devices
import Pushes

final class PhoneRig {
    static let app = "com.example.app"
    static let seed = Seed(7)

    let time = ManualTime()
    let fleet: DeviceFleet
    var phones: PhoneFleet { fleet.phones }
    /// Of the next pushes.
    var priority: UInt8 = 10
    var expiration: Int64?
    /// What the app says of each push; nil: it decodes.
    var mistake: String?
    private(set) var lastPush: UInt64 = 0
    private var cursor: UInt64 = 0

    /// One phone `p` with one app, unless set up otherwise.
    init(
        _ turn: (inout DeviceSettings) -> Void = { _ in }, phone: PhoneSetup? = PhoneSetup("p", apps: [AppSetup(PhoneRig.app)])
    ) throws {
        var settings = DeviceSettings(registration: .registered)
        settings.phones.drawingInterval = .zero
        turn(&settings)
        fleet = DeviceFleet(settings: settings, seed: Self.seed)
        if let phone { try fleet.phones.make(phone, now: time.wall()) }
    }

    func start(_ phone: String = "p", app: String = PhoneRig.app) -> PhoneToken { PhoneToken(.start, phone: phone, app: app) }

    func activity(_ number: UInt32, rotation: UInt32 = 0, phone: String = "p", app: String = PhoneRig.app) -> PhoneToken {
        PhoneToken(.activity, phone: phone, app: app, ordinal: number, rotation: rotation)
    }

    func device(_ installation: UInt32 = 1, phone: String = "p") -> PhoneToken {
        PhoneToken(.device, phone: phone, app: Self.app, ordinal: installation)
    }

    /// As the validator asks; the topic is the right one for the token.
    func standing(_ token: PhoneToken, topic: String? = nil) -> TokenStanding {
        let topic = topic ?? (token.use == .device ? token.app : token.app + ".push-type.liveactivity")
        return withBytes(of: token.text(Self.seed)) { bytes in
            withBytes(of: topic) { topic in
                fleet.standing(
                    of: bytes, hash: Hash128(hex: bytes), topic: topic, environment: .production, now: time.wall())
            }
        }
    }

    /// A Live Activity push whose timestamp is `ahead` seconds from now; nil where APNs refuses it.
    @discardableResult
    func push(
        _ event: ActivityEvent?, to token: PhoneToken, ahead: Int64 = 0, payload: String = "{}",
        _ turn: (inout ActivityFacts) -> Void = { _ in }
    ) -> PhoneVerdict? {
        var activity = ActivityFacts()
        activity.event = event
        activity.timestamp = time.wall().seconds + ahead
        turn(&activity)
        var facts = PushFacts(apnsID: UUIDBytes(high: 1, low: 1))
        facts.pushType = .liveactivity
        facts.activity = activity
        return deliver(facts, to: token, payload: payload)
    }

    /// An alert, unless turned.
    func notify(_ token: PhoneToken, _ turn: (inout PushFacts) -> Void = { _ in }) -> PhoneVerdict? {
        var facts = PushFacts(apnsID: UUIDBytes(high: 1, low: 1))
        facts.pushType = .alert
        facts.payload.isObject = true
        facts.payload.hasAlert = true
        turn(&facts)
        return deliver(facts, to: token, payload: "{}")
    }

    private func deliver(_ facts: PushFacts, to token: PhoneToken, payload: String) -> PhoneVerdict? {
        guard standing(token) == .activeOnPhone else { return nil }
        lastPush += 1
        return withBytes(of: token.text(Self.seed)) { bytes in
            withBytes(of: payload) { payload in
                var facts = facts
                facts.tokenHash = Hash128(hex: bytes)
                (facts.hasTokenHash, facts.isOnPhone) = (true, true)
                (facts.priority, facts.expiration) = (priority, expiration)
                let decoder = FixedDecoder(mistake)
                let now = time.wall()
                let verdict = phones.deliver(facts, token: bytes, payload: payload, now: now, decoder: decoder)
                if verdict.outcome == .stored {
                    phones.store(facts, token: bytes, payload: payload, push: lastPush, now: now, decoder: decoder)
                }
                return verdict
            }
        }
    }

    func act(_ action: PhoneAction, on phone: String = "p") throws { try phones.act(action, on: phone, now: time.wall()) }

    /// Time goes on, and what is due happens.
    func wait(_ span: Interval) {
        time.advance(by: span)
        phones.advance(to: time.wall())
    }

    /// What has happened since it was asked last.
    func events() -> [PhoneEvent] {
        let page = phones.feed.events(after: cursor, limit: .max)
        cursor = page.next
        return page.events
    }

    func kinds() -> [PhoneEvent.Kind] { events().map(\.kind) }

    func record(_ phone: String = "p") -> PhoneRecord? { phones.record(of: phone, now: time.wall()) }

    func card(_ number: UInt32 = 1) -> CardRecord? { record()?.apps.first?.activities.first { $0.number == number } }
}

/// Says the same of each push.
private final class FixedDecoder: PhoneDecoder {
    let mistake: String?
    init(_ mistake: String?) { self.mistake = mistake }
    func mistake(schema: UInt16, event: ActivityEvent, payload: Span<UInt8>) -> String? { mistake }
}

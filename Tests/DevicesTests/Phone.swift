// One fleet, one token, one clock, and pushes to it.

import APNs
import Basics
import Devices
import Pushes

final class Phone {
    static let bundle = "com.example.app"
    static let activityTopic = bundle + ".push-type.liveactivity"

    let time = ManualTime()
    let fleet: DeviceFleet
    var token = String(repeating: "ab", count: 80)
    /// Of the next pushes.
    var priority: UInt8 = 10
    var expiration: Int64?
    var collapseMark: UInt32 = 0
    /// The id of the last push that was stored, and what storing it made of another one.
    private(set) var lastID: UInt64 = 0
    private(set) var displaced: [LateOutcome] = []

    init(_ turn: (inout DeviceSettings) -> Void = { _ in }) {
        var settings = DeviceSettings()
        turn(&settings)
        fleet = DeviceFleet(settings: settings)
    }

    var hash: Hash128 { withBytes(of: token) { Hash128(hex: $0) } }

    func standing(_ topic: String = bundle, environment: PushEnvironment = .sandbox) -> TokenStanding {
        withBytes(of: token) { token in
            withBytes(of: topic) {
                fleet.standing(
                    of: token, hash: hash, topic: $0, environment: environment, now: time.wall())
            }
        }
    }

    /// Standing first, as the validator does it, then delivery.
    func deliver(_ facts: PushFacts, topic: String, environment: PushEnvironment = .sandbox) -> Outcome? {
        guard standing(topic, environment: environment) == .active else { return nil }
        return withBytes(of: token) { token in
            withBytes(of: topic) { topic in
                let outcome = fleet.deliver(
                    facts, token: token, topic: topic, environment: environment, now: time.wall())
                if outcome == .stored {
                    lastID += 1
                    let late = fleet.store(facts, topic: topic, push: lastID, now: time.wall())
                    if let late { displaced.append(late) }
                }
                return outcome
            }
        }
    }

    /// Makes the token known, or changes it.
    func set(
        kind: TokenKind = .unknown, device: String? = nil, _ connection: Connection? = nil, frequent: Bool = false
    ) {
        var record = TokenRecord(token: token, kind: kind)
        record.device = device
        record.connection = connection
        record.hasFrequentUpdates = frequent
        fleet.set(record, now: time.wall())
    }

    func connect(_ connection: Connection) {
        guard var record = fleet.record(of: token) else { return }
        record.connection = connection
        fleet.set(record, now: time.wall())
    }

    /// What has become of stored pushes since it was asked last.
    var late: [LateOutcome] { fleet.lateOutcomes(now: time.wall()) }

    /// A Live Activity push whose timestamp is `ahead` seconds from now.
    func activity(
        _ event: ActivityEvent?, ahead: Int64 = 0, _ turn: (inout ActivityFacts) -> Void = { _ in }
    ) -> Outcome? {
        var activity = ActivityFacts()
        activity.event = event
        activity.timestamp = time.wall().seconds + ahead
        turn(&activity)
        var facts = facts(.liveactivity)
        facts.activity = activity
        return deliver(facts, topic: Self.activityTopic)
    }

    /// Another push, with an alert unless turned.
    func push(
        _ type: PushType?, bundle: String = bundle, _ turn: (inout PayloadFacts) -> Void = { _ in }
    ) -> Outcome? {
        var facts = facts(type)
        facts.payload.hasAlert = true
        turn(&facts.payload)
        return deliver(facts, topic: bundle + (type?.topicSuffix.description ?? ""))
    }

    var record: ActivityRecord? { fleet.activity(token: token, now: time.wall()) }

    func facts(_ type: PushType?) -> PushFacts {
        var facts = PushFacts(apnsID: UUIDBytes(high: 1, low: 1))
        facts.tokenHash = hash
        facts.hasTokenHash = true
        facts.pushType = type
        facts.priority = priority
        facts.expiration = expiration
        facts.collapseMark = collapseMark
        facts.payload.isObject = true
        return facts
    }
}

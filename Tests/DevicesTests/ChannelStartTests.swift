// Starts by push that name a channel: the new activity listens to it (docs/apns.md §10, `input-push-channel`).

import APNs
import Basics
import Devices
import Pushes
import Testing

@Suite struct ChannelStartTests {
    private func store(_ turn: (inout ChannelSettings) -> Void = { _ in }) -> ChannelStore {
        var settings = ChannelSettings()
        turn(&settings)
        return ChannelStore(settings: settings, seed: Seed(7))
    }

    private func create(
        _ store: ChannelStore, _ phone: Phone, _ bundle: String = Phone.bundle, in environment: PushEnvironment = .sandbox
    ) throws -> ChannelID {
        try #require(
            withBytes(of: bundle) { store.create($0, in: environment, policy: .latest, now: phone.time.wall()) })
    }

    /// A start for that channel, pushed to the phone's token; nil unless it took place.
    private func start(_ phone: Phone, _ channel: InputChannel?, ahead: Int64 = 0) throws -> ChannelStart? {
        var facts = phone.facts(.liveactivity)
        var activity = ActivityFacts()
        activity.event = .start
        activity.timestamp = phone.time.wall().seconds + ahead
        activity.inputChannel = channel
        facts.activity = activity
        let outcome = phone.deliver(facts, topic: Phone.activityTopic)
        return outcome == .started ? ChannelStart(facts) : nil
    }

    /// Starts one and lets it listen; its token.
    private func listener(_ phone: Phone, _ store: ChannelStore, _ channel: ChannelID, ahead: Int64 = 0) throws -> String {
        let start = try #require(try start(phone, .channel(channel), ahead: ahead))
        guard case .listening(let token, nil) = store.listen(start, devices: phone.fleet, now: phone.time.wall()) else {
            throw Failure(.run, "it does not listen")
        }
        return token
    }

    /// What the channel's activities did with an update of now.
    private func broadcast(
        _ store: ChannelStore, _ channel: ChannelID, _ phone: Phone, priority: UInt8 = 10, storedFor seconds: Int64 = 0
    ) throws -> [Outcome] {
        var facts = BroadcastFacts(requestID: UUIDBytes(high: 1, low: 2))
        facts.operation = .send
        facts.channel = channel
        facts.priority = priority
        facts.expiration = seconds == 0 ? 0 : phone.time.wall().seconds + seconds
        facts.activity.event = .update
        facts.activity.timestamp = phone.time.wall().seconds
        facts.activity.hasContentState = true
        var delivery = try #require(store.publish(facts, now: phone.time.wall()))
        delivery.advance(by: 100, devices: phone.fleet, now: phone.time.wall())
        store.finish(delivery)
        return Outcome.allCases.flatMap { outcome in
            Array(repeating: outcome, count: delivery.outcomes[Int(outcome.rawValue)])
        }
    }

    @Test("the activity that a start makes hears the channel's broadcasts, from its start on")
    func listens() throws {
        let (phone, store) = (Phone(), store())
        let channel = try create(store, phone)
        let token = try listener(phone, store, channel, ahead: 10)
        #expect(store.channel(of: token) == channel && token.utf8.count == 160)
        let made = try #require(phone.fleet.record(of: token))
        #expect(made.kind == .activity && made.topic == Phone.bundle && made.environment == .sandbox)
        let activity = try #require(phone.fleet.activity(token: token, now: phone.time.wall()))
        #expect(activity.lastEvent == .start && activity.shown == 1 && activity.startedAt.seconds == phone.time.wall().seconds)
        #expect(try broadcast(store, channel, phone) == [.ignoredOlder])
        phone.time.advance(by: .seconds(10))
        #expect(try broadcast(store, channel, phone) == [.updated])
        // Eight hours after its start the system ends it, whenever its first update came.
        phone.time.advance(by: .seconds(8 * 3600 - 10))
        #expect(try broadcast(store, channel, phone) == [.ignoredEnded])
    }

    @Test("each start makes an activity of its own, and the same pushes make the same tokens")
    func tokens() throws {
        var runs: [[String]] = []
        for _ in 0..<2 {
            let (phone, store) = (Phone(), store())
            let channel = try create(store, phone)
            runs.append(try (0..<5).map { _ in try listener(phone, store, channel) })
            #expect(try broadcast(store, channel, phone) == Array(repeating: .updated, count: 5))
        }
        #expect(Set(runs[0]).count == 5 && runs[0] == runs[1])
    }

    @Test("a start without a channel, and one that does not take place, make no listener")
    func others() throws {
        let (phone, store) = (Phone { $0.budgets.starts = 1 }, store())
        let channel = try create(store, phone)
        #expect(try start(phone, nil) == nil)
        #expect(try start(phone, .channel(channel)) == nil, "the budget is spent")
    }

    @Test("the activity hears nothing when its app has no such channel in its environment")
    func unknownChannel() throws {
        let (phone, store) = (Phone(), store())
        let wanted: [InputChannel] = [
            .unreadable, .channel(ChannelID(high: 1, low: 2)),
            .channel(try create(store, phone, "com.example.other")),
            .channel(try create(store, phone, in: .production)),
        ]
        for channel in wanted {
            let start = try #require(try start(phone, channel))
            #expect(store.listen(start, devices: phone.fleet, now: phone.time.wall()) == .noSuchChannel)
        }
        #expect(phone.fleet.tokenCount == 1)
    }

    @Test("activities that listen are bounded here too, and so are tokens")
    func bounds() throws {
        let (phone, store) = (Phone(), store { $0.subscriptionLimit = 1 })
        let channel = try create(store, phone)
        _ = try listener(phone, store, channel)
        let second = try #require(try start(phone, .channel(channel)))
        #expect(store.listen(second, devices: phone.fleet, now: phone.time.wall()) == .full)
        #expect(phone.fleet.tokenCount == 2 && store.record(of: channel)?.subscribers == 1)

        let small = Phone { $0.tokenLimit = 64 }
        let roomy = self.store()
        let other = try create(roomy, small)
        small.set(kind: .start)
        var full = 0
        for _ in 0..<1_000 {
            let start = try #require(try start(small, .channel(other)))
            if roomy.listen(start, devices: small.fleet, now: small.time.wall()) == .full { full += 1 }
        }
        #expect(full >= 1_000 - 63 && small.fleet.tokenCount <= 64)
        #expect(roomy.record(of: other)?.subscribers == 1_000 - full)
    }

    @Test("it lives on the start token's device: away with it, and on its budget")
    func device() throws {
        let (phone, store) = (Phone { $0.budgets.urgentActivity = 1 }, store())
        phone.set(kind: .start, device: "phone-1")
        let channel = try create(store, phone)
        let token = try listener(phone, store, channel)
        #expect(phone.fleet.record(of: token)?.device == "phone-1")
        phone.connect(.offline)
        #expect(try broadcast(store, channel, phone) == [.discarded])
        #expect(try broadcast(store, channel, phone, storedFor: 60) == [.stored])
        phone.connect(.online)
        let late = store.catchUp(10, devices: phone.fleet, now: phone.time.wall())
        #expect(late.map(\.outcome) == [.updated])
        // That has spent the device's budget, for other activities of it as well.
        phone.time.advance(by: .seconds(61))
        _ = try listener(phone, store, channel)
        #expect(try broadcast(store, channel, phone) == [.throttled, .throttled])
        #expect(try broadcast(store, channel, phone, priority: 5) == [.updated, .updated])
    }

    @Test("what the channel holds reaches it at once")
    func held() throws {
        let (phone, store) = (Phone(), store())
        let channel = try create(store, phone)
        #expect(try broadcast(store, channel, phone, storedFor: 60) == [])
        for (ahead, outcome) in [(-5, .updated), (5, .ignoredOlder)] as [(Int64, Outcome)] {
            let start = try #require(try start(phone, .channel(channel), ahead: ahead))
            let end = store.listen(start, devices: phone.fleet, now: phone.time.wall())
            guard case .listening(_, let stored) = end else { throw Failure(.run, "it does not listen") }
            #expect(stored == outcome)
        }
    }

    @Test("a start that is delivered late names its channel then")
    func late() throws {
        let (phone, store) = (Phone(), store())
        let channel = try create(store, phone)
        phone.set(kind: .start, .offline)
        #expect(try start(phone, .channel(channel)) == nil)
        phone.connect(.online)
        let late = phone.late
        #expect(late.map(\.outcome) == [.started])
        let start = try #require(late.first?.start)
        #expect(start.channel == channel)
        _ = store.listen(start, devices: phone.fleet, now: phone.time.wall())
        #expect(try broadcast(store, channel, phone) == [.updated])
    }
}

// Channels without sockets: bounds, the walk along those who listen, and what is forgotten when.

import APNs
import Basics
import Pushes
import Synchronization
import Testing

@testable import Devices

private let app = "com.example.app"

@Suite struct ChannelStoreTests {
    let time = ManualTime()
    let phone = Phone()

    private func store(_ turn: (inout ChannelSettings) -> Void = { _ in }) -> ChannelStore {
        var settings = ChannelSettings()
        turn(&settings)
        return ChannelStore(settings: settings, seed: Seed(7))
    }

    private func create(_ store: ChannelStore, _ bundle: String = app, _ policy: StoragePolicy = .latest) -> ChannelID? {
        withBytes(of: bundle) { store.create($0, in: .sandbox, policy: policy, now: time.wall()) }
    }

    private func message(
        _ channel: ChannelID, _ event: ActivityEvent = .update, storedFor seconds: Int64 = 0
    ) -> BroadcastFacts {
        var facts = BroadcastFacts(requestID: UUIDBytes(high: 1, low: 2))
        facts.operation = .send
        facts.channel = channel
        facts.expiration = seconds == 0 ? 0 : time.wall().seconds + seconds
        facts.activity.event = event
        facts.activity.timestamp = time.wall().seconds
        facts.activity.hasContentState = true
        return facts
    }

    private func token(_ number: Int) -> String { String(repeating: "0", count: 120) + String(1_000_000 + number) + "0" }

    private func listen(_ store: ChannelStore, _ number: Int, _ channel: ChannelID) throws -> Outcome? {
        phone.fleet.set(TokenRecord(token: token(number), kind: .activity, topic: app))
        return try store.subscribe(token(number), to: channel, devices: phone.fleet, now: time.wall())
    }

    private func connect(_ number: Int, _ connection: Connection) {
        var record = TokenRecord(token: token(number), kind: .activity, topic: app)
        record.connection = connection
        #expect(phone.fleet.set(record, now: time.wall()))
    }

    @Test func `an app that gets the capability keeps its channels, and one that loses it loses them`() throws {
        let store = store()
        let channel = try #require(create(store))
        #expect(store.setEnabled(true, for: app, now: time.wall()) && store.record(of: channel)?.isDeleted == false)
        #expect(store.setEnabled(false, for: app, now: time.wall()) && store.record(of: channel)?.isDeleted != false)
    }

    @Test func `ten thousand channels of one app fit, and not one more`() throws {
        let store = store()
        var ids: Set<ChannelID> = []
        for _ in 0..<10_000 { ids.insert(try #require(create(store))) }
        #expect(ids.count == 10_000 && create(store) == nil)
        #expect(create(store, "com.example.other") != nil)
        let other = withBytes(of: app) { store.create($0, in: .production, policy: .nothing, now: time.wall()) }
        #expect(other != nil)
        let listed = withBytes(of: app) { store.channels(of: $0, in: .sandbox) }
        #expect(Set(listed) == ids)
    }

    @Test func `channels are listed in the order in which they came, of one app or of all, so many at most`() throws {
        let store = store()
        var ids: [ChannelID] = []
        for number in 0..<12 { ids.append(try #require(create(store, number % 3 == 0 ? "com.example.other" : app))) }
        #expect(store.records(limit: 12).map(\.id) == ids && store.records(limit: 5).map(\.id) == Array(ids.prefix(5)))
        let others = [ids[0], ids[3], ids[6], ids[9]]
        #expect(store.records(of: "com.example.other", limit: 12).map(\.id) == others)
        #expect(store.records(of: "com.example.other", limit: 3).map(\.id) == Array(others.prefix(3)))
        #expect(store.records(of: "com.example.nobody", limit: 12).isEmpty)
        let listed = withBytes(of: "com.example.other") { store.channels(of: $0, in: .sandbox) }
        #expect(listed == others)
    }

    @Test func `all apps together have a bound, and a deleted channel counts until its message expires`() throws {
        let store = store { $0.channelLimit = 2 }
        let first = try #require(create(store))
        _ = try listen(store, 1, first)
        _ = try #require(store.publish(message(first, storedFor: 60), now: time.wall()))
        _ = try #require(create(store, "com.example.other"))
        let isDeleted = withBytes(of: app) { store.delete(first, bundle: $0, in: .sandbox, now: time.wall()) }
        #expect(isDeleted && store.record(of: first)?.isDeleted == true)
        #expect(create(store) == nil && store.channel(of: token(1)) == first)
        time.advance(by: .seconds(60))
        #expect(create(store) != nil && store.record(of: first) == nil)
        // Nor does anybody listen to what is gone, which would take a place.
        #expect(store.channel(of: token(1)) == nil)
    }

    @Test func `the walk meets those who listened when the message was sent, each once, whoever comes and goes`() throws {
        let store = store()
        let channel = try #require(create(store))
        for number in 0..<10 { _ = try listen(store, number, channel) }
        var delivery = try #require(store.publish(message(channel), now: time.wall()))
        delivery.advance(by: 4, devices: phone.fleet, now: time.wall())
        #expect(!delivery.isDone && delivery.outcomes.reduce(0, +) == 4)
        _ = try listen(store, 10, channel)
        for number in 0..<3 { #expect(store.unsubscribe(token(number))) }
        delivery.advance(by: 100, devices: phone.fleet, now: time.wall())
        #expect(delivery.isDone && delivery.outcomes[Int(Outcome.updated.rawValue)] == 10)
        #expect(phone.fleet.activity(token: token(10)) == nil)
        store.finish(delivery)
        let record = try #require(store.record(of: channel))
        #expect(record.subscribers == 8 && record.last?.isDelivered == true)
        #expect(record.last?.outcomes[Int(Outcome.updated.rawValue)] == 10)
    }

    @Test func `an outdated walk does not touch what is told of the newer broadcast`() throws {
        let store = store()
        let channel = try #require(create(store))
        _ = try listen(store, 1, channel)
        var old = try #require(store.publish(message(channel), now: time.wall()))
        _ = store.publish(message(channel), now: time.wall())
        old.advance(by: 1, devices: phone.fleet, now: time.wall())
        store.finish(old)
        let last = try #require(store.record(of: channel)?.last)
        #expect(last.number == 2 && !last.isDelivered && last.outcomes.allSatisfy { $0 == 0 })
    }

    @Test func `only so many activities listen`() throws {
        let store = store { $0.subscriptionLimit = 2 }
        let channels = try (0..<2).map { _ in try #require(create(store)) }
        _ = try listen(store, 1, channels[0])
        _ = try listen(store, 2, channels[0])
        #expect(throws: ChannelStore.SubscriptionError.full) { try listen(store, 3, channels[0]) }
        // Moving to another channel takes no further place.
        _ = try listen(store, 2, channels[1])
        #expect(store.unsubscribe(token(1)) && !store.unsubscribe(token(1)))
        _ = try listen(store, 3, channels[0])
        #expect(store.channel(of: token(2)) == channels[1] && store.channel(of: token(1)) == nil)
    }

    @Test func `a channel that stores nothing takes twice the rate`() throws {
        let store = store { $0.broadcastsPerSecondAndChannel = 2 }
        for (policy, limit) in [(StoragePolicy.latest, 2), (.nothing, 4)] {
            let channel = try #require(create(store, app, policy))
            let admitted = (0..<9).filter { _ in store.admitsBroadcast(to: channel, now: time.wall()) }.count
            #expect(admitted == limit)
            time.advance(by: .seconds(1))
            #expect(store.admitsBroadcast(to: channel, now: time.wall()))
        }
    }

    @Test func `a broadcast to an activity that is gone reaches nobody`() throws {
        let store = store()
        let channel = try #require(create(store))
        _ = try listen(store, 1, channel)
        phone.fleet.set(TokenRecord(token: token(1), kind: .activity, topic: app, state: .expired))
        var delivery = try #require(store.publish(message(channel), now: time.wall()))
        delivery.advance(by: 1, devices: phone.fleet, now: time.wall())
        #expect(delivery.outcomes[Int(Outcome.notDelivered.rawValue)] == 1)
        phone.fleet.remove(token: token(1))
        delivery = try #require(store.publish(message(channel), now: time.wall()))
        delivery.advance(by: 1, devices: phone.fleet, now: time.wall())
        #expect(delivery.outcomes[Int(Outcome.unknownActivity.rawValue)] == 1)
    }

    @Test func `those who are away are looked at in turn, some at a time, and nobody is kept twice`() throws {
        let store = store()
        let channel = try #require(create(store))
        for number in 0..<10 {
            _ = try listen(store, number, channel)
            connect(number, .offline)
        }
        for _ in 0..<3 {
            var delivery = try #require(store.publish(message(channel, storedFor: 60), now: time.wall()))
            delivery.advance(by: 100, devices: phone.fleet, now: time.wall())
            #expect(delivery.outcomes[Int(Outcome.stored.rawValue)] == 10)
            store.finish(delivery)
        }
        connect(9, .online)
        var late: [LateBroadcast] = []
        for _ in 0..<10 { late += store.catchUp(4, devices: phone.fleet, now: time.wall()) }
        #expect(late.map(\.outcome) == [.updated])
        // What the channel held has expired: nobody waits any more.
        time.advance(by: .seconds(60))
        for _ in 0..<3 { #expect(store.catchUp(4, devices: phone.fleet, now: time.wall()).isEmpty) }
        #expect(store.state.withLock { $0.absent.count } == 0)
    }

    @Test func `ids read back what they write`() throws {
        let store = store()
        for _ in 0..<100 {
            let id = try #require(create(store))
            #expect(ChannelID(text: id.text) == id && id.text.utf8.count == 24)
        }
        for text in ["", "AAAA", "not base64 at all!!!!!!!", String(repeating: "A", count: 24)] {
            #expect(ChannelID(text: text) == nil)
        }
    }
}

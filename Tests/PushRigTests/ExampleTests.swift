// How a test of a relay's own looks with PushRig. `TinyRelay` stands for the relay; the rest is yours to copy.

import PushRig
import Testing

@Suite struct `A relay that is tested with PushRig` {
    private let phone = String(repeating: "a1", count: 32)

    @Test func `shows its alerts on the phone`() async throws {
        let mock = try MockServer()
        let relay = try TinyRelay(mock)
        try relay.register(phone)

        try relay.notifyAll("Build finished")

        let push = try await mock.waitForPush(token: phone)
        #expect(push.status == 200 && push.outcome == "shown")
        #expect(push.string(at: "/aps/alert/title") == "Build finished")
        await mock.stop()
    }

    @Test func `sends no push to a phone after Apple has called it unregistered`() async throws {
        let mock = try MockServer()
        let relay = try TinyRelay(mock)
        try relay.register(phone)
        try mock.setToken(phone, state: .unregistered)

        try relay.notifyAll("Build started")
        try relay.notifyAll("Build finished")

        let pushes = try mock.pushes()
        #expect(pushes.map(\.reason) == ["Unregistered"])
        await mock.stop()
    }

    @Test func `keeps a phone that was registered after its old token had died`() async throws {
        let mock = try MockServer()
        let relay = try TinyRelay(mock)
        try relay.register(phone)
        try mock.fault(Fault(.respondUnregisteredBeforeRegistration, token: phone, times: 1))

        try relay.notifyAll("Build started")
        try relay.notifyAll("Build finished")

        #expect(try mock.pushes().map(\.status) == [410, 200])
        await mock.stop()
    }

    @Test func `asks again when Apple is too busy`() async throws {
        let mock = try MockServer()
        let relay = try TinyRelay(mock)
        try relay.register(phone)
        let busy = try mock.fault(Fault(.respond("TooManyRequests"), fraction: 1, times: 2))

        try relay.notifyAll("Build finished")

        let shown = try await mock.waitForPush(token: phone) { $0.status == 200 }
        #expect(shown.outcome == "shown")
        #expect(try mock.pushes().map(\.fault) == [busy, busy, nil])
        await mock.stop()
    }
}

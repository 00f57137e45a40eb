// The closed-loop bench against real sockets.

import Basics
import HTTP
import Metrics
import Net
import Testing

@testable import LoadGenerator

@Suite(.serialized)
struct BenchTests {
    private func options(_ target: Origin) -> BenchOptions {
        var options = BenchOptions(target: target)
        options.connections = 3
        options.streams = 10
        options.requests = 1_000
        options.body = BenchOptions.alertBody(bytes: 250)
        options.fields = [(name: "Apns-Topic", value: "com.example.app")]
        options.bearer = "token"
        return options
    }

    @Test(arguments: [true, false]) func `it makes exactly the requests it was asked for`(isHTTP2: Bool) throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        var options = options(relay.origin)
        options.isHTTP2 = isHTTP2
        let result = try Bench.run(options)
        #expect(result.answered == 1_000 && result.failed == 0 && result.refused == 0)
        #expect(result.statuses.map(\.status) == [200] && result.statuses.map(\.count) == [1_000])
        #expect(result.latency.count == 1_000)
        #expect(result.bytesReceived == 2_000)
        #expect(result.elapsed > .zero && result.cpuUser + result.cpuSystem > .zero)
        #expect(relay.requests.count == 1_000)
    }

    @Test func `every request has a device token of its own`() throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        _ = try Bench.run(options(relay.origin))
        let paths = relay.requests.map(\.path)
        #expect(Set(paths).count == 1_000)
        #expect(paths.allSatisfy { $0.hasPrefix("/3/device/") && $0.count == 10 + 64 })
    }

    @Test func `every request has the fields that were asked for, and the bearer's`() throws {
        let slot = BenchSlot(BenchRequest(options(try TinyRelay.nowhere())), like: nil, seed: Seed(1)) { _, _ in }
        defer { slot.forget() }
        #expect(slot.request.head.text("authorization") == "bearer token")
        #expect(slot.request.head.text("apns-topic") == "com.example.app")
        #expect(slot.request.head.text(":method") == "POST" && slot.request.body.count == 250)
    }

    @Test func `a path without a token stays as it is`() throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        var options = options(relay.origin)
        options.path = "/fixed"
        _ = try Bench.run(options)
        #expect(Set(relay.requests.map(\.path)) == ["/fixed"])
        #expect(Set(relay.requests.map(\.body.utf8.count)) == [250])
    }

    @Test func `loops share the work`() throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        var options = options(relay.origin)
        options.loops = 2
        options.requests = 999
        #expect(try Bench.run(options).answered == 999)
        #expect(relay.requests.count == 999)
    }

    @Test func `a duration ends it`() throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        var options = options(relay.origin)
        options.requests = nil
        options.duration = .milliseconds(200)
        let result = try Bench.run(options)
        #expect(result.answered > 0)
        #expect(result.elapsed < .seconds(2))
    }

    @Test func `what is under way at its end is awaited, and nothing more is asked`() throws {
        let relay = try TinyRelay(.late(.seconds(1)))
        defer { relay.stop() }
        var options = options(relay.origin)
        options.requests = nil
        options.duration = .milliseconds(300)
        (options.connections, options.streams) = (1, 1)
        let result = try Bench.run(options)
        #expect(result.answered == 1 && result.statuses.map(\.status) == [200])
        #expect(relay.requests.count == 1)
    }

    @Test func `refusals are counted by status`() throws {
        let relay = try TinyRelay(.answer(410))
        defer { relay.stop() }
        let result = try Bench.run(options(relay.origin))
        #expect(result.refused == 1_000)
        #expect(result.statuses.map(\.status) == [410])
        #expect(result.refusals.map(\.status) == [410] && result.refusals.map(\.count) == [1_000])
        #expect(result.refusals.first?.body.utf8.count == result.bytesReceived / 1_000)
    }

    @Test func `a peer that is not there is told in one line`() throws {
        var options = options(try TinyRelay.nowhere())
        options.requests = 5
        #expect(throws: Failure.self) { try Bench.run(options) }
    }

    @Test func `a peer that was never there is given up long before the time is over`() throws {
        var options = options(try TinyRelay.nowhere())
        (options.requests, options.duration) = (nil, .seconds(20))
        (options.connections, options.streams) = (1, 1)
        let took = ContinuousClock().measure { #expect(throws: Failure.self) { try Bench.run(options) } }
        #expect(took < .seconds(15))
    }

    @Test func `an answer is awaited for thirty seconds, or as long as was asked for`() throws {
        let relay = try TinyRelay(.silence)
        defer { relay.stop() }
        var options = options(relay.origin)
        #expect(options.requestTimeout == .seconds(30))
        options.requests = 5
        options.requestTimeout = .milliseconds(50)
        #expect(throws: Failure.self) { try Bench.run(options) }
        #expect(relay.requests.count == 5)
    }

    @Test(arguments: [29, 30, 250, 1_500]) func `a body has the size that was asked for`(count: Int) throws {
        let body = BenchOptions.alertBody(bytes: count)
        #expect(body.count == count)
        #expect(try JSONValue(parsing: body.span)["aps"]?["alert"]?["body"]?.string?.utf8.count == count - 29)
    }
}

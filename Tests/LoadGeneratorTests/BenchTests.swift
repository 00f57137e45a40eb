// The bench against real sockets.

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
        let slot = BenchSlot(BenchRequest(options(try TinyRelay.nowhere())), like: nil) { _, _ in }
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
        var options = try options(TinyRelay.nowhere())
        options.body = BenchOptions.alertBody(bytes: count)
        let slot = BenchSlot(BenchRequest(options), like: nil) { _, _ in }
        defer { slot.forget() }
        for number in 0..<5 {
            slot.renew(number)
            #expect(slot.request.body.count == count)
            let body = slot.request.body.array()
            let json = try JSONValue(parsing: body.span)
            #expect(json["aps"]?["alert"]?["body"]?.string?.utf8.count == count - 29)
        }
    }

    @Test func `every request has a body of its own, over all loops, and the same ones by the same seed`() throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        var options = options(relay.origin)
        options.loops = 2
        options.path = "/{number}/{token}/{uuid}"
        options.body = Array(#"{"aps":{},"t":"{token}","x":"{text:5}"}"#.utf8)
        _ = try Bench.run(options)
        let first = relay.requests
        #expect(Set(first.map(\.body)).count == 1_000 && Set(first.map(\.path)).count == 1_000)
        #expect(Set(first.compactMap { $0.path.split(separator: "/").first.map(String.init) }) == Set((0..<1_000).map { "\($0)" }))
        // The token of the path is the body's.
        #expect(first.allSatisfy { $0.body.contains(#""t":"\#($0.path.split(separator: "/")[1])","#) })
        _ = try Bench.run(options)
        #expect(Set(relay.requests.suffix(1_000).map(\.body)) == Set(first.map(\.body)))
    }

    @Test func `tokens are drawn from as many as were asked for, and repeated requests are all the same`() throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        var options = options(relay.origin)
        options.tokens = 7
        #expect(options.traffic == "paths each its own, bodies of 250 B each its own, 7 tokens")
        _ = try Bench.run(options)
        #expect(Set(relay.requests.map(\.path)).count == 7 && Set(relay.requests.map(\.body)).count == 1_000)
        options.repeats = true
        #expect(options.traffic == "paths all the same, bodies of 250 B all the same")
        _ = try Bench.run(options)
        let last = relay.requests.suffix(1_000)
        #expect(Set(last.map(\.path)).count == 1 && Set(last.map(\.body)).count == 1)
    }

    @Test(arguments: [
        ("{token", "{token"), ("{text:x}", "{text:x}"), ("{text:-1}", "{text:-1}"), ("{text:99999999}", "{text:99999999}"),
        ("{text:0}", ""), (#"{"a":{}}"#, #"{"a":{}}"#), ("{{number}}", "{7}"), ("", ""),
    ]) func `only a hole is filled`(text: String, filled: String) {
        let buffer = ByteBuffer()
        var fill = BenchFill(number: 7, token: Seed(1), generator: Seed(2).generator())
        BenchText(Array(text.utf8)).write(into: buffer, &fill)
        #expect(buffer.text == filled)
    }

    @Test(arguments: [1, 3]) func `a rate is kept, and tells what was late by us`(loops: Int) throws {
        let relay = try TinyRelay()
        defer { relay.stop() }
        var options = options(relay.origin)
        (options.requests, options.duration, options.rate, options.loops) = (nil, .milliseconds(500), 200, loops)
        let result = try Bench.run(options)
        #expect(result.answered == 100 && result.unsent == 0 && relay.requests.count == 100)
        #expect(result.lateness.count > 0 && result.latency.count == 100)
        #expect(result.elapsed > .milliseconds(450))
    }

    @Test func `latency counts from the planned instant, and what no time was left for is told`() throws {
        let relay = try TinyRelay(.late(.milliseconds(100)))
        defer { relay.stop() }
        var options = options(relay.origin)
        (options.connections, options.streams, options.requests) = (1, 1, nil)
        (options.duration, options.rate) = (.milliseconds(450), 100)
        let result = try Bench.run(options)
        // One in 100 ms goes of ten that are due; the fifth was due 40 ms after the start, and was answered 500 ms after it.
        #expect(result.answered + result.unsent == 45 && 3...5 ~= result.answered)
        #expect(result.latency.max > Interval.milliseconds(330).nanoseconds)
        // None but the first found a free slot.
        #expect(result.lateness.count == 1)
    }

    @Test func `a pace is the rate's over all loops`() {
        let start = Instant(nanoseconds: 5)
        let paces = (0..<3).map { BenchPace(rate: 1_000, index: $0, of: 3, start: start) }
        let all = (0..<4).flatMap { position in paces.map { ($0.instant(position) - start).nanoseconds } }
        #expect(all == (0..<12).map { Int64($0) * 1_000_000 })
        #expect(paces.map { $0.count(before: start + .milliseconds(10)) } == [4, 3, 3])
        #expect(paces[2].count(before: start) == 0)
    }
}

// Where load generators meet at the admin API: who is told when, and who must not begin.

import Basics
import EventLoop
import Testing

@testable import MockServer

@Suite struct BarrierTests {
    private let now = WallTime(seconds: 1_800_000_000)

    private func come(
        _ barriers: inout Barriers, _ shard: Int, of count: Int = 2, run: String = "r", claim: String? = nil, plan: String = "p",
        after: Interval = .zero
    ) -> String {
        do throws(AdminError) {
            let barrier = try barriers.come(
                run, count, shard: shard, claim: claim ?? "c\(shard)", plan: plan, now: now + after)
            return barrier.startAt.map { "starts \($0 - now)" } ?? "waits"
        } catch {
            return error.code
        }
    }

    @Test func `all are told one start, behind the coming of the last`() {
        var barriers = Barriers()
        #expect(come(&barriers, 0) == "waits")
        #expect(come(&barriers, 0) == "waits", "asked again")
        #expect(come(&barriers, 1, after: .seconds(3)) == "starts 5s")
        #expect(come(&barriers, 0, after: .seconds(4)) == "starts 5s")
        #expect(come(&barriers, 0, run: "another") == "waits")
    }

    @Test func `who is late, double or mixed is told so`() {
        var barriers = Barriers()
        _ = come(&barriers, 0)
        #expect(come(&barriers, 0, claim: "another") == "double")
        #expect(come(&barriers, 1, plan: "another") == "mixed")
        #expect(come(&barriers, 1, of: 3) == "mixed")
        _ = come(&barriers, 1)
        #expect(come(&barriers, 1, claim: "another", after: .seconds(9)) == "double")
        #expect(barriers.start(of: "r") == now + Barriers.lead)
    }

    @Test func `who comes when another has given up does not begin alone`() {
        var barriers = Barriers()
        #expect(come(&barriers, 0) == "waits")
        #expect(come(&barriers, 1, after: Barriers.absence + .seconds(1)) == "late")
        #expect(come(&barriers, 0, after: Barriers.absence + .seconds(2)) == "waits")
        #expect(come(&barriers, 1, after: Barriers.absence + .seconds(3)) == "starts 20s")
    }

    @Test func `the oldest of many runs is forgotten`() {
        var barriers = Barriers()
        for number in 0...Barriers.most { _ = come(&barriers, 0, of: 1, run: "r\(number)") }
        #expect(barriers.start(of: "r0") == nil)
        #expect(barriers.start(of: "r1") != nil)
    }

    @Test func `the admin API tells its journal's clock, and puts the start on record`() throws {
        try withMock { mock in
            let before = (SystemTime().wall().nanoseconds / 1_000)
            let told = try mock.admin.ask("GET", "/v1/barrier").json
            let clock = try #require(told["nowMicroseconds"]?.int)
            #expect(clock >= before - 1_000_000 && clock <= (SystemTime().wall().nanoseconds / 1_000) + 1_000_000)
            // Whoever sets the mock's clock changes nothing here.
            let json = [("content-type", "application/json")]
            _ = try mock.admin.ask("PUT", "/v1/clock", json, body: #"{"advance":"8h"}"#)
            #expect(try #require(mock.admin.ask("GET", "/v1/barrier").json["nowMicroseconds"]?.int) < clock + 60_000_000)
            let body = { (shard: Int) in #"{"shard":\#(shard),"claim":"c\#(shard)","plan":"p"}"# }
            let first = try mock.admin.ask("POST", "/v1/barrier/run-1/2", json, body: body(0)).json
            #expect(first["here"] == 1 && first["missing"] == [1] && first["startAtMicroseconds"] == .null, "\(first.text)")
            let second = try mock.admin.ask("POST", "/v1/barrier/run-1/2", json, body: body(1)).json
            #expect(try #require(second["startAtMicroseconds"]?.int) > clock)
            #expect(second["journal"] == told["journal"])
            let late = try mock.admin.ask("POST", "/v1/barrier/run-1/2", json, body: #"{"shard":0,"claim":"x","plan":"p"}"#)
            #expect(late.status == 409 && late.json["error"]?["code"] == "double", "\(late.text)")
            for (path, wrong) in [
                ("/v1/barrier/run-1/0", body(0)), ("/v1/barrier/run-1/x", body(0)), ("/v1/barrier/r/2", body(2)),
                ("/v1/barrier/r/2", #"{"shard":0}"#),
            ] {
                #expect(try mock.admin.ask("POST", path, json, body: wrong).status == 400, "\(path) \(wrong)")
            }
        }
    }
}

// A value that does not fit where it would stand never reaches the wire: the event is withheld, and the record says why.

import Basics
import Journal
import Metrics
@testable import LoadGenerator
import PlanKnobs
import Scenarios
import Testing

@Suite struct MisfitTests {
    private func drive(_ change: (inout ProfileCall) -> Void, text: String) throws -> (relay: TinyRelay, drive: Drive) {
        var call = Knobs.call("one")
        change(&call)
        let relay = try TinyRelay()
        let plan = Knobs.plan(
            Knobs.scenario(
                arrivals: [.constant(rate: 1, duration: .seconds(1))], steps: [Knobs.step(0, .at(.constant(0)), text: [text])],
                calls: [call]))
        return (relay, try Drive(plan, at: relay.origin))
    }

    @Test(arguments: ["a\r\nx-evil: 1", "a\nb", "a\rb", "a\u{0}b"])
    func `a header that would hold the end of a line is not sent`(text: String) throws {
        let (relay, drive) = try drive({ $0.fields.append((name: "x-title", value: Knobs.hole(.own(0)))) }, text: text)
        #expect(relay.requests.isEmpty)
        #expect(drive.events.map(\.failure) == [EventFailure.withheld.rawValue])
        #expect(drive.events.map { String(decoding: $0.answer, as: UTF8.self) } == [
            "the header `x-title` would hold a control character"
        ])
        #expect(drive.isDone && drive.snapshot.sent == 0)
    }

    @Test func `a header with a tab is sent`() throws {
        let (relay, drive) = try drive({ $0.fields.append((name: "x-title", value: Knobs.hole(.own(0)))) }, text: "a\tb")
        #expect(relay.requests.count == 1 && drive.snapshot.sent == 1)
    }

    @Test func `a path that would hold a blank is not sent`() throws {
        let (relay, drive) = try drive(
            { $0.path = Template(segments: [.literal([47]), .variable(.own(0), .raw)]) }, text: "a b")
        #expect(relay.requests.isEmpty)
        #expect(drive.events.map { String(decoding: $0.answer, as: UTF8.self) } == [
            "its path would hold a blank or a control character"
        ])
    }

    @Test func `a part that holds the boundary is not sent`() throws {
        let boundary = MultipartSpec.boundary(of: "test")
        let change: (inout ProfileCall) -> Void = { call in
            call.body = Template(segments: [
                .literal(Array("--".utf8) + boundary), .variable(.own(0), .raw), .literal(Array("\r\n--".utf8) + boundary),
            ])
            call.multipart = MultipartSpec(boundary: boundary, conditions: [nil])
        }
        let (relay, drive) = try drive(change, text: "--" + String(decoding: boundary, as: UTF8.self))
        #expect(relay.requests.isEmpty)
        #expect(drive.events.map { String(decoding: $0.answer, as: UTF8.self) } == [
            "a field would hold what parts the fields of its multipart body"
        ])
        #expect(try self.drive(change, text: "harmless").relay.requests.count == 1)
    }
}

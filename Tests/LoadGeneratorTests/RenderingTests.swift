// Events become requests.

import Basics
import HTTP
import Metrics
import Net
@testable import Planning
import PlanKnobs
import Pushes
import Scenarios
import Testing

@testable import LoadGenerator

struct RenderingTests {
    private func render(
        _ plan: Plan, session: Int = 0, step: Int = 0, into request: OutgoingRequest = OutgoingRequest()
    )
        -> OutgoingRequest
    {
        let session = plan.session(session)
        RelayDriver(plan.workload).render(session.events[step], script: UInt16(session.script), into: request)
        return request
    }

    private func value(_ variable: TemplateVariable, _ encoding: TemplateEncoding, step: Int = 0) -> String {
        let plan = Knobs.plan()
        let values = EventValues(plan.workload)
        values.choose(plan.session(3).events[step], script: 0)
        let buffer = ByteBuffer()
        values.append(variable, encoding, into: buffer)
        return buffer.text
    }

    @Test func `a call is rendered with method, path, fields and body`() throws {
        let plan = Knobs.plan()
        let request = render(plan, session: 2, step: 4)
        let head = request.head
        #expect(head.text(":method") == "POST")
        #expect(head.text(":path") == "/v1/progress")
        #expect(head.text("content-type") == "application/json")
        #expect(head.count == 3)
        let body = try JSONValue(parsing: request.body.text)
        let identity = plan.session(2).identity
        #expect(body["secret"]?.string == identity.secret)
        #expect(body["sessionID"]?.string == identity.sessionID)
        #expect(body["text"]?.string == Marker(run: 7, session: 2, step: 4).text + " hello")
    }

    @Test func `a request used again holds nothing of the one before`() {
        let plan = Knobs.plan()
        let request = render(plan, session: 19, step: 8)
        let again = render(plan, session: 1, step: 0, into: request).body.text
        #expect(again == render(plan, session: 1, step: 0).body.text)
        #expect(request.head.count == 3)
    }

    @Test func `a body alone is that of the request, whatever its buffer held before`() {
        let plan = Knobs.plan()
        let values = EventValues(plan.workload)
        let buffer = ByteBuffer()
        for step in [4, 9, 0] {
            let session = plan.session(2)
            let event = session.events[step]
            values.renderBody(
                plan.workload.profile.calls[event.call], of: event, script: UInt16(session.script), into: buffer)
            #expect(buffer.text == render(plan, session: 2, step: step).body.text)
        }
    }

    @Test func `each event has a UUID of its own, the same whenever it is made`() throws {
        let uuids = (0..<9).map { value(.event(.uuid), .raw, step: $0) }
        #expect(Set(uuids).count == 9 && uuids == (0..<9).map { value(.event(.uuid), .raw, step: $0) })
        for text in uuids {
            let parts = text.split(separator: "-")
            let variant = try #require(parts[3].first)
            #expect(parts.map(\.count) == [8, 4, 4, 4, 12] && parts[2].first == "4" && "89ab".contains(variant))
        }
        #expect(value(.event(.uuid), .jsonValue) == "\"\(uuids[0])\"")
    }

    @Test func `the correlator finds the marker again`() {
        let plan = Knobs.plan(Knobs.scenario(maxSessions: 5), run: 0xFFFF_FFFF)
        let body = render(plan, session: 4, step: 9).body
        let found = Marker.find(in: body.bytes, run: 0xFFFF_FFFF)
        #expect(found?.session == 4 && found?.step == 9)
    }

    @Test func `variables are written in every encoding`() {
        #expect(value(.session(.session), .raw) == "3")
        #expect(value(.session(.run), .raw) == "00000007")
        #expect(value(.session(.topic), .jsonValue) == #""com.example.app""#)
        #expect(value(.event(.step), .raw, step: 8) == "8")
        #expect(value(.event(.marker), .url) == "%5Bpr%3A00000007%3A3%3A0%5D")
        #expect(value(.own(0), .jsonValue) == #""hello""#)
    }

    @Test func `a null value leaves its member out`() {
        var steps = Knobs.steps
        steps[0].values = [StepValue(choices: [.null])]
        let text = render(Knobs.plan(Knobs.scenario(steps: steps))).body.text
        #expect(!text.contains("text"))
    }

    @Test func `an event chooses the same value whoever asks and in whatever order`() {
        let steps = [
            Knobs.step(
                3, .at(.constant(0)), repeating: Repetition(every: .constant(1), limit: .count(.constant(300))),
                text: ["a", "b", "c"])
        ]
        let plan = Knobs.plan(Knobs.scenario(steps: steps))
        let session = plan.session(1)
        let texts = session.events.map { plan.text(.own(0), of: $0, script: 0) }
        #expect(session.events.reversed().map { plan.text(.own(0), of: $0, script: 0) } == texts.reversed())
        for letter in ["a", "b", "c"] { #expect(70...130 ~= texts.filter { $0 == letter }.count) }
    }
}

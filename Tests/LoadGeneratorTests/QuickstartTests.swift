// The scenario everyone runs first, planned.

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

struct QuickstartTests {
    private func plan() throws -> Plan {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let scenario = try Scenario.load(path: root + "/Scenarios/quickstart.yaml")
        return Knobs.plan(scenario, seed: scenario.seed ?? 1)
    }

    @Test func `it has the sessions its gates ask for`() throws {
        let plan = try plan()
        let summary = plan.summary
        #expect(summary.sessions == plan.scenario.workload.maxSessions)
        #expect(summary.peakSessions >= 2_000)
        #expect(Double(summary.events) / summary.duration.seconds >= 300)
        #expect(summary.expectedPushes > summary.sessions * 3)
    }

    @Test func `every session has one last state, and one start`() throws {
        let plan = try plan()
        for index in 0..<50 {
            let found = plan.account(index, origin: Instant(nanoseconds: 0)).rows
            // The end, and with it the alert that announces it.
            #expect(found.filter(\.isFinal).map(\.event) == [.end])
            #expect(found.filter { $0.event == .start }.count == 1)
        }
    }

    @Test func `every call renders to JSON that carries its marker`() throws {
        let plan = try plan()
        let driver = RelayDriver(plan.workload)
        let request = OutgoingRequest()
        for session in (0..<20).map(plan.session) {
            for event in session.events {
                driver.render(event, script: UInt16(session.script), into: request)
                let body = request.body
                #expect(request.head.text("content-type")?.contains("json") == true)
                let json = try JSONValue(parsing: body.bytes)
                #expect(json["secret"]?.string == session.identity.secret)
                guard !plan.scenario.relay.profile.calls[event.call].pushes.isEmpty else { continue }
                let found = Marker.find(in: body.bytes, run: plan.run)
                #expect(found?.session == event.session && found?.step == event.step)
            }
        }
    }
}

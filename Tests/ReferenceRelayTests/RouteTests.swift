// The endpoints of each dialect, most of them the kit's, and the members of bodies that dialects share.

import Basics
import Testing

@testable import ReferenceRelay

@Suite struct RouteTests {
    private func paths(_ dialect: any Dialect) -> [String] { dialect.routes.map { "\($0.method) \($0.path)" } }

    @Test func relaysLikeOpenCodesHaveItsSevenEndpoints() {
        let seven = [
            "POST /v1/event", "POST /v1/device/register", "POST /v1/device/unregister", "POST /v1/activity/register",
            "POST /v1/activity/unregister", "GET /health", "GET /",
        ]
        #expect(paths(OpenCodeDialect(variant: .plan, defects: [])) == seven)
        #expect(paths(OpenCodeIOSDialect(defects: [])) == seven)
    }

    @Test func epiloguesServerHasThoseOfItsApp() {
        let calls = ["register-device", "start-session", "register-activity", "update-content", "end-session"]
        #expect(paths(EpilogueDialect(defects: [])) == calls.map { "POST /v1/" + $0 } + ["GET /health"])
    }

    private func fields(_ text: String) throws -> RequestFields { try RequestFields(Array(text.utf8).span) }

    @Test func whatIsLeftOutIsNilAndNullTakesATextAway() throws {
        let some = try fields(#"{"gone":null,"text":"","flag":false,"count":0,"time":0}"#)
        #expect(try some.clearable("gone") == .some(nil) && some.clearable("text") == .some("") && some.clearable("x") == nil)
        #expect(try some.string("text") == "" && some.flag("flag") == false && some.count("count") == 0)
        #expect(try some.referenceTime("time") == 0 && some.string("x") == nil && some.flag("x") == nil)
    }

    @Test func whatDoesNotFitIsRefused() throws {
        let wrong = try fields(#"{"text":1,"flag":"true","count":-1,"half":0.5,"time":-1,"late":1e11,"long":"abc"}"#)
        #expect(throws: InvalidBody.self) { try wrong.clearable("text") }
        #expect(throws: InvalidBody.self) { try wrong.string("text") }
        #expect(throws: InvalidBody.self) { try wrong.string("long", 1...2) }
        #expect(throws: InvalidBody.self) { try wrong.flag("flag") }
        #expect(throws: InvalidBody.self) { try wrong.count("count") }
        #expect(throws: InvalidBody.self) { try wrong.count("half") }
        #expect(throws: InvalidBody.self) { try wrong.referenceTime("time") }
        #expect(throws: InvalidBody.self) { try wrong.referenceTime("late") }
        #expect(throws: InvalidBody.self) { try wrong.number("half", 1...2) }
    }
}

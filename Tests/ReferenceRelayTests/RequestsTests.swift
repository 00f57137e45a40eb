import Basics
import Pushes
import TLS
import Testing

@testable import ReferenceRelay

@Suite struct RequestsTests {
    private func event(_ text: String) throws -> RelayEvent { try Requests.event(Array(text.utf8).span) }

    private let valid =
        #"{"secret":"x","serverID":"ab","eventType":"progress","sessionID":"s1","title":"T","body":"B","contentState":"#
        + #"{"status":"retry","sessionTitle":"T2","lastMessage":"M","retryInfo":"Retry 2/5 in 8s"}}"#

    private func expectInvalid(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(throws: InvalidBody.self, "\(text)", sourceLocation: sourceLocation) { try event(text) }
    }

    @Test func aWholeEventIsRead() throws {
        let whole = try event(valid)
        #expect(whole.type == .progress)
        #expect(whole.sessionID == "s1")
        let event = try #require(whole.content as? OpenCodeEvent)
        #expect(event.serverID == "ab")
        #expect(event.alertTitle == "T")
        #expect(event.alertBody == "B")
        let state = event.state
        #expect((state.status, state.title, state.message, state.retryInfo) == (.retry, "T2", "M", "Retry 2/5 in 8s"))
        #expect(whole.secret.hex == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881")
    }

    @Test func theOlderRevisionsEventIsRead() throws {
        let older = try event(#"{"secret":"x","eventType":"complete","sessionID":"s1"}"#)
        let event = try #require(older.content as? OpenCodeEvent)
        #expect(event.serverID == nil)
        #expect(event.alertTitle == "Session complete")
        #expect(!event.alertBody.isEmpty)
    }

    @Test func unknownMembersAreIgnored() throws {
        _ = try event(valid.replacing("\"title\"", with: "\"future\":{\"a\":[1]},\"title\""))
        _ = try event(valid.replacing("\"status\"", with: "\"future\":1,\"status\""))
    }

    @Test func whatDoesNotFitTheSchemaIsRefused() {
        expectInvalid("")
        expectInvalid("{")
        expectInvalid("[]")
        expectInvalid(valid + "x")
        expectInvalid(valid.replacing("\"progress\"", with: "\"update\""))
        expectInvalid(valid.replacing("\"progress\"", with: "null"))
        expectInvalid(valid.replacing("\"secret\":\"x\",", with: ""))
        expectInvalid(valid.replacing("\"secret\":\"x\"", with: "\"secret\":\"\""))
        expectInvalid(valid.replacing("\"sessionID\":\"s1\"", with: "\"sessionID\":5"))
        expectInvalid(valid.replacing("\"sessionID\":\"s1\"", with: "\"sessionID\":\"\""))
        expectInvalid(valid.replacing("\"body\":\"B\"", with: "\"body\":\"\""))
        expectInvalid(valid.replacing("\"body\":\"B\"", with: "\"body\":null"))
        expectInvalid(valid.replacing("\"status\":\"retry\"", with: "\"status\":\"sleeping\""))
        expectInvalid(valid.replacing("\"lastMessage\":\"M\"", with: "\"lastMessage\":7"))
        expectInvalid(#"{"secret":"x","eventType":"complete","sessionID":"s1","contentState":"text"}"#)
    }

    @Test func idsLongerThanTheirColumnAreRefused() throws {
        let fits = String(repeating: "漢", count: 255)
        _ = try event(valid.replacing("\"s1\"", with: "\"\(fits)\""))
        expectInvalid(valid.replacing("\"s1\"", with: "\"\(fits)漢\""))
        let token = String(repeating: "a", count: 256)
        #expect(throws: InvalidBody.self) {
            try Requests.registerDevice(Array(#"{"secret":"x","deviceToken":"\#(token)"}"#.utf8).span)
        }
    }

    @Test func deviceRegistrationsHaveTheirDefaults() throws {
        let plain = try Requests.registerDevice(Array(#"{"secret":"x","deviceToken":"ab12"}"#.utf8).span)
        #expect(plain.environment == .production)
        #expect(plain.bundleID == nil)
        #expect(plain.startToken == nil)
        let text =
            #"{"secret":"x","deviceToken":"ab12","bundleId":"com.x","apnsEnv":"sandbox","pushToStartToken":"cd"}"#
        let full = try Requests.registerDevice(Array(text.utf8).span)
        #expect(full.environment == .sandbox)
        #expect(full.bundleID == "com.x")
        #expect(full.startToken == "cd")
        let lost = try Requests.registerDevice(
            Array(#"{"secret":"x","deviceToken":"ab12","pushToStartToken":null}"#.utf8).span)
        #expect(lost.startToken == nil)
    }

    @Test(arguments: ["a/b", "a b", "a?b", "a\\r\\nx", "é", ".%2e"])
    func aTokenThatWouldBreakAPathIsRefused(token: String) {
        #expect(throws: InvalidBody.self) {
            try Requests.registerDevice(Array(#"{"secret":"x","deviceToken":"\#(token)"}"#.utf8).span)
        }
        #expect(throws: InvalidBody.self) {
            try Requests.registerActivity(
                Array(#"{"secret":"x","sessionID":"s","activityToken":"\#(token)"}"#.utf8).span)
        }
    }

    @Test func anUnknownEnvironmentIsRefused() {
        #expect(throws: InvalidBody.self) {
            try Requests.registerDevice(Array(#"{"secret":"x","deviceToken":"ab","apnsEnv":"test"}"#.utf8).span)
        }
    }
}

import Basics
import Testing

@testable import ReferenceRelay

@Suite struct PayloadTests {
    private let writer = PayloadWriter(variant: .plan)

    private func event(
        title: String? = "Fix the roof", body: String? = "Working on it", session: String = "s1",
        type: EventType = .permission
    ) -> OpenCodeEvent {
        OpenCodeEvent(
            type: type, sessionID: session, serverID: "0123456789abcdef", title: title, body: body)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func anAlertIsAsTheOriginalSendsIt() {
        #expect(
            text(writer.alert(event()))
                == #"{"aps":{"alert":{"title":"Fix the roof","body":"Working on it"},"sound":"alert.wav"},"#
                + #""serverID":"0123456789abcdef","eventType":"permission","sessionID":"s1"}"#)
    }

    @Test func aStartHasAttributesAlertAndItsRequestForAToken() {
        let state = event().startState
        #expect(
            text(writer.start(state, sessionID: "s1", stamp: 1_760_000_000, alert: event()))
                == #"{"aps":{"timestamp":1760000000,"event":"start","content-state":{"status":"working","#
                + #""sessionTitle":"Fix the roof","lastMessage":"Working on it","retryInfo":null},"#
                + #""attributes-type":"SessionActivityAttributes","attributes":{"sessionId":"s1"},"#
                + #""input-push-token":1,"alert":{"title":"Fix the roof","body":"Working on it"}}}"#)
    }

    @Test func aContentStateHasAlwaysItsFourKeys() throws {
        for type in [EventType.progress, .permission, .complete, .error] {
            let payload = writer.update(
                event(title: nil, body: nil, type: type).state, isFinal: type.isFinal, stamp: 5)
            let aps = try JSONValue(parsing: payload.span)["aps"]
            #expect(aps?["content-state"]?.object?.keys == ["status", "sessionTitle", "lastMessage", "retryInfo"])
            #expect(aps?["event"]?.string == (type == .complete || type == .error ? "end" : "update"))
        }
    }

    @Test func theWidgetVariantWrapsTheStateAsText() throws {
        let widget = PayloadWriter(variant: .widget)
        let payload = widget.start(event().startState, sessionID: "s\"1", stamp: 5, alert: event())
        let aps = try JSONValue(parsing: payload.span)["aps"]
        #expect(aps?["attributes-type"] == "LiveActivityAttributes")
        #expect(aps?["content-state"]?["name"] == "SessionActivity")
        let props = try JSONValue(parsing: aps?["content-state"]?["props"]?.string ?? "")
        #expect(props["status"] == "working")
        #expect(props["sessionTitle"] == "Fix the roof")
    }

    @Test(arguments: ["a", "é", "漢", "🍎", "👩‍👩‍👧‍👦", "\u{1}", "\"", "\\", "\n"])
    func payloadsFitWhateverTheirTextsAreMadeOf(character: String) throws {
        let long = String(repeating: character, count: 5_000)
        let id = String(repeating: character.first!.unicodeScalars.count == 1 ? character : "x", count: 255)
        for variant in [ActivityVariant.plan, .widget] {
            let writer = PayloadWriter(variant: variant)
            let event = event(title: long, body: long, session: id, type: .progress)
            var retry = event
            retry.status = .retry
            retry.retryInfo = long
            for payload in [
                writer.alert(event), writer.update(retry.state, isFinal: false, stamp: 5),
                writer.start(event.startState, sessionID: id, stamp: 5, alert: event),
            ] {
                #expect(payload.count < 4_096)
                _ = try JSONValue(parsing: payload.span)
            }
        }
    }

    @Test func aLastMessageHasAtMost120Characters() {
        #expect(shortened(String(repeating: "x", count: 120), to: 120).count == 120)
        let cut = shortened(String(repeating: "x", count: 121), to: 120)
        #expect(cut.count == 120 && cut.hasSuffix("x…"))
        let family = shortened(String(repeating: "👩‍👩‍👧‍👦", count: 100), to: 120)
        #expect(family.utf16.count <= 120)
        #expect(family.dropLast().allSatisfy { $0 == "👩‍👩‍👧‍👦" }, "no character is cut in two")
    }
}

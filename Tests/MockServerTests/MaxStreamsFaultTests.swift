// The fault `max-streams`: what it announces is kept from the moment the client has acknowledged it (RFC 9113 §5.1.2,
// §6.5.3). Until then the client cannot know, and nothing is refused.

import APNs
import Basics
import Journal
import MockServer
import Testing
import WireClient

@Suite struct MaxStreamsFaultTests {
    /// Opens the streams, whole but for their bodies, then ends them, and tells which were answered; the others were
    /// refused, and may be sent again.
    private func served(_ streams: [UInt32], by client: WireClient, _ mock: TestMock) throws -> [UInt32] {
        for stream in streams { client.send(.headers(stream, mock.block())) }
        for stream in streams { client.send(.data(stream, WireClient.alertBody)) }
        #expect(try client.awaitPing())
        // Answers are held to the end of the turn; an echo may overtake those of its own.
        #expect(try client.awaitPing("ping-two"))
        return streams.filter { stream in
            let frames = client.received.filter { $0.stream == stream }
            if let reset = frames.first(where: { $0.type == FrameType.reset }) {
                #expect(reset.number(at: 0) == ErrorCode.refusedStream)
                return false
            }
            return frames.first?.fields.first?.value == "200"
        }
    }

    /// A client that met the fault with its first push.
    private func met(_ fault: String, _ mock: TestMock, acknowledging: Bool = true) throws -> WireClient {
        try mock.fault(#"{"action":{"max-streams":\#(fault)},"match":{"nthOfConnection":1}}"#)
        let client = try mock.wire()
        client.acknowledgesSettings = acknowledging
        #expect(try client.ask(1, mock.block()).status == 200)
        #expect(client.limitsAndStatuses.prefix(2) == [1, 1_000])
        return client
    }

    @Test func `streams beyond an acknowledged limit are refused and not processed`() throws {
        try withMock { mock in
            let client = try met("2", mock)
            #expect(client.limitsAndStatuses == [1, 1_000, 2, 200])
            #expect(try served([3, 5, 7, 9], by: client, mock) == [3, 5])
            #expect(try served([11, 13], by: client, mock) == [11, 13])
            #expect(try mock.journal().map(\.stream) == [1, 3, 5, 11, 13])
        }
    }

    @Test func `until the client has acknowledged that very SETTINGS all streams are served`() throws {
        try withMock { mock in
            let client = try met("1", mock, acknowledging: false)
            #expect(try served([3, 5, 7], by: client, mock) == [3, 5, 7])
            // The first acknowledgement is of the thousand.
            client.send(.settingsAcknowledgement)
            #expect(try served([9, 11, 13], by: client, mock) == [9, 11, 13])
            client.send(.settingsAcknowledgement)
            #expect(try served([15, 17, 19], by: client, mock) == [15])
        }
    }

    @Test func `streams that were open before count, and are served to their end`() throws {
        try withMock { mock in
            let client = try met("2", mock, acknowledging: false)
            for stream: UInt32 in [3, 5, 7] { client.send(.headers(stream, mock.block())) }
            client.send(.settingsAcknowledgement, .settingsAcknowledgement)
            #expect(try served([9], by: client, mock) == [])
            for stream: UInt32 in [3, 5, 7] { client.send(.data(stream, WireClient.alertBody)) }
            for stream: UInt32 in [3, 5, 7] { #expect(try client.answer(on: stream)?.status == 200) }
            #expect(try served([11, 13, 15], by: client, mock) == [11, 13])
        }
    }

    @Test func `a limit that is only announced is kept by nobody`() throws {
        try withMock { mock in
            let client = try met(#"{"count":1,"enforced":false}"#, mock)
            #expect(client.limitsAndStatuses == [1, 1_000, 1, 200])
            #expect(try served([3, 5, 7], by: client, mock) == [3, 5, 7])
        }
    }

    @Test func `another number takes the place of the first, once it is acknowledged too`() throws {
        try withMock { mock in
            let client = try met("1", mock)
            try mock.fault(#"{"action":{"max-streams":3},"match":{"nthOfConnection":2}}"#)
            #expect(try served([3], by: client, mock) == [3])
            #expect(try served([5, 7, 9, 11], by: client, mock) == [5, 7, 9])
        }
    }

    @Test func `what the mock itself announces later lifts the limit`() throws {
        try withMock({ $0.rules.rejectionDropsStreamLimit = true }) { mock in
            let client = try met("1", mock)
            #expect(try client.ask(3, mock.block(token: "zz")).status == 400)
            #expect(try client.ask(5, mock.block()).status == 200)
            #expect(client.limitsAndStatuses == [1, 1_000, 1, 200, 1, 400, 1_000, 200])
            #expect(try served([7, 9, 11], by: client, mock) == [7, 9, 11])
        }
    }

    @Test func `a connection that is met has its limit from its first push on`() throws {
        try withMock { mock in
            try mock.fault(#"{"meets":"connection","action":{"max-streams":2},"times":1}"#)
            let client = try mock.wire()
            #expect(try client.awaitPing())
            #expect(try served([1, 3, 5], by: client, mock) == [1, 3])
            // Others are not concerned.
            let other = try mock.wire()
            #expect(try served([1], by: other, mock) == [1])
            #expect(try served([3, 5, 7], by: other, mock) == [3, 5, 7])
        }
    }

    @Test func `a thousand refusals are not held against the client`() throws {
        try withMock { mock in
            let client = try met("1", mock)
            client.send(.headers(3, mock.block()))
            for stream in stride(from: UInt32(5), to: 5_005, by: 2) { client.push(stream, mock.block(authorized: false)) }
            client.send(.data(3, WireClient.alertBody))
            #expect(try client.answer(on: 3)?.status == 200)
            _ = try client.awaitPing()
            let refused = client.received.filter { $0.type == FrameType.reset && $0.number(at: 0) == 7 }
            #expect(refused.count == 2_500)
            #expect(!client.received.contains { $0.type == FrameType.goAway })
        }
    }
}

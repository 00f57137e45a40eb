// Connections to the mock on which a test sees and says each frame itself.

import Basics
import MockServer
import Net
import Testing
import WireClient

extension TestMock {
    func wire(protocols: [String] = ["h2"], hello: [(UInt16, UInt32)]? = []) throws -> WireClient {
        let coordinates = service.coordinates
        return try WireClient(
            port: coordinates.apns.port, trusting: coordinates.ca, protocols: protocols, hello: hello)
    }

    /// The header block of a valid push.
    func block(
        token: String = TestMock.device, authorized: Bool = true, _ more: [(String, String)] = []
    ) -> [UInt8] {
        let fields = fields(more).filter { authorized || $0.0 != "authorization" }
        return HPACK.block(Self.pseudo(token: token)) + fields.flatMap { HPACK.literal($0.0, $0.1, huffman: true) }
    }

    static func pseudo(token: String = TestMock.device) -> [(String, String)] {
        [(":method", "POST"), (":scheme", "https"), (":path", "/3/device/" + token), (":authority", "localhost")]
    }
}

extension WireClient {
    static let alertBody = Array(alert.utf8)

    func push(_ stream: UInt32, _ block: [UInt8]) { send(.headers(stream, block), .data(stream, Self.alertBody)) }

    /// The answer, when there is to be one.
    func ask(_ stream: UInt32, _ block: [UInt8]) throws -> Answer {
        push(stream, block)
        return try #require(try answer(on: stream), "stream \(stream): \(received)")
    }

    /// MAX_CONCURRENT_STREAMS of each SETTINGS that had one, and the status of each answer, in the order they came.
    var limitsAndStatuses: [Int] {
        received.compactMap { frame in
            if frame.type == FrameType.headers { return frame.fields.first.flatMap { Int($0.value) } }
            guard frame.type == FrameType.settings, !frame.has(FrameFlag.acknowledge) else { return nil }
            for start in stride(from: 0, to: frame.payload.count, by: 6) where frame.payload[start + 1] == 3 {
                return Int(frame.number(at: start + 2))
            }
            return nil
        }
    }
}

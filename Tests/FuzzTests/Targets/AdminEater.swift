// The admin API from the first byte on: HTTP/1.1 requests to every route, with whatever for a path, a query, a body.

import Basics
import HTTP

/// Byte 0: bit 0: raw bytes. Else a list of requests.
final class AdminEater: FuzzEater {
    private static let methods = ["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD"]
    private static let token = String(repeating: "ab", count: 32)
    private static let paths = [
        "/v1/faults", "/v1/faults/f1", "/v1/tokens/" + token, "/v1/pushes", "/v1/activities", "/v1/activities/" + token,
        "/v1/reset", "/v1/info", "/v1/health", "/metrics", "/", "/v1/tokens/" + token + "/channel", "/v1/channels",
        "/v1/apps/com.example.app", "/v1/keys", "/v1/keys/KEY0000001", "/v1/tokens/", "/v1/",
    ]

    private let supply: HandMock.Supply

    init(folder: String) { supply = HandMock.Supply(folder: folder) }

    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let isRaw = choices.byte() & 1 == 1
        let mock = supply.mockForOneInput()
        let wire = HandWire(to: mock.admin, on: mock.loop)
        var isHEAD: [Bool] = []
        if isRaw {
            wire.send(choices.remainder())
        } else {
            for _ in 0..<8 where !choices.isEmpty && !wire.isEnded {
                let method = choices.choice(Self.methods)
                let path = choices.choice(Self.paths) + target(choices.short())
                let body = choices.bytes(Int(choices.word()) % 4_096)
                let type = choices.byte() & 7 == 7 ? "text/plain" : "application/json"
                let head =
                    "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\ncontent-type: \(type)\r\n"
                    + "content-length: \(body.count)\r\n\r\n"
                isHEAD.append(method == "HEAD")
                wire.send(Array(head.utf8) + body)
                wire.settle(atMost: 6)
            }
        }
        wire.settle()
        if !isRaw { try judge(wire.received, isHEAD) }
        try wire.leave()
        try hold(mock.failure == nil, "the mock failed: \(mock.failure!)")
    }

    /// What a target may hold; anything else is percent-encoded, half of the time wrongly.
    private func target(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map { 0x21...0x7E ~= $0 ? $0 : UInt8(ascii: "%") }, as: UTF8.self)
    }

    /// Answers in the order of the requests, whole but for the last, none of them our own mistake, and JSON where they
    /// say so.
    private func judge(_ received: [UInt8], _ isHEAD: [Bool]) throws(Violation) {
        let parser = HTTP1ResponseParser(limits: HTTP1Limits(maxHeadBytes: 16_384, maxFields: 64, maxBodyBytes: 64 << 20))
        var rest = received[...]
        for isHEAD in isHEAD where !rest.isEmpty {
            parser.begin(isHEAD: isHEAD)
            rest = rest.dropFirst(rest.withUnsafeBufferPointer { parser.consume($0.span) })
            switch parser.progress {
            case .needsMore: return
            case .failed(_, let message): throw Violation(description: "an answer is not HTTP/1.1: \(message)")
            case .complete: break
            }
            try hold(parser.status != 500, "status 500: \(parser.body.text)")
            guard !isHEAD, parser.head.text("content-type") == "application/json" else { continue }
            try hold((try? JSONValue(parsing: parser.body.array().span)) != nil, "an answer is not JSON: \(parser.body.text)")
        }
    }
}

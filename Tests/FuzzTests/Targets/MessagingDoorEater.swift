// FCM's door from the first byte on: HTTP/1.1 requests to every endpoint, one after the other on one connection, packed and in
// chunks, for whom answers are packed as well.

import Basics
import Deflate
import HTTP

/// Byte 0: bit 0: raw bytes. Else a list of requests.
final class MessagingDoorEater: FuzzEater {
    private static let sends = "/v1/projects/pushrig-mock/messages:send"
    private static let topics = "/v1/projects/pushrig-mock/registrations/a%3Ab/topicSubscriptions"
    private static let targets = [
        sends, sends + "?prettyPrint=false&alt=json", "/token", topics + "?topic_name=t", topics, topics + "/t", "/iid/v1:batchAdd",
        "/iid/v1:batchRemove", "/iid/v1:batchImport", "/iid/info/a:b?details=true", "/iid/v1/a:b/rel/topics/t", "/batch", "/fcm/send",
        "/v1/projects/-/serviceAccounts/x/allowedLocations", "/",
    ]
    private static let bodies = [
        #"{"message":{"token":"a:b","data":{"k":"v"}}}"#, #"{"message":{"topic":"t","notification":{"title":"x"}}}"#,
        #"{"message":{"condition":"'t' in topics && !('u' in topics)"}}"#, #"{"to":"/topics/t","registration_tokens":["a:b"]}"#,
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c",
        #"{"application":"a","apns_tokens":["ab"]}"#, "{}", "",
    ]
    private static let rules = [
        "", #"{"match":{"endpoint":"topic"},"action":{"respond":{"reason":"UNAVAILABLE"}},"times":1}"#,
        #"{"match":{"endpoint":"token"},"action":{"respond":{"reason":"server_error"}}}"#,
        #"{"match":{"provider":"fcm"},"action":{"respond":{"reason":"QUOTA_EXCEEDED"}},"after":1}"#,
    ]

    private let supply: HandMock.Supply

    init(folder: String) { supply = HandMock.Supply(folder: folder) }

    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let first = choices.byte()
        let mock = supply.mockForOneInput()
        mock.add(rule: Self.rules[Int(first >> 1) % Self.rules.count])
        let wire = HandWire(to: mock.messages, on: mock.loop)
        var asked = 0
        if first & 1 == 1 {
            wire.send(choices.remainder())
        } else {
            for _ in 0..<8 where !choices.isEmpty && !wire.isEnded {
                wire.send(request(&choices, mock.accessToken))
                asked += 1
                wire.settle(atMost: 6)
            }
        }
        wire.settle()
        if first & 1 == 0 { try judge(wire.received, asked, isEnded: wire.isEnded) }
        try wire.leave()
        try hold(mock.openStreams == 0, "\(mock.openStreams) requests are still waited for")
        try hold(mock.failure == nil, "the mock failed: \(mock.failure!)")
    }

    /// Lawful but for its body, unless the input says otherwise.
    private func request(_ choices: inout FuzzInput, _ token: String) -> [UInt8] {
        let method = choices.choice(["POST", "POST", "GET", "DELETE", "PATCH"])
        let target = choices.choice(Self.targets)
        var body = Array(choices.choice(Self.bodies).utf8)
        let knobs = choices.byte()
        let place = min(Int(choices.word()), body.count)
        body.replaceSubrange(place..<min(place + Int(choices.byte() & 15), body.count), with: choices.short())
        if knobs & 1 == 1 { body = GZip.packed(body.span) }
        var head = "\(method) \(target) HTTP/1.1\r\nhost: fcm.googleapis.com\r\naccess_token_auth: true\r\n"
        if target == "/token", knobs & 64 == 0 { head += "content-type: application/x-www-form-urlencoded\r\n" }
        if knobs & 3 != 0 { head += "content-encoding: gzip\r\n" }
        if knobs & 4 != 0 { head += "accept-encoding: gzip\r\n" }
        if knobs & 8 == 0 { head += "authorization: Bearer \(token)\r\n" }
        if knobs & 48 != 48 { return Array((head + "content-length: \(body.count)\r\n\r\n").utf8) + body }
        // Two chunks, the first of them with an extension.
        let half = body.count / 2
        head += "transfer-encoding: chunked\r\n\r\n"
        var wire = Array(head.utf8)
        for part in [body[..<half], body[half...]] where !part.isEmpty {
            wire += Array("\(String(part.count, radix: 16));x=y\r\n".utf8) + part + [13, 10]
        }
        return wire + Array("0\r\n\r\n".utf8)
    }

    /// As many answers as requests, unless the connection ended: whole, unpacked JSON where they say so, none of them 500.
    private func judge(_ received: [UInt8], _ asked: Int, isEnded: Bool) throws(Violation) {
        let parser = HTTP1ResponseParser(limits: HTTP1Limits(maxHeadBytes: 16_384, maxFields: 64, maxBodyBytes: 8 << 20))
        var rest = received[...]
        var answers = 0
        while !rest.isEmpty {
            parser.begin(isHEAD: false)
            rest = rest.dropFirst(rest.withUnsafeBufferPointer { parser.consume($0.span) })
            switch parser.progress {
            case .needsMore: throw Violation(description: "an answer is cut off")
            case .failed(_, let message): throw Violation(description: "an answer is not HTTP/1.1: \(message)")
            case .complete: answers += 1
            }
            var body = parser.body.array()
            if parser.head.text("content-encoding") == "gzip" {
                guard case .whole(let plain) = GZip.unpacked(body.span, atMost: 8 << 20) else {
                    throw Violation(description: "a packed answer does not unpack")
                }
                body = plain
            }
            let text = String(decoding: body, as: UTF8.self)
            try hold(parser.status != 500 || text.contains("server_error"), "status 500: \(text)")
            guard parser.head.text("content-type")?.hasPrefix("application/json") == true else { continue }
            try hold((try? JSONValue(parsing: body.span)) != nil, "an answer is not JSON: \(text)")
        }
        try hold(answers <= asked && (answers == asked || isEnded), "\(answers) answers to \(asked) requests")
    }
}

// AWS Signature Version 4: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
// The path is signed as services other than S3 have it: each byte of what is sent is percent-encoded once more.

import Basics
import HTTP
import Net
import Planning
import Scenarios
import TLS

extension RequestSigner {
    func sign(
        _ request: OutgoingRequest, _ spec: SigV4Spec, _ values: EventValues, at now: WallTime, isSpoilt: Bool
    ) -> String? {
        let (head, output, message, secret) = (request.head, output, message, secret)
        let instant = Self.basic(now)
        head.append("x-amz-date", instant)
        if let token = spec.sessionToken {
            guard put(token, into: output, values, at: now) else { return Self.unreadable }
            if isSpoilt { output.spoilLast() }
            if let wrong = write(Array("x-amz-security-token".utf8), into: head) { return wrong }
        }
        let (canonical, names) = canonicalRequest(request)
        let scope = instant.prefix(8) + "/" + String(decoding: spec.region, as: UTF8.self) + "/"
            + String(decoding: spec.service, as: UTF8.self) + "/aws4_request"
        guard put(spec.secretAccessKey, into: secret, values, at: now) else { return Self.unreadable }
        var key = Array("AWS4".utf8) + secret.array()
        for part in [Array(instant.utf8.prefix(8)), spec.region, spec.service, Array("aws4_request".utf8)] {
            key = hmac(.sha256, key: key.span, part.span)
        }
        message.clear()
        message.append("AWS4-HMAC-SHA256\n\(instant)\n\(scope)\n\(Hex.encode(sha256(canonical.span).span))")
        var code = hmac(.sha256, key: key.span, message.bytes)
        if isSpoilt { code[0] ^= 1 }
        output.clear()
        output.append("AWS4-HMAC-SHA256 Credential=")
        spec.accessKeyID.render(into: output, values)
        output.append("/\(scope), SignedHeaders=\(names), Signature=\(Hex.encode(code.span))")
        return write(Array("authorization".utf8), into: head)
    }

    /// `20150830T123600Z`.
    private static func basic(_ now: WallTime) -> String {
        now.iso8601.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    /// Signed are the host, what AWS wants, and the type of the body.
    private func canonicalRequest(_ request: OutgoingRequest) -> (text: [UInt8], names: String) {
        let head = request.head
        func value(_ name: StaticString) -> [UInt8]? { head.index(of: name).map { head.value(at: $0).array } }
        let path = value(":path") ?? []
        let fields: [(name: String, value: [UInt8]?)] = [
            ("content-type", value("content-type")), ("host", authority), ("x-amz-date", value("x-amz-date")),
            ("x-amz-security-token", value("x-amz-security-token")),
        ]
        let signed = fields.compactMap { field in field.value.map { (field.name, $0) } }
        let names = signed.map(\.0).joined(separator: ";")
        let query = QueryFields(of: path).fields
            .map { Self.encoded($0.name, keeping: []) + [61] + Self.encoded($0.value, keeping: []) }
            .sorted { $0.lexicographicallyPrecedes($1) }
        var text = (value(":method") ?? []) + [10] + Self.encoded(Array(path.prefix { $0 != 63 }), keeping: [47]) + [10]
        text += query.joined(separator: [38]) + [10]
        for (name, value) in signed { text += Array(name.utf8) + [58] + value + [10] }
        text += [10] + Array(names.utf8) + [10]
        let body = request.body
        return (text + Array(Hex.encode(sha256(body.bytes).span).utf8), names)
    }

    private static func encoded(_ text: [UInt8], keeping kept: [UInt8]) -> [UInt8] {
        text.flatMap { byte -> [UInt8] in
            let isPlain = 48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte || [45, 46, 95, 126].contains(byte)
            if isPlain || kept.contains(byte) { return [byte] }
            return [37] + Array(Hex.encode([byte].span).uppercased().utf8)
        }
    }
}

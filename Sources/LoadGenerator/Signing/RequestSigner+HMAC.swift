// A keyed digest over parts of a request. What goes into the query is there before it is signed; the signature comes last.

import Basics
import HTTP
import Net
import Planning
import Scenarios
import TLS

extension RequestSigner {
    func sign(
        _ request: OutgoingRequest, _ spec: HMACSpec, _ values: EventValues, at now: WallTime, isSpoilt: Bool
    ) -> String? {
        let (head, output) = (request.head, output)
        stamp(spec, at: now)
        let digest = digest(of: request.body, spec)
        output.clear()
        spec.parameters?.render(into: output, values)
        if case .parameter(let name)? = spec.timestamp?.place { output.appendField(name, time.array()) }
        if case .parameter(let name)? = spec.digest?.place, let digest { output.appendField(name, digest) }
        extendQuery(of: head)
        if case .header(let name)? = spec.timestamp?.place { head.append(name: name.span, value: time.array().span) }
        if case .header(let name)? = spec.digest?.place, let digest { head.append(name: name.span, value: digest.span) }
        guard let code = code(request, spec, digest, values, at: now, isSpoilt: isSpoilt) else { return Self.unreadable }
        output.clear()
        switch spec.place {
        case .header(let name):
            output.append(spec.prefix.span)
            output.append(code)
            return write(name, into: head)
        case .parameter(let name):
            output.appendField(name, spec.prefix + Array(code.utf8))
            extendQuery(of: head)
            return nil
        }
    }

    private func stamp(_ spec: HMACSpec, at now: WallTime) {
        let time = time
        time.clear()
        guard let timestamp = spec.timestamp else { return }
        let value = timestamp.unit == .seconds ? now.seconds : now.milliseconds
        Text.append(UInt64(max(0, value)), radix: 10, into: time)
    }

    /// As text; nil where there is no body, or none is wanted.
    private func digest(of body: ByteBuffer, _ spec: HMACSpec) -> [UInt8]? {
        guard let digest = spec.digest, !body.isEmpty else { return nil }
        let code = digest.algorithm == .md5 ? md5(body.bytes) : sha256(body.bytes)
        return Array(spelt(code, digest.encoding).utf8)
    }

    private func spelt(_ code: [UInt8], _ encoding: HMACSpec.Encoding) -> String {
        encoding == .hex ? Hex.encode(code.span) : Base64.encode(code.span)
    }

    /// Puts what `output` holds behind the path.
    private func extendQuery(of head: HeaderBlock) {
        guard !output.isEmpty, let index = head.index(of: ":path") else { return }
        let (draft, path) = (draft, secret)
        path.clear()
        path.append(head.value(at: index))
        path.append(path.bytes.has(63) ? 38 : 63)
        path.append(contentsOf: output)
        draft.clear()
        for field in 0..<head.count {
            draft.append(
                name: head.name(at: field), value: field == index ? path.bytes : head.value(at: field),
                neverIndexed: head.isNeverIndexed(at: field))
        }
        head.clear()
        head.append(contentsOf: draft)
    }

    private func code(
        _ request: OutgoingRequest, _ spec: HMACSpec, _ digest: [UInt8]?, _ values: EventValues, at now: WallTime,
        isSpoilt: Bool
    ) -> String? {
        let (message, secret, head) = (message, secret, request.head)
        let path = head.index(of: ":path").map { head.value(at: $0).array } ?? []
        message.clear(keepingUpTo: 16_384)
        for part in spec.over {
            switch part {
            case .body: message.append(contentsOf: request.body)
            case .timestamp: message.append(contentsOf: time)
            case .method: if let index = head.index(of: ":method") { message.append(head.value(at: index)) }
            case .path: message.append(path.span)
            case .resource: message.append(Array(path.prefix { $0 != 63 }).span)
            case .parameters: message.append(QueryFields(of: path).sortedText.span)
            case .digest: if let digest { message.append(digest.span) }
            case .header(let name): message.append(head.text(named: name) ?? "")
            case .text(let template): template.render(into: message, values)
            }
        }
        guard put(spec.key, into: secret, values, at: now) else { return nil }
        var code = hmac(spec.algorithm, key: secret.bytes, message.bytes)
        if isSpoilt { code[0] ^= 1 }
        return spelt(code, spec.encoding)
    }
}

/// The fields of a query, decoded.
struct QueryFields {
    let fields: [(name: [UInt8], value: [UInt8])]

    init(of path: [UInt8]) {
        let query = path.firstIndex(of: 63).map { path[($0 + 1)...] } ?? []
        fields = query.split(separator: 38).map { field in
            let name = field.prefix { $0 != 61 }
            return (Self.decoded(name), Self.decoded(field.dropFirst(name.count + 1)))
        }
    }

    /// The first of that name, decoded.
    func text(_ name: String) -> String? {
        fields.first { $0.name == Array(name.utf8) }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// `name=value` joined by `&`, names in lower case, in order of names.
    var sortedText: [UInt8] {
        let sorted = fields.map { (name: $0.name.map { 65...90 ~= $0 ? $0 + 32 : $0 }, value: $0.value) }
            .enumerated().sorted { a, b in
                a.element.name == b.element.name
                    ? a.offset < b.offset : a.element.name.lexicographicallyPrecedes(b.element.name)
            }
        return Array(sorted.map { $0.element.name + [61] + $0.element.value }.joined(separator: [38]))
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == 37, index + 2 < text.endIndex, let high = Hex.value(text[index + 1]),
                let low = Hex.value(text[index + 2])
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(text[index])
                index += 1
            }
        }
        return output
    }
}

extension Span<UInt8> {
    fileprivate func has(_ byte: UInt8) -> Bool {
        for index in indices where self[index] == byte { return true }
        return false
    }
}

extension ByteBuffer {
    /// A field of a query, behind those that are there.
    fileprivate func appendField(_ name: [UInt8], _ value: [UInt8]) {
        if !isEmpty { append(38) }
        append(name.span)
        append(61)
        TemplateEncoding.url.append(value.span, into: self)
    }
}

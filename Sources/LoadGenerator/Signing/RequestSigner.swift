// Puts the credential or the signature of a call into its head. Its memory is used again; confined to one loop.

import Basics
import HTTP
import Net
import Scenarios
import TLS

final class RequestSigner {
    private let message = ByteBuffer(capacity: 1_024)
    private let secret = ByteBuffer(capacity: 64)
    private let output = ByteBuffer(capacity: 256)
    private let time = ByteBuffer(capacity: 24)

    /// Head and body of `request` are all there. In words why it must not be sent; nil when it may.
    func sign(_ request: OutgoingRequest, _ auth: AuthSpec, _ values: EventValues, at now: WallTime) -> String? {
        output.clear()
        let header: [UInt8]
        switch auth.kind {
        case .plain(let name, let prefix, let value):
            header = name
            put(value, into: secret, values)
            if auth.isSpoilt { secret.spoilLast() }
            output.append(prefix.span)
            output.append(contentsOf: secret)
        case .basic(let user, let password):
            header = Self.authorization
            output.append("Basic ")
            output.append(credentials(user, password, values, isSpoilt: auth.isSpoilt))
        case .hmac(let spec):
            header = spec.header
            if let timestamp = spec.timestamp { stamp(request.head, timestamp, at: now) }
            output.append(spec.prefix.span)
            output.append(code(request, spec, values, isSpoilt: auth.isSpoilt))
        case .jwt(let spec):
            header = spec.header
            output.append(spec.prefix.span)
            guard mint(spec, values, at: now, isSpoilt: auth.isSpoilt) else { return "the key that signs is not there" }
        }
        let output = output
        guard output.bytes.isOneLine else {
            return "the header `\(String(decoding: header, as: UTF8.self))` would hold a control character"
        }
        let (head, name) = (request.head, header)
        head.append(name: name.span, value: output.bytes, neverIndexed: true)
        return nil
    }

    private static let authorization = Array("authorization".utf8)

    private func put(_ value: SecretValue, into buffer: ByteBuffer, _ values: EventValues) {
        buffer.clear()
        switch value {
        case .template(let template): template.render(into: buffer, values)
        case .kept(let kept):
            let bytes = kept.bytes
            buffer.append(bytes.span)
        }
    }

    private func credentials(_ user: Template, _ password: SecretValue, _ values: EventValues, isSpoilt: Bool) -> String {
        let (message, secret) = (message, secret)
        message.clear()
        user.render(into: message, values)
        message.append(58)
        put(password, into: secret, values)
        if isSpoilt { secret.spoilLast() }
        message.append(contentsOf: secret)
        return Base64.encode(message.bytes)
    }

    // MARK: HMAC

    private func stamp(_ head: HeaderBlock, _ timestamp: HMACSpec.Timestamp, at now: WallTime) {
        let time = time
        time.clear()
        let value = timestamp.unit == .seconds ? now.seconds : now.milliseconds
        Text.append(UInt64(max(0, value)), radix: 10, into: time)
        head.append(name: timestamp.header.span, value: time.bytes)
    }

    private func code(_ request: OutgoingRequest, _ spec: HMACSpec, _ values: EventValues, isSpoilt: Bool) -> String {
        let (message, secret, head) = (message, secret, request.head)
        message.clear(keepingUpTo: 16_384)
        for part in spec.over {
            switch part {
            case .body: message.append(contentsOf: request.body)
            case .timestamp: message.append(contentsOf: time)
            case .method: if let index = head.index(of: ":method") { message.append(head.value(at: index)) }
            case .path: if let index = head.index(of: ":path") { message.append(head.value(at: index)) }
            case .text(let template): template.render(into: message, values)
            }
        }
        put(spec.key, into: secret, values)
        var code = hmac(spec.algorithm, key: secret.bytes, message.bytes)
        if isSpoilt { code[0] ^= 1 }
        return spec.encoding == .hex ? Hex.encode(code.span) : Base64.encode(code.span)
    }

    // MARK: JSON Web Tokens

    /// False where there is no key.
    private func mint(_ spec: JWTSpec, _ values: EventValues, at now: WallTime, isSpoilt: Bool) -> Bool {
        let (message, secret) = (message, secret)
        secret.clear()
        secret.append("{\"iat\":\(now.seconds),\"exp\":\(now.seconds + spec.seconds)")
        if let claims = spec.claims {
            message.clear()
            claims.render(into: message, values)
            message.consume(1)
            secret.append(44)
            secret.append(contentsOf: message)
        } else {
            secret.append(125)
        }
        message.clear()
        message.append(spec.head.span)
        message.append(Base64URL.encode(secret.bytes))
        var signature: [UInt8]
        switch spec.signing {
        case .hs256(let key):
            put(key, into: secret, values)
            signature = hmac(.sha256, key: secret.bytes, message.bytes)
        case .es256(let key):
            guard let key else { return false }
            signature = key.sign(message.bytes)
        }
        if isSpoilt { signature[0] ^= 1 }
        output.append(contentsOf: message)
        output.append(46)
        output.append(Base64URL.encode(signature.span))
        return true
    }
}

extension ByteBuffer {
    fileprivate func append(contentsOf other: ByteBuffer) { append(other.bytes) }

    /// Another last byte, which can stand wherever the one before could.
    fileprivate func spoilLast() {
        guard !isEmpty else { return append(120) }
        let last = bytes[count - 1]
        replace(at: count - 1, with: last == 120 ? 121 : 120)
    }
}

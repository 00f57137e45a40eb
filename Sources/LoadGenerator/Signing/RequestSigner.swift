// Puts the credential or the signature of a call into its head. Its memory is used again; confined to one loop.

import Basics
import HTTP
import Net
import Planning
import Scenarios
import TLS

final class RequestSigner {
    let message = ByteBuffer(capacity: 1_024)
    let secret = ByteBuffer(capacity: 64)
    let output = ByteBuffer(capacity: 256)
    let time = ByteBuffer(capacity: 24)
    /// For a head that is written anew.
    let draft = HeaderBlock()
    /// `host:port` as the relay sees it.
    let authority: [UInt8]

    /// Nil where none are fetched.
    private let tokens: AccessTokens?

    init(authority: String, tokens: AccessTokens? = nil) {
        self.authority = Array(authority.utf8)
        self.tokens = tokens
    }

    /// Head and body of `request` are all there. In words why it must not be sent; nil when it may.
    func sign(_ request: OutgoingRequest, _ auth: AuthSpec, _ values: EventValues, at now: WallTime) -> String? {
        output.clear()
        // One of an earlier time is wrong by that alone.
        let (now, isSpoilt) = auth.age.map { (now - $0, false) } ?? (now, auth.isSpoilt)
        let header: [UInt8]
        switch auth.kind {
        case .plain(let name, let prefix, let value):
            header = name
            guard put(value, into: secret, values, at: now) else { return Self.unreadable }
            if isSpoilt { secret.spoilLast() }
            output.append(prefix.span)
            output.append(contentsOf: secret)
        case .basic(let user, let password):
            header = Self.authorization
            output.append("Basic ")
            guard let pair = credentials(user, password, values, at: now, isSpoilt: isSpoilt) else { return Self.unreadable }
            output.append(pair)
        case .hmac(let spec): return sign(request, spec, values, at: now, isSpoilt: isSpoilt)
        case .sigv4(let spec): return sign(request, spec, values, at: now, isSpoilt: isSpoilt)
        case .oauth2(let spec):
            header = Self.authorization
            guard let token = tokens?.token(spec)?.bytes else { return "there is no access token" }
            output.append("Bearer ")
            output.append(token.span)
            // Not the last one, which in a token of base64 may not count.
            if isSpoilt { output.spoil(at: output.count - (token.count + 1) / 2) }
        case .jwt(let spec):
            header = spec.header
            output.append(spec.prefix.span)
            guard mint(spec, values, at: now, isSpoilt: isSpoilt) else {
                return "the key that signs is not there, or not written as the profile says"
            }
        }
        return write(header, into: request.head)
    }

    /// What `output` holds as a header. In words why it must not be sent; nil when it may.
    func write(_ header: [UInt8], into head: HeaderBlock) -> String? {
        let output = output
        guard output.bytes.isOneLine else {
            return "the header `\(String(decoding: header, as: UTF8.self))` would hold a control character"
        }
        head.append(name: header.span, value: output.bytes, neverIndexed: true)
        return nil
    }

    private static let authorization = Array("authorization".utf8)

    /// False where a value is not written as the profile says.
    func put(_ value: SecretValue, into buffer: ByteBuffer, _ values: EventValues, at now: WallTime) -> Bool {
        buffer.clear()
        return value.append(to: buffer, values) { every in
            // After 1970 in any case, so that the remainder is no negative one.
            every.map { max(0, now.nanoseconds) / $0.nanoseconds } ?? Int64(values.turn)
        }
    }

    static let unreadable = "a secret that an answer gave is not written as the profile says"

    private func credentials(
        _ user: Template, _ password: SecretValue, _ values: EventValues, at now: WallTime, isSpoilt: Bool
    ) -> String? {
        let (message, secret) = (message, secret)
        message.clear()
        user.render(into: message, values)
        message.append(58)
        guard put(password, into: secret, values, at: now) else { return nil }
        if isSpoilt { secret.spoilLast() }
        message.append(contentsOf: secret)
        return Base64.encode(message.bytes)
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
            guard put(key, into: secret, values, at: now) else { return false }
            signature = hmac(.sha256, key: secret.bytes, message.bytes)
        case .es256(let key):
            guard let key else { return false }
            signature = key.sign(message.bytes)
        case .rsa(let key, let hash):
            guard let key else { return false }
            signature = key.sign(message.bytes, hash)
        }
        if isSpoilt { signature[0] ^= 1 }
        output.append(contentsOf: message)
        output.append(46)
        output.append(Base64URL.encode(signature.span))
        return true
    }
}

extension ByteBuffer {
    func append(contentsOf other: ByteBuffer) { append(other.bytes) }

    /// Another last byte, which can stand wherever the one before could.
    func spoilLast() {
        guard !isEmpty else { return append(120) }
        spoil(at: count - 1)
    }

    func spoil(at place: Int) { replace(at: place, with: bytes[place] == 120 ? 121 : 120) }
}

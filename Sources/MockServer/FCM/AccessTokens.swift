// Access tokens of the mock's token endpoint (docs/fcm.md §1.3). Each says itself what it allows and until when, and is sealed
// with a secret of the state directory: nothing is remembered, so any number may be given out, and a mock that is started anew
// in the same directory knows those of the one before.

import Basics
import FCM
import TLS

/// Safe to use from any thread.
struct AccessTokens: AccessDirectory {
    static let lifetime = Interval.seconds(3_600)
    private static let prefix: StaticString = "ya29."
    private static let nonceLength = 12
    private static let fixedLength = nonceLength + 9
    private static let sealLength = HMACAlgorithm.sha256.byteCount

    private let secret: [UInt8]

    init(secret: [UInt8]) { self.secret = secret }

    /// Reads the secret that is there, or makes one.
    init(in directory: borrowing StateDirectory) throws(Failure) {
        let name = "access-tokens.key"
        if let text = try directory.read(name) {
            guard let secret = Base64URL.decode(text), secret.count == Self.sealLength else {
                throw Failure(
                    .usage, "this is no secret of access tokens", hint: "remove the file, and a new one is made",
                    place: directory.path(of: name))
            }
            self.secret = secret
        } else {
            secret = secretBytes(count: Self.sealLength)
            try directory.write(name, Base64URL.encode(secret.span), secret: true)
        }
    }

    /// A new token: a nonce, when it ends, whether it may send, the project, and the seal.
    func issue(_ grant: TokenGrant, now: WallTime) -> String {
        var bytes = secretBytes(count: Self.nonceLength)
        let end = (now + Self.lifetime).nanoseconds
        for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: end >> (8 * byte))) }
        bytes.append(grant.maySend ? 1 : 0)
        bytes += Array(grant.project.utf8)
        bytes += hmac(.sha256, key: secret.span, bytes.span)
        return "\(Self.prefix)" + Base64URL.encode(bytes.span)
    }

    func grant(of accessToken: Span<UInt8>) -> AccessGrant? {
        let start = Self.prefix.utf8CodeUnitCount
        guard accessToken.hasPrefix(Self.prefix),
            let bytes = Base64URL.decode(accessToken.extracting(start..<accessToken.count)),
            bytes.count >= Self.fixedLength + Self.sealLength
        else { return nil }
        let told = bytes.count - Self.sealLength
        let seal = hmac(.sha256, key: secret.span, bytes.span.extracting(0..<told))
        // Of the same time for every wrong one.
        guard zip(seal, bytes[told...]).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else { return nil }
        var end: UInt64 = 0
        for byte in 0..<8 { end |= UInt64(bytes[Self.nonceLength + byte]) << UInt64(8 * byte) }
        return AccessGrant(
            project: Array(bytes[Self.fixedLength..<told]), expiresAt: WallTime(nanoseconds: Int64(bitPattern: end)),
            maySend: bytes[Self.fixedLength - 1] == 1)
    }
}

// P-256 keys and ES256 signatures, as provider tokens need them (RFC 7518 §3.4). A signature travels either as the
// 64 bytes r‖s or as DER; both are read, because APNs reads both.

package import Basics
import COpenSSL

/// Owns one reference to a key object.
/// Unchecked: an EVP_PKEY is never changed after it was made, and OpenSSL counts its references atomically.
struct KeyObject: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// Reads a private key's PEM block without a password; a usage failure says what is wrong with it.
    init(privatePEM pem: String) throws(Failure) {
        TLSErrors.clear()
        // An empty password instead of none: OpenSSL would ask the terminal for it.
        let read = withMemoryBIO(pem) { bio in
            var password: CChar = 0
            return PEM_read_bio_PrivateKey(bio, nil, nil, &password)
        }
        guard let read else {
            throw Failure(
                .usage, "not a PEM private key: \(TLSErrors.drain())",
                hint: "expected a -----BEGIN PRIVATE KEY----- block without a password")
        }
        pointer = read
    }

    deinit { EVP_PKEY_free(pointer) }

    borrowing func shared() -> KeyObject {
        precondition(EVP_PKEY_up_ref(pointer) == 1)
        return KeyObject(owning: pointer)
    }

    borrowing func isP256() -> Bool {
        var name = [CChar](repeating: 0, count: 32)
        var length = 0
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return false }
        return name.prefix(length).elementsEqual("prime256v1".utf8.map { CChar($0) })
    }
}

/// A P-256 public key. Verifying from several threads at once is safe.
package final class P256PublicKey: Sendable {
    private let key: KeyObject

    init(_ key: consuming KeyObject) { self.key = key }

    /// Reads a `PUBLIC KEY` PEM block; a usage failure says what is wrong with it.
    package init(pem: String) throws(Failure) {
        TLSErrors.clear()
        guard let pointer = withMemoryBIO(pem, { PEM_read_bio_PUBKEY($0, nil, nil, nil) }) else {
            throw Failure(
                .usage, "not a PEM public key: \(TLSErrors.drain())",
                hint: "expected a -----BEGIN PUBLIC KEY----- block")
        }
        key = KeyObject(owning: pointer)
        guard key.isP256() else {
            throw Failure(.usage, "the public key is not on curve P-256", hint: "ES256 needs P-256")
        }
    }

    /// A `PUBLIC KEY` PEM block.
    package var pem: String { writeMemoryBIO { PEM_write_bio_PUBKEY($0, key.pointer) } }

    /// Whether `signature` (64 bytes r‖s, or DER) is an ES256 signature over `message` by this key. About 45 µs.
    package func verify(_ message: Span<UInt8>, signature: Span<UInt8>) -> Bool {
        let digest = sha256(message)
        if signature.count == 64, verify(digest: digest.span, der: ECDSASignature.der(fromRaw: signature).span) {
            return true
        }
        guard signature.count >= 8, signature.count <= 72, signature[0] == 0x30 else { return false }
        return verify(digest: digest.span, der: signature)
    }

    private func verify(digest: Span<UInt8>, der: Span<UInt8>) -> Bool {
        TLSErrors.clear()
        guard let context = EVP_PKEY_CTX_new(key.pointer, nil) else {
            preconditionFailure("no key context: \(TLSErrors.drain())")
        }
        defer { EVP_PKEY_CTX_free(context) }
        precondition(EVP_PKEY_verify_init(context) == 1, "verifying cannot begin: \(TLSErrors.drain())")
        let verified = der.withUnsafeBufferPointer { signature in
            digest.withUnsafeBufferPointer { digest in
                EVP_PKEY_verify(context, signature.baseAddress, signature.count, digest.baseAddress, digest.count)
            }
        }
        if verified != 1 { TLSErrors.clear() }
        return verified == 1
    }
}

/// A P-256 private key. Signing from several threads at once is safe.
package final class P256PrivateKey: Sendable {
    let key: KeyObject

    /// A new key from the system's secure random source.
    package init() {
        TLSErrors.clear()
        guard let pointer = pushrig_ec_generate_p256() else { preconditionFailure("no key: \(TLSErrors.drain())") }
        key = KeyObject(owning: pointer)
    }

    /// Reads a `PRIVATE KEY` (PKCS #8, as Apple's .p8 files) or `EC PRIVATE KEY` PEM block without a password.
    package init(pem: String) throws(Failure) {
        key = try KeyObject(privatePEM: pem)
        guard key.isP256() else {
            throw Failure(.usage, "the private key is not on curve P-256", hint: "ES256 needs P-256")
        }
    }

    /// A PKCS #8 `PRIVATE KEY` PEM block, as in Apple's .p8 files.
    package var pem: String { writeMemoryBIO { PEM_write_bio_PKCS8PrivateKey($0, key.pointer, nil, nil, 0, nil, nil) } }

    package var publicKey: P256PublicKey { P256PublicKey(key.shared()) }

    /// ES256 over `message`: the 64 bytes r‖s (RFC 7518 §3.4). About 20 µs.
    package func sign(_ message: Span<UInt8>) -> [UInt8] { ECDSASignature.raw(fromDER: signDER(message).span) }

    /// ES256 over `message`: DER (ASN.1 SEQUENCE of two INTEGERs).
    package func signDER(_ message: Span<UInt8>) -> [UInt8] {
        let digest = sha256(message)
        guard let context = EVP_PKEY_CTX_new(key.pointer, nil) else {
            preconditionFailure("no key context: \(TLSErrors.drain())")
        }
        defer { EVP_PKEY_CTX_free(context) }
        precondition(EVP_PKEY_sign_init(context) == 1, "signing cannot begin: \(TLSErrors.drain())")
        return [UInt8](unsafeUninitializedCapacity: 80) { signature, count in
            count = 80
            precondition(
                EVP_PKEY_sign(context, signature.baseAddress, &count, digest, digest.count) == 1,
                "signing failed: \(TLSErrors.drain())")
        }
    }
}

/// The two spellings of one signature.
enum ECDSASignature {
    /// `raw` is 64 bytes; the result is at most 72.
    static func der(fromRaw raw: Span<UInt8>) -> [UInt8] {
        var der: [UInt8] = [0x30, 0]
        der.reserveCapacity(72)
        for half in 0..<2 {
            var start = half * 32
            let end = start + 32
            while start < end - 1, raw[start] == 0 { start += 1 }
            let needsSign: UInt8 = raw[start] >= 0x80 ? 1 : 0
            der.append(0x02)
            der.append(UInt8(end - start) + needsSign)
            if needsSign == 1 { der.append(0) }
            for index in start..<end { der.append(raw[index]) }
        }
        der[1] = UInt8(der.count - 2)
        return der
    }

    /// `der` is OpenSSL's own output, so its form is known.
    static func raw(fromDER der: Span<UInt8>) -> [UInt8] {
        var raw = [UInt8](repeating: 0, count: 64)
        var position = 2
        for half in 0..<2 {
            precondition(der[position] == 0x02)
            let length = Int(der[position + 1])
            position += 2
            let digits = min(length, 32)
            for index in 0..<digits { raw[half * 32 + 32 - digits + index] = der[position + length - digits + index] }
            position += length
        }
        return raw
    }
}

/// Lends `text` to OpenSSL as a read-only BIO.
func withMemoryBIO<R>(_ text: String, _ body: (OpaquePointer) -> R) -> R {
    var text = text
    return text.withUTF8 { bytes in
        guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
            preconditionFailure("no memory BIO")
        }
        defer { BIO_free(bio) }
        return body(bio)
    }
}

/// What `write` puts into a BIO, as text.
func writeMemoryBIO(_ write: (OpaquePointer) -> Int32) -> String {
    String(decoding: writeMemoryBIOBytes(write), as: UTF8.self)
}

/// What `write` puts into a BIO.
func writeMemoryBIOBytes(_ write: (OpaquePointer) -> Int32) -> [UInt8] {
    TLSErrors.clear()
    guard let bio = BIO_new(BIO_s_mem()) else { preconditionFailure("no memory BIO") }
    defer { BIO_free(bio) }
    precondition(write(bio) == 1, "cannot write it: \(TLSErrors.drain())")
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1024)
    while true {
        let count = BIO_read(bio, &chunk, Int32(chunk.count))
        guard count > 0 else { break }
        text.append(contentsOf: chunk[..<Int(count)])
    }
    return text
}

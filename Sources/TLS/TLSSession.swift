// One TLS connection without a socket: ciphertext in, plaintext out, and the other way round. All connections of a
// loop share one pair of buffers, so an idle connection holds none.

package import Basics
import COpenSSL
import Glibc

/// The buffers that the sessions of one loop take turns with: what OpenSSL reads from and writes to.
package final class TLSPipe {
    fileprivate var input: UnsafePointer<UInt8>?
    fileprivate var inputCount = 0
    /// Ciphertext to send; whoever drove the session takes it before the next one runs.
    package let output = ByteBuffer(capacity: 65_536)

    package init() {}
}

/// How a session stands after it was driven.
package enum TLSState: Sendable {
    case handshaking
    case established
    /// The peer closed in order.
    case closed
    case failed(String)
}

/// Owns an SSL. Confined to its loop.
package final class TLSSession {
    private let ssl: OpaquePointer
    private let pipe: TLSPipe
    package private(set) var state = TLSState.handshaking
    /// The protocol that ALPN settled on, if any.
    package private(set) var negotiatedProtocol: String?

    /// `serverName` is what a client asks for and verifies: a DNS name or a literal address.
    package init(context: TLSContext, pipe: TLSPipe, serverName: String? = nil) {
        ssl = SSL_new(context.context)!
        self.pipe = pipe
        let bio = BIO_new(PipeBIO.method)!
        BIO_set_data(bio, Unmanaged.passUnretained(pipe).toOpaque())
        BIO_set_init(bio, 1)
        SSL_set_bio(ssl, bio, bio)
        if context.isServer {
            SSL_set_accept_state(ssl)
            return
        }
        SSL_set_connect_state(ssl)
        guard let serverName else { return }
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), serverName) != 1 {
            TLSErrors.clear()
            _ = pushrig_ssl_set_tlsext_host_name(ssl, serverName)
            SSL_set1_host(ssl, serverName)
        }
    }

    deinit { SSL_free(ssl) }

    package var isEstablished: Bool { if case .established = state { true } else { false } }

    /// The negotiated version, such as `TLSv1.3`.
    package var version: String { String(cString: SSL_get_version(ssl)) }

    /// What the peer showed; nil: nothing. Known once the handshake is over. Taken apart anew at each call.
    package var peerCertificate: PeerCertificate? { PeerCertificate(of: ssl) }

    /// Starts a client's handshake: its first flight goes to the pipe's output.
    package func start() { handshake() }

    /// Feeds what came from the network and appends what it decrypts to. Look at `state` afterwards.
    package func receive(_ ciphertext: Span<UInt8>, into plaintext: ByteBuffer) {
        ciphertext.withUnsafeBufferPointer { bytes in
            pipe.input = bytes.baseAddress
            pipe.inputCount = bytes.count
            defer {
                pipe.input = nil
                pipe.inputCount = 0
            }
            if case .handshaking = state { handshake() }
            guard case .established = state else { return }
            read(into: plaintext)
        }
    }

    /// Encrypts into the pipe's output. Only when established.
    package func send(_ plaintext: Span<UInt8>) {
        precondition(isEstablished, "plaintext before the handshake")
        plaintext.withUnsafeBufferPointer { bytes in
            var sent = 0
            while sent < bytes.count {
                ERR_clear_error()
                let count = SSL_write(ssl, bytes.baseAddress! + sent, Int32(min(bytes.count - sent, 1 << 30)))
                guard count > 0 else {
                    state = .failed("cannot encrypt: \(TLSErrors.drain())")
                    return
                }
                sent += Int(count)
            }
        }
    }

    /// Puts a close_notify into the pipe's output.
    package func close() {
        guard case .established = state else { return }
        ERR_clear_error()
        SSL_shutdown(ssl)
        state = .closed
    }

    private func handshake() {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        guard result != 1 else {
            state = .established
            var name: UnsafePointer<UInt8>?
            var count: UInt32 = 0
            SSL_get0_alpn_selected(ssl, &name, &count)
            if let name {
                negotiatedProtocol = String(
                    decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
            }
            return
        }
        let code = SSL_get_error(ssl, result)
        if code != SSL_ERROR_WANT_READ, code != SSL_ERROR_WANT_WRITE { state = .failed(reason(of: "handshake")) }
    }

    private func read(into plaintext: ByteBuffer) {
        while true {
            ERR_clear_error()
            var result: Int32 = 0
            plaintext.append(upTo: 16_384) { room in
                room.withUnsafeMutableBufferPointer { buffer, initialized in
                    result = SSL_read(ssl, buffer.baseAddress!, Int32(buffer.count))
                    initialized = max(0, Int(result))
                }
            }
            if result > 0 { continue }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
            case SSL_ERROR_ZERO_RETURN:
                state = .closed
                return
            default:
                state = .failed(reason(of: "read"))
                return
            }
        }
    }

    private func reason(of step: String) -> String {
        let verification = SSL_get_verify_result(ssl)
        let reasons = TLSErrors.drain()
        guard verification != X509_V_OK, let text = X509_verify_cert_error_string(Int(verification)) else {
            return "TLS \(step): \(reasons)"
        }
        return "TLS \(step): \(reasons) (\(String(cString: text)))"
    }
}

/// A BIO over the pipe: what OpenSSL calls instead of recv and send.
private enum PipeBIO {
    nonisolated(unsafe) static let method: OpaquePointer = {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "loop pipe")!
        BIO_meth_set_read(method, readPipe)
        BIO_meth_set_write(method, writePipe)
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }()
}

private func readPipe(_ bio: OpaquePointer?, _ room: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
    pushrig_bio_clear_retry_flags(bio)
    return Unmanaged<TLSPipe>.fromOpaque(BIO_get_data(bio))._withUnsafeGuaranteedRef { pipe in
        guard pipe.inputCount > 0 else {
            pushrig_bio_set_retry_read(bio)
            return -1
        }
        let taken = min(pipe.inputCount, Int(count))
        memcpy(room!, pipe.input!, taken)
        pipe.input! += taken
        pipe.inputCount -= taken
        return Int32(taken)
    }
}

private func writePipe(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
    pushrig_bio_clear_retry_flags(bio)
    return Unmanaged<TLSPipe>.fromOpaque(BIO_get_data(bio))._withUnsafeGuaranteedRef { pipe in
        bytes!.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
            pipe.output.append(UnsafeBufferPointer(start: $0, count: Int(count)).span)
        }
        return count
    }
}

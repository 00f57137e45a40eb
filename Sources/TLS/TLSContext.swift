// The settings that many TLS connections share: certificate, trust, ALPN, versions.

package import Basics
import COpenSSL

/// Owns an SSL_CTX. Unchecked because OpenSSL counts its references itself and nothing is changed after init.
package final class TLSContext: @unchecked Sendable {
    let context: OpaquePointer
    let isServer: Bool
    /// What ALPN offers or accepts, best first, such as `h2`.
    let protocols: [String]
    private let alpnWire: UnsafeMutableBufferPointer<UInt8>
    package static let ticketKeyBytes = 80

    /// A server's context. A client that offers no ALPN is accepted; one that shares no protocol is served as if it
    /// had offered none, as Apple does (spec: ALPN). A client certificate never fails the handshake: see
    /// `PeerCertificate`. `clientAuthorityFiles` are PEM files of authorities to trust for them. `ticketKeys`: clients may
    /// resume sessions with any server of the same keys, of `ticketKeyBytes`; nil: they may not.
    package init(
        serverCertificateFile certificate: String, keyFile: String, protocols: [String],
        requestsClientCertificate: Bool, clientAuthorityFiles: [String] = [], ticketKeys: [UInt8]? = nil
    ) throws(Failure) {
        context = SSL_CTX_new(TLS_server_method())!
        isServer = true
        self.protocols = protocols
        alpnWire = Self.wire(protocols)
        Self.configure(context)
        guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
            throw Failure(.run, "cannot read the certificate \(certificate): \(TLSErrors.drain())")
        }
        guard SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1 else {
            throw Failure(.run, "cannot read the private key \(keyFile): \(TLSErrors.drain())")
        }
        if requestsClientCertificate { SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { _, _ in 1 } }
        for file in clientAuthorityFiles {
            guard SSL_CTX_load_verify_locations(context, file, nil) == 1 else {
                throw Failure(
                    .usage, "cannot read certificate authorities: \(TLSErrors.drain())", hint: "give a PEM file",
                    place: file)
            }
        }
        if let ticketKeys {
            precondition(ticketKeys.count == Self.ticketKeyBytes, "keys of tickets have \(Self.ticketKeyBytes) bytes")
            let name = Array("pushrig".utf8)
            guard pushrig_ssl_ctx_resume(context, ticketKeys, name, UInt32(name.count)) == 1 else {
                throw Failure(.run, "cannot resume sessions: \(TLSErrors.drain())")
            }
        }
        _ = pushrig_ssl_ctx_ignore_dates(context)
        SSL_CTX_set_alpn_select_cb(context, selectALPN, Unmanaged.passUnretained(self).toOpaque())
    }

    /// A client's context. `caFile` names the only authorities to trust; nil trusts the system's. `certificateFile` and
    /// `keyFile` are what it shows to a server that asks.
    package init(
        clientTrusting caFile: String?, protocols: [String], certificateFile: String? = nil, keyFile: String? = nil
    ) throws(Failure) {
        context = SSL_CTX_new(TLS_client_method())!
        isServer = false
        self.protocols = protocols
        alpnWire = Self.wire(protocols)
        Self.configure(context)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        if let certificateFile, let keyFile {
            guard SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1,
                SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1
            else {
                throw Failure(
                    .usage, "cannot read the client certificate \(certificateFile): \(TLSErrors.drain())",
                    hint: "give a PEM certificate and its key")
            }
        }
        if let caFile {
            guard SSL_CTX_load_verify_locations(context, caFile, nil) == 1 else {
                throw Failure(
                    .usage, "cannot read certificate authorities from \(caFile): \(TLSErrors.drain())",
                    hint: "give a PEM file")
            }
        } else {
            SSL_CTX_set_default_verify_paths(context)
        }
        if !protocols.isEmpty { SSL_CTX_set_alpn_protos(context, alpnWire.baseAddress, UInt32(alpnWire.count)) }
    }

    deinit {
        SSL_CTX_free(context)
        alpnWire.deallocate()
    }

    private static func configure(_ context: OpaquePointer) {
        pushrig_ssl_ctx_set_min_version(context, TLS1_2_VERSION)
        // Idle connections give their record buffers back.
        pushrig_ssl_ctx_set_mode(context, Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE))
        pushrig_ssl_ctx_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_options(context, pushrig_ssl_server_options())
        SSL_CTX_set_num_tickets(context, 0)
    }

    private static func wire(_ protocols: [String]) -> UnsafeMutableBufferPointer<UInt8> {
        let bytes = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        let wire = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = wire.initialize(from: bytes)
        return wire
    }

    fileprivate func select(
        _ output: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ outputCount: UnsafeMutablePointer<UInt8>?,
        _ input: UnsafePointer<UInt8>?, _ inputCount: UInt32
    ) -> Int32 {
        var chosen: UnsafeMutablePointer<UInt8>?
        let result = SSL_select_next_proto(
            &chosen, outputCount, alpnWire.baseAddress, UInt32(alpnWire.count), input, inputCount)
        guard result == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_NOACK }
        output?.pointee = UnsafePointer(chosen)
        return SSL_TLSEXT_ERR_OK
    }
}

private func selectALPN(
    _ ssl: OpaquePointer?, _ output: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ outputCount: UnsafeMutablePointer<UInt8>?, _ input: UnsafePointer<UInt8>?, _ inputCount: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    Unmanaged<TLSContext>.fromOpaque(argument!).takeUnretainedValue()
        .select(output, outputCount, input, inputCount)
}

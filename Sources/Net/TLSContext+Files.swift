// Contexts of files that somebody may have named: OpenSSL, which opens them, would wait for a pipe.

import Basics
import OperatingSystem
import TLS

extension TLSContext {
    /// A client's.
    convenience init(_ settings: TLSClientSettings, protocols: [String]) throws(Failure) {
        try Self.check([settings.caFile, settings.certificateFile, settings.keyFile].compactMap { $0 })
        try self.init(
            clientTrusting: settings.caFile, protocols: protocols, certificateFile: settings.certificateFile,
            keyFile: settings.keyFile)
    }

    /// A server's.
    convenience init(_ settings: TLSServerSettings, protocols: [String]) throws(Failure) {
        try Self.check([settings.certificateFile, settings.keyFile] + settings.clientAuthorityFiles)
        try self.init(
            serverCertificateFile: settings.certificateFile, keyFile: settings.keyFile, protocols: protocols,
            requestsClientCertificate: settings.requestsClientCertificate, clientAuthorityFiles: settings.clientAuthorityFiles,
            ticketKeys: settings.ticketKeys)
    }

    private static func check(_ files: [String]) throws(Failure) {
        for file in files {
            do { try FileSystem.mustBePlain(file) } catch {
                throw Failure(.usage, "cannot read \(file): \(error.words)", hint: "give a file in PEM")
            }
        }
    }
}

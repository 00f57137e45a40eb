// Authorities in the form that Java reads.

package import Basics
import COpenSSL

package enum TrustStore {
    /// Java's own word for its trust stores, which hold nothing secret.
    package static let password = "changeit"

    /// The certificates of a PEM text as a PKCS #12 trust store, sealed with `password`. What else the text holds is passed
    /// over; one without a certificate is a failure.
    package static func pkcs12(pem: String) throws(Failure) -> [UInt8] {
        TLSErrors.clear()
        var count: Int32 = -1
        let bytes = writeMemoryBIOBytes { out in
            count = withMemoryBIO(pem) { pushrig_trust_store($0, password, out) }
            return 1
        }
        guard count > 0 else {
            throw Failure(.usage, "no trust store can be made of these certificates: \(TLSErrors.drain())")
        }
        return bytes
    }
}

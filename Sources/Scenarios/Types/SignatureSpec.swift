// Signatures over a request: what is signed, and where signature, time and digest stand.

package import TLS

/// Where something stands in a request.
package enum RequestPlace: Sendable {
    /// In lower case.
    case header([UInt8])
    /// Of the query, percent-encoded.
    case parameter([UInt8])

    package var header: [UInt8]? { if case .header(let name) = self { name } else { nil } }
    package var parameter: [UInt8]? { if case .parameter(let name) = self { name } else { nil } }
}

/// A keyed digest over parts of the request.
package struct HMACSpec: Sendable {
    package enum Part: Sendable {
        case body, timestamp, method
        /// With the query, as it is sent, but without the signature.
        case path
        /// The path without its query.
        case resource
        /// The query's fields, decoded, names in lower case, in order of their names (Pusher's rule).
        case parameters
        /// Of the body; nothing where there is none.
        case digest
        /// Of the request, by its name in lower case.
        case header(String)
        case text(Template)
    }

    package enum Encoding: String, CaseIterable, Sendable { case hex, base64 }

    /// The instant of signing, by the run's clock.
    package struct Timestamp: Sendable {
        package enum Unit: String, CaseIterable, Sendable {
            case seconds = "s"
            case milliseconds = "ms"
        }

        package var place: RequestPlace
        package var unit: Unit
    }

    /// Of the body; not sent where there is none.
    package struct Digest: Sendable {
        package enum Algorithm: String, CaseIterable, Sendable { case md5, sha256 }

        package var algorithm: Algorithm
        package var place: RequestPlace
        package var encoding: Encoding
    }

    package var key: SecretValue
    package var algorithm: HMACAlgorithm
    /// One behind the other, with nothing between.
    package var over: [Part]
    package var encoding: Encoding
    package var place: RequestPlace
    package var prefix: [UInt8]
    package var timestamp: Timestamp?
    package var digest: Digest?
    /// Fields that it adds to the query, such as the key's name.
    package var parameters: Template?

    /// A request is not changed by it but for headers, and nothing is signed that would have to be put in order first.
    var isOfHeaders: Bool {
        let isPlain = over.allSatisfy { part in
            switch part {
            case .body, .timestamp, .method, .path, .header, .text: true
            case .resource, .parameters, .digest: false
            }
        }
        let places = [place, timestamp?.place].compactMap { $0 }
        return isPlain && digest == nil && parameters == nil && !key.isOfTurns && places.allSatisfy { $0.header != nil }
    }

    /// Names of headers of the request that it signs.
    var signedHeaders: [String] { over.compactMap { if case .header(let name) = $0 { name } else { nil } } }

    /// Names of the headers it writes.
    var headers: [[UInt8]] { [place, timestamp?.place, digest?.place].compactMap { $0?.header } }
}

/// AWS Signature Version 4 in the `authorization` header.
package struct SigV4Spec: Sendable {
    package var accessKeyID: Template
    package var secretAccessKey: SecretValue
    package var sessionToken: SecretValue?
    package var region: [UInt8]
    package var service: [UInt8]

    package init(
        accessKeyID: Template, secretAccessKey: SecretValue, sessionToken: SecretValue? = nil, region: String, service: String
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.region = Array(region.utf8)
        self.service = Array(service.utf8)
    }

    /// Names of the headers it writes.
    static let headers = ["authorization", "x-amz-date", "x-amz-security-token"].map { Array($0.utf8) }
}


// Further credentials for a test: keys of Apple's three kinds, and client certificates, good and bad.

import APNs
import Basics
import MockServer
import Pushes

extension MockServer {
    /// A provider key in a file, as Apple gives it out.
    public struct ProviderKey: Hashable, Sendable {
        /// The key's ID, as in `kid` of a provider token.
        public var keyID: String
        /// The key's team, as in `iss` of a provider token.
        public var teamID: String
        /// The absolute path of the private key, a PKCS #8 PEM file (.p8).
        public var file: String
    }

    /// The topics and environments that a provider key is good for.
    public enum KeyScope: Hashable, Sendable {
        /// All topics of the team, in both environments.
        case team
        /// All topics of the team, in one environment; a team has at most two of them there.
        case environment(Environment)
        /// These bundle IDs in one environment. `related` is the ID of the other such key that may share a connection.
        case topics([String], Environment, related: String? = nil)

        fileprivate var inside: APNs.KeyScope {
            switch self {
            case .team: .team
            case .environment(let place): .environment(place.inside)
            case .topics(let topics, let place, let related): .topics(topics, place.inside, related: related)
            }
        }
    }

    /// Makes a provider key, which is in force at once. `teamID` nil: the team of `providerKeyFile`. Throws beyond a limit of
    /// Apple's portal (a team has two keys for an environment and 200 for topics there), and for a topic that is none.
    public func addKey(_ scope: KeyScope = .team, teamID: String? = nil) throws(MockError) -> ProviderKey {
        do throws(Failure) {
            let key = try service.credentials.makeKey(scope.inside, teamID: teamID)
            return ProviderKey(
                keyID: key.record.keyID, teamID: key.record.teamID, file: service.credentials.store.path(of: key.file))
        } catch {
            throw MockError(error)
        }
    }

    /// A client certificate with its private key, in both forms that clients take. Paths are absolute.
    public struct ClientCertificate: Hashable, Sendable {
        /// The name by which `revoke` knows it.
        public var name: String
        /// The path of the certificate, a PEM file.
        public var certificateFile: String
        /// The path of the private key, a PEM file.
        public var keyFile: String
        /// The path of both in one PKCS #12 file, sealed with `password`.
        public var pkcs12File: String
        /// The password of `pkcs12File`.
        public var password: String
    }

    /// A defect of a client certificate.
    public enum CertificateDefect: Hashable, Sendable { case expired, unknownIssuer, notAProvider, malformedTopics }

    /// Makes a client certificate for 1 to 100 topics, given with their suffixes (`com.example.app`,
    /// `com.example.app.voip`). One with a defect, or for another environment, is answered by GOAWAY. Throws for a topic or
    /// name that is none.
    public func makeCertificate(
        topics: [String], environments: Set<Environment> = [.production, .sandbox], defect: CertificateDefect? = nil,
        name: String? = nil
    ) throws(MockError) -> ClientCertificate {
        var request = CertificateRequest(topics: topics)
        request.environments = Set(environments.map(\.inside))
        request.name = name
        switch defect {
        case .expired: request.defect = .expired
        case .unknownIssuer: request.defect = .unknownIssuer
        case .notAProvider: request.defect = .notAProvider
        case .malformedTopics: request.defect = .malformedTopics
        case nil: break
        }
        do throws(Failure) {
            let made = try service.credentials.makeCertificate(request)
            let store = service.credentials.store
            return ClientCertificate(
                name: made.name, certificateFile: store.path(of: made.file), keyFile: store.path(of: made.keyFile),
                pkcs12File: store.path(of: made.pkcs12File), password: CertificateRequest.password)
        } catch {
            throw MockError(error)
        }
    }

    /// Revokes a provider key by its ID, the first one included, or a certificate by its name. False: there is none. Throws
    /// where the folder cannot be written.
    @discardableResult
    public func revoke(_ credential: String) throws(MockError) -> Bool {
        do throws(Failure) { return try service.credentials.revoke(credential) } catch { throw MockError(error) }
    }
}

extension MockServer.Environment {
    var inside: PushEnvironment { self == .production ? .production : .sandbox }
}

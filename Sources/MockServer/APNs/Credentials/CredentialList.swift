// `credentials.json` of a state directory: the keys and client certificates beside the first key, as values. Written by
// `pushrig keys`, the admin API and embedders; a running mock reads it again when it changes.
//
//     {"keys": [{"keyId", "teamId", "kind": "team" | "environment" | "topic", "environment", "topics",
//                "relatedKeyId", "file": "AuthKey_….p8"}],
//      "certificates": [{"name", "topics", "environments", "defect", "fingerprint", "revoked",
//                        "file": "client-….pem", "keyFile": "client-….key", "pkcs12File": "client-….p12"}]}

package import APNs
package import Basics
package import Pushes

package struct CredentialList: Hashable, Sendable {
    package struct Key: Hashable, Sendable {
        package var record: KeyRecord
        /// PEM of the private or the public key; relative names stand in the state directory.
        package var file: String

        package init(record: KeyRecord, file: String) {
            self.record = record
            self.file = file
        }
    }

    package struct Certificate: Hashable, Sendable {
        /// What it is revoked by.
        package var name: String
        package var topics: [String]
        package var environments: [PushEnvironment]
        package var defect: CertificateRequest.Defect?
        /// SHA-256 of the certificate, lower-case hex digits.
        package var fingerprint: String
        package var isRevoked = false
        package var file: String { "client-\(name).pem" }
        package var keyFile: String { "client-\(name).key" }
        package var pkcs12File: String { "client-\(name).p12" }
    }

    package var keys: [Key] = []
    package var certificates: [Certificate] = []

    package init() {}
}

// MARK: JSON

extension CredentialList {
    /// A usage failure names the entry that is wrong.
    init(json: JSONValue) throws(Failure) {
        for (index, entry) in (json["keys"]?.array ?? []).enumerated() {
            guard let key = Key(json: entry) else { throw Self.wrong("keys", index) }
            keys.append(key)
        }
        for (index, entry) in (json["certificates"]?.array ?? []).enumerated() {
            guard let certificate = Certificate(json: entry) else { throw Self.wrong("certificates", index) }
            certificates.append(certificate)
        }
    }

    private static func wrong(_ list: String, _ index: Int) -> Failure {
        Failure(
            .usage, "/\(list)/\(index) is not an entry of credentials.json",
            hint: "mend it, or remove it and make the credential again with `pushrig keys`")
    }

    var json: JSONValue {
        ["keys": .array(keys.map(\.json)), "certificates": .array(certificates.map(\.json))]
    }
}

extension CredentialList.Key {
    init?(json: JSONValue) {
        guard let keyID = json["keyId"]?.string, let teamID = json["teamId"]?.string,
            let file = json["file"]?.string, let scope = KeyScope(json: json)
        else { return nil }
        record = KeyRecord(keyID: keyID, teamID: teamID, scope: scope)
        self.file = file
    }

    package var json: JSONValue {
        var object = record.json
        object["file"] = .string(file)
        return .object(object)
    }
}

extension KeyScope {
    /// The words of `kind`.
    package static let kinds = ["team", "environment", "topic"]

    /// From `kind`, `environment`, `topics` and `relatedKeyId`; nil when they do not make one of the kinds.
    init?(json: JSONValue) {
        let environment = PushEnvironment.allCases.first { json["environment"]?.string == $0.word.description }
        switch (json["kind"]?.string, environment) {
        case ("team", nil): self = .team
        case ("environment", let environment?): self = .environment(environment)
        case ("topic", let environment?):
            let topics = json["topics"]?.array?.compactMap(\.string) ?? []
            self = .topics(topics, environment, related: json["relatedKeyId"]?.string)
        default: return nil
        }
    }

    package var kind: String {
        switch self {
        case .team: "team"
        case .environment: "environment"
        case .topics: "topic"
        }
    }
}

extension KeyRecord {
    var json: JSONObject {
        [
            "keyId": .string(keyID), "teamId": .string(teamID), "kind": .string(scope.kind),
            "environment": scope.environment.map { .string($0.word.description) } ?? .null,
            "topics": scope.topics.map { .array($0.map(JSONValue.string)) } ?? .null,
            "relatedKeyId": scope.relatedKeyID.map(JSONValue.string) ?? .null,
        ]
    }
}

extension CredentialList.Certificate {
    init?(json: JSONValue) {
        guard let name = json["name"]?.string, let fingerprint = json["fingerprint"]?.string else { return nil }
        self.name = name
        self.fingerprint = fingerprint
        topics = json["topics"]?.array?.compactMap(\.string) ?? []
        let words = json["environments"]?.array?.compactMap(\.string) ?? []
        environments = PushEnvironment.allCases.filter { words.contains($0.word.description) }
        defect = json["defect"]?.string.flatMap { .init(rawValue: $0) }
        isRevoked = json["revoked"]?.bool ?? false
    }

    package var json: JSONValue {
        [
            "name": .string(name), "topics": .array(topics.map(JSONValue.string)),
            "environments": .array(environments.map { .string($0.word.description) }),
            "defect": defect.map { .string($0.rawValue) } ?? .null, "fingerprint": .string(fingerprint),
            "revoked": .bool(isRevoked), "file": .string(file), "keyFile": .string(keyFile),
            "pkcs12File": .string(pkcs12File),
        ]
    }
}

// Where a running mock is and what one needs to talk to it: the content of the ready line and of `mock.json`.

package import Basics
package import Net
package import Pushes

/// All paths are absolute.
package struct MockCoordinates: Hashable, Sendable {
    package var apns: SocketAddress
    /// Further addresses, where they were asked for.
    package var apnsTwin: SocketAddress?
    package var sandbox: SocketAddress?
    package var sandboxTwin: SocketAddress?
    package var admin: SocketAddress?
    /// Where broadcast channels are managed, over HTTP/2 and TLS like `apns`: those of its environment, and of `sandbox`.
    package var channels: SocketAddress?
    package var sandboxChannels: SocketAddress?
    /// FCM and its token endpoint.
    package var fcm: SocketAddress?
    /// The file that FCM's clients are given.
    package var serviceAccount: String?
    /// PEM file to trust.
    package var ca: String
    /// PKCS #8 PEM file (.p8) of the provider key.
    package var apnsKey: String
    package var keyID: String
    package var teamID: String
    /// Never empty.
    package var topics: [String]
    /// The bearer token that the admin API demands; nil on loopback.
    package var adminToken: String?
    /// What `apns` plays.
    package var environment = PushEnvironment.production
    /// Of the server's certificate, beside those that every mock has.
    package var names: [String] = []

    /// Where providers push, in the order of `MockOptions.listeners`.
    var places: [(address: SocketAddress?, environment: PushEnvironment)] {
        [(apns, environment), (apnsTwin, environment), (sandbox, .sandbox), (sandboxTwin, .sandbox)]
    }

    package var adminURL: String? { admin.map { "http://\($0)" } }

    /// Where access tokens are given out.
    package var tokenURL: String? {
        fcm.map { place in
            let called = place.isWildcard ? SocketAddress(host: names.first ?? "127.0.0.1", port: place.port) : place
            return "https://\(called)/token"
        }
    }

    /// The object of the ready line.
    package var json: JSONValue {
        var object: JSONObject = [
            "ready": true,
            "apns": .string(apns.description),
            "fcm": fcm.map { .string($0.description) } ?? .null,
            "admin": adminURL.map(JSONValue.string) ?? .null,
            "channels": channels.map { .string($0.description) } ?? .null,
            "ca": .string(ca),
            "apnsKey": .string(apnsKey),
            "keyId": .string(keyID),
            "teamId": .string(teamID),
            "topics": .array(topics.map(JSONValue.string)),
            "serviceAccount": serviceAccount.map(JSONValue.string) ?? .null,
            "tokenUri": tokenURL.map(JSONValue.string) ?? .null,
            "environment": .string(environment.word.description),
            "names": .array(names.map(JSONValue.string)),
        ]
        func address(_ address: SocketAddress?) -> JSONValue { address.map { .string($0.description) } ?? .null }
        object["apnsTwin"] = address(apnsTwin)
        object["sandbox"] = address(sandbox)
        object["sandboxTwin"] = address(sandboxTwin)
        object["sandboxChannels"] = address(sandboxChannels)
        if let adminToken { object["adminToken"] = .string(adminToken) }
        return .object(object)
    }

    /// One line of JSON, without the line feed.
    package var readyLine: String { json.text }
}

extension MockCoordinates {
    /// As asked for: ports may be 0 still.
    init(_ options: MockOptions, _ identity: MockIdentity) {
        self.init(
            apns: options.apns, apnsTwin: options.apnsTwin, sandbox: options.sandbox, sandboxTwin: options.sandboxTwin,
            admin: options.admin, ca: identity.caFile, apnsKey: identity.providerKeyFile, keyID: identity.keyID,
            teamID: identity.teamID, topics: options.topics.isEmpty ? ["com.example.app"] : options.topics,
            environment: options.environment, names: options.serverNames)
    }

    /// Reads what `json` has written; nil when a needed part is missing.
    package init?(_ json: JSONValue) {
        func address(_ name: String) -> SocketAddress? { json[name]?.string.flatMap { try? SocketAddress(parsing: $0) } }
        guard let apns = address("apns"), let ca = json["ca"]?.string, let key = json["apnsKey"]?.string,
            let keyID = json["keyId"]?.string, let teamID = json["teamId"]?.string,
            let topics = json["topics"]?.array?.compactMap(\.string), !topics.isEmpty
        else { return nil }
        self.init(apns: apns, ca: ca, apnsKey: key, keyID: keyID, teamID: teamID, topics: topics)
        (apnsTwin, sandbox, sandboxTwin) = (address("apnsTwin"), address("sandbox"), address("sandboxTwin"))
        (channels, sandboxChannels) = (address("channels"), address("sandboxChannels"))
        (fcm, serviceAccount) = (address("fcm"), json["serviceAccount"]?.string)
        admin = json["admin"]?.string.flatMap { try? SocketAddress(parsing: String($0.dropFirst("http://".count))) }
        adminToken = json["adminToken"]?.string
        environment = json["environment"]?.string.flatMap { PushEnvironment(word: $0) } ?? .production
        names = json["names"]?.array?.compactMap(\.string) ?? []
    }
}

// Where a running mock is and what one needs to talk to it: the content of the ready line and of `mock.json`.

package import Basics
package import Net

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

    package var adminURL: String? { admin.map { "http://\($0)" } }

    /// The object of the ready line. `fcm` and `serviceAccount` are null: there is no FCM mock yet.
    package var json: JSONValue {
        var object: JSONObject = [
            "ready": true,
            "apns": .string(apns.description),
            "fcm": .null,
            "admin": adminURL.map(JSONValue.string) ?? .null,
            "channels": channels.map { .string($0.description) } ?? .null,
            "ca": .string(ca),
            "apnsKey": .string(apnsKey),
            "keyId": .string(keyID),
            "teamId": .string(teamID),
            "topics": .array(topics.map(JSONValue.string)),
            "serviceAccount": .null,
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

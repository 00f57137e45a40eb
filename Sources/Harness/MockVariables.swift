// Where a mock is, as the variables that a relay is told by: for a shell, for a container.

import Basics
import MockServer
import Net
import OperatingSystem

struct MockVariables {
    enum Format: String, CaseIterable { case sh, docker, json }

    let rows: [(name: String, value: String)]
    /// The key itself, of several lines: a container's file of variables has no place for it.
    private let keyText: (name: String, value: String)
    /// What is not among them though it was asked for, in words; nil: nothing.
    let lack: String?

    /// A mock with names is called by its first. Throws where it could not be called at all.
    init(_ found: MockCoordinates) throws(Failure) {
        let production = try Self.place(found.apns, found.names)
        let sandbox = try found.sandbox.map { address throws(Failure) in try Self.place(address, found.names) } ?? production
        rows = [
            ("APNS_URL", "https://\(production)"), ("APNS_HOST", production.host), ("APNS_PORT", String(production.port)),
            ("APNS_SANDBOX_URL", "https://\(sandbox)"), ("APNS_SANDBOX_HOST", sandbox.host),
            ("APNS_SANDBOX_PORT", String(sandbox.port)), ("APNS_CA_FILE", found.ca), ("APNS_KEY_FILE", found.apnsKey),
            ("APNS_KEY_ID", found.keyID), ("APNS_TEAM_ID", found.teamID), ("APNS_TOPIC", found.topics[0]),
        ] + (try Self.google(found))
        keyText = ("APNS_KEY_TEXT", FileSystem.text(of: found.apnsKey) ?? "")
        lack = found.fcm?.port == 0
            ? "FCM_URL and FCM_TOKEN_URI are left out: port 0 is any port. Ask again when the mock is up.\n" : nil
    }

    private static func google(_ found: MockCoordinates) throws(Failure) -> [(name: String, value: String)] {
        guard let fcm = found.fcm, let account = found.serviceAccount, let tokenURL = found.tokenURL else { return [] }
        let files = [
            ("FCM_CA_FILE", found.ca), ("FCM_PROJECT", MockService.project), ("GOOGLE_APPLICATION_CREDENTIALS", account),
        ]
        if fcm.port == 0 { return files }
        return [("FCM_URL", "https://\(try place(fcm, found.names))"), ("FCM_TOKEN_URI", tokenURL)] + files
    }

    func text(_ format: Format) -> String {
        switch format {
        case .sh: (rows + [keyText]).map { "export \($0.name)=\(CommandText.line([$0.value]))\n" }.joined()
        case .docker: rows.map { "\($0.name)=\($0.value)\n" }.joined()
        case .json: object.text + "\n"
        }
    }

    private var object: JSONValue {
        var object = JSONObject()
        for (name, value) in rows + [keyText] { object[name] = .string(value) }
        return .object(object)
    }

    private static func place(_ address: SocketAddress, _ names: [String]) throws(Failure) -> SocketAddress {
        guard address.port != 0 else {
            throw Failure(
                .usage, "port 0 is any port, and which is not known before the mock is up",
                hint: "name a port, or ask when it is up")
        }
        guard address.isWildcard, names.isEmpty else {
            return SocketAddress(host: names.first ?? address.host, port: address.port)
        }
        throw Failure(
            .usage, "\(address.host) is each address of this machine, and none that could be called",
            hint: "add --name NAME, as which the relay finds it, such as a container's")
    }
}

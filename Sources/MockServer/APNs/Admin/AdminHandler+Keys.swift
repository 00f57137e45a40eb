// Provider keys and client certificates through the admin API.

import APNs
import Basics

extension AdminHandler {
    func listKeys() -> AdminAnswer {
        let list = shared.credentials.list
        let first = shared.keys.records.first { $0.keyID == coordinates.keyID }
        let firstKey = first.map { CredentialList.Key(record: $0, file: coordinates.apnsKey) }
        return AdminAnswer([
            "keys": .array(((firstKey.map { [$0] } ?? []) + list.keys).map(shown)),
            "certificates": .array(
                list.certificates.map { certificate in
                    var object = certificate.json.object ?? JSONObject()
                    for name in ["file", "keyFile", "pkcs12File"] {
                        object[name] = object[name]?.string.map { .string(shared.credentials.store.path(of: $0)) }
                    }
                    return .object(object)
                }),
            "trouble": shared.credentials.trouble.map { .string($0.description) } ?? .null,
        ])
    }

    /// The answer holds the private key: it is a test's, and whoever may ask may use it.
    func addKey(_ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let object = try request.object(["kind", "environment", "topics", "relatedKeyId", "teamId", "keyId"])
        guard let scope = KeyScope(json: .object(object)) else {
            throw AdminError(
                400, "bad-key", "kind and environment do not make a key",
                hint: "kinds are team, without environment, and environment and topic, with production or sandbox")
        }
        do throws(Failure) {
            let key = try shared.credentials.makeKey(
                scope, teamID: object["teamId"]?.string, keyID: object["keyId"]?.string)
            note("add key", key.record.json)
            var answer = shown(key).object ?? JSONObject()
            let pem = try StateDirectory.readWhole(shared.credentials.store.path(of: key.file))
            answer["privateKey"] = .string(pem ?? "")
            return AdminAnswer(.object(answer), status: 201, location: "/v1/keys/" + key.record.keyID)
        } catch {
            throw Self.error(error)
        }
    }

    /// A key's ID or a certificate's name.
    func removeKey(_ id: String) throws(AdminError) -> AdminAnswer {
        do throws(Failure) {
            guard try shared.credentials.revoke(id) else {
                throw Failure(.usage, "there is no key or certificate '\(id)'", hint: "GET /v1/keys lists those there are")
            }
        } catch {
            throw error.kind == .usage
                ? AdminError(404, "no-such-key", error.message, hint: error.hint) : Self.error(error)
        }
        note("revoke key", ["id": .string(id)])
        return .done
    }

    private func shown(_ key: CredentialList.Key) -> JSONValue {
        var object = key.json.object ?? JSONObject()
        object["file"] = .string(shared.credentials.store.path(of: key.file))
        return .object(object)
    }

    private static func error(_ failure: Failure) -> AdminError {
        AdminError(failure.kind == .usage ? 400 : 500, "bad-key", failure.message, hint: failure.hint)
    }
}

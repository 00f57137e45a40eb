// Registrations of FCM through the admin API: tokens and FIDs, whose they are and whether they live.

import Basics
import Devices
import FCM

extension AdminHandler {
    func registration(_ token: String) throws(AdminError) -> AdminAnswer {
        guard let record = try book().record(of: token) else { throw noRegistration() }
        return AdminAnswer(record.json)
    }

    /// Members that are not given take their defaults.
    func putRegistration(_ token: String, _ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let book = try book()
        guard withBytes(of: token, { RegistrationForm.isToken($0) || RegistrationForm.isInstallation($0) }) else {
            throw AdminError(
                400, "bad-registration", "this is neither a registration token nor an installation ID",
                hint: "a token has one colon, an ID is 22 characters")
        }
        let object = try request.object(["state", "project"])
        var record = RegistrationRecord(token: token, project: FCMIdentity.project, state: .active)
        if let value = object["state"] {
            guard let state = value.string.flatMap(RegistrationRecord.State.init) else {
                throw AdminError(
                    400, "bad-member", "state is not one of its words",
                    hint: "there are: " + RegistrationRecord.State.allCases.map(\.rawValue).joined(separator: ", "))
            }
            record.state = state
        }
        if let value = object["project"] {
            guard let project = value.string, 1...64 ~= project.utf8.count else {
                throw AdminError(400, "bad-member", "project is not a name", hint: "give a project's id")
            }
            record.project = project
        }
        let isNew = book.record(of: token) == nil
        book.set(record)
        guard let stored = book.record(of: token) else { throw noRegistration() }
        note("set registration", stored.json.object ?? JSONObject())
        return AdminAnswer(stored.json, status: isNew ? 201 : 200)
    }

    func removeRegistration(_ token: String) throws(AdminError) -> AdminAnswer {
        guard try book().remove(token) else { throw noRegistration() }
        note("remove registration", ["token": .string(token)])
        return .done
    }

    private func book() throws(AdminError) -> RegistrationBook {
        guard let fcm = shared.fcm else {
            throw AdminError(404, "no-fcm", "this mock plays no FCM", hint: "start it with --fcm ADDRESS")
        }
        return fcm.registrations
    }

    private func noRegistration() -> AdminError {
        AdminError(
            404, "no-such-registration", "the registration is not known", hint: "PUT /v1/registrations/{token} makes it known")
    }
}

extension RegistrationRecord {
    var json: JSONValue {
        [
            "token": .string(token), "project": .string(project), "state": .string(state.rawValue),
            "messages": .integer(Int64(messages)),
        ]
    }
}

// Registrations of FCM through the admin API: tokens and FIDs, whose they are and whether they live.

import Basics
import Devices
import FCM

extension AdminHandler {
    func registration(_ token: String) throws(AdminError) -> AdminAnswer {
        guard let record = try fcm().registrations.record(of: token) else { throw noRegistration() }
        return AdminAnswer(record.json)
    }

    /// Members that are not given take their defaults.
    func putRegistration(_ token: String, _ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let book = try fcm().registrations
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
        let before = book.record(of: token)
        book.set(record)
        if let before, record.state == .unregistered || before.project != record.project { forgetTopics(of: before) }
        guard let stored = book.record(of: token) else { throw noRegistration() }
        note("set registration", stored.json.object ?? JSONObject())
        return AdminAnswer(stored.json, status: before == nil ? 201 : 200)
    }

    func removeRegistration(_ token: String) throws(AdminError) -> AdminAnswer {
        let book = try fcm().registrations
        guard let record = book.record(of: token), book.remove(token) else { throw noRegistration() }
        forgetTopics(of: record)
        note("remove registration", ["token": .string(token)])
        return .done
    }

    private func fcm() throws(AdminError) -> FCMShared {
        guard let fcm = shared.fcm else {
            throw AdminError(404, "no-fcm", "this mock plays no FCM", hint: "start it with --fcm ADDRESS")
        }
        return fcm
    }

    /// Whoever is gone, or another project's, listens to nothing.
    private func forgetTopics(of record: RegistrationRecord) {
        shared.fcm?.subscriptions.forget(record.token, project: record.project)
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

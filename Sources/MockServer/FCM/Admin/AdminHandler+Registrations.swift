// Registrations of FCM through the admin API: tokens and FIDs, whose they are, whether they live, and the Android device behind
// one.

import Basics
import Devices
import FCM

extension AdminHandler {
    private static let members = ["state", "project", "platform", "android"]

    func registration(_ token: String) throws(AdminError) -> AdminAnswer {
        guard let record = try fcm().registrations.record(of: token, now: shared.clock.wall()) else { throw noRegistration() }
        return AdminAnswer(json(record))
    }

    /// Members that are not given take their defaults, and without `android` there is no device.
    func putRegistration(_ token: String, _ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let before = try fcm().registrations.record(of: token, now: shared.clock.wall())
        guard withBytes(of: token, { RegistrationForm.isToken($0) || RegistrationForm.isInstallation($0) }) else {
            throw AdminError(
                400, "bad-registration", "this is neither a registration token nor an installation ID",
                hint: "a token has one colon, an ID is 22 characters")
        }
        let object = try request.object(Self.members)
        let base = RegistrationRecord(token: token, project: FCMIdentity.project, state: .active)
        return try set(base, device: nil, object, before: before, isSeen: true)
    }

    /// Members that are not given stay as they are.
    func patchRegistration(_ token: String, _ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let now = shared.clock.wall()
        guard let before = try fcm().registrations.record(of: token, now: now) else { throw noRegistration() }
        let object = try request.object(Self.members)
        let device = shared.devices.androids.record(of: before.hash, now: now)?.setup
        return try set(before, device: device, object, before: before, isSeen: object["state"] != nil)
    }

    func removeRegistration(_ token: String) throws(AdminError) -> AdminAnswer {
        let book = try fcm().registrations
        let now = shared.clock.wall()
        guard let record = book.record(of: token, now: now), book.remove(token) else { throw noRegistration() }
        forgetTopics(of: record)
        shared.devices.androids.remove(record.hash, now: now)
        tellLate()
        note("remove registration", ["token": .string(token)])
        return .done
    }

    /// `base` and `device`: what members that are not given stay at. `isSeen`: it is a sign of life in any case; otherwise only
    /// where the device is not offline throughout.
    private func set(
        _ base: RegistrationRecord, device: AndroidSetup?, _ object: JSONObject, before: RegistrationRecord?, isSeen: Bool
    ) throws(AdminError) -> AdminAnswer {
        let (book, now) = (try fcm().registrations, shared.clock.wall())
        var record = base
        if let value = object["state"] { record.state = try word(value, "state") }
        if let value = object["platform"] { record.platform = try word(value, "platform") }
        if let value = object["project"] {
            guard let project = value.string, 1...SendPath.longestProject ~= project.utf8.count else {
                throw AdminError(400, "bad-member", "project is not a name", hint: "give a project's id")
            }
            record.project = project
        }
        var setup = device
        if let value = object["android"] { setup = try AndroidReading(value)?.setup(device ?? AndroidSetup()) }
        guard setup == nil || record.platform == .android else {
            throw AdminError(
                400, "bad-member", "android is for registrations of that platform",
                hint: "leave it out, or platform; \"android\": null takes the device away")
        }
        let androids = shared.devices.androids
        if record.state == .unregistered { androids.drop(record.hash, now: now) }
        if let setup {
            guard androids.set(setup, of: record.hash, now: now) else {
                throw AdminError(503, "full", "no further Android device can be kept", hint: "remove some, or POST /v1/reset")
            }
        } else {
            androids.remove(record.hash, now: now)
        }
        let wasAway = device?.isOffline == true && setup?.isOffline == true
        book.set(record, now: now, isSeen: isSeen || !wasAway)
        if let before, record.state == .unregistered || before.project != record.project { forgetTopics(of: before) }
        tellLate()
        guard let stored = book.record(of: record.token, now: now) else { throw noRegistration() }
        let answer = json(stored)
        note("set registration", answer.object ?? JSONObject())
        return AdminAnswer(answer, status: before == nil ? 201 : 200)
    }

    private func word<T: CaseIterable & RawRepresentable<String>>(
        _ value: JSONValue, _ name: String
    ) throws(AdminError) -> T {
        guard let word = value.string.flatMap({ T(rawValue: $0) }) else {
            throw AdminError(
                400, "bad-member", "\(name) is not one of its words",
                hint: "there are: " + T.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return word
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

    /// Shape: docs/openapi.yaml, `Registration`.
    private func json(_ record: RegistrationRecord) -> JSONValue {
        let device = shared.devices.androids.record(of: record.hash, now: shared.clock.wall())
        return [
            "token": .string(record.token), "project": .string(record.project), "state": .string(record.state.rawValue),
            "platform": .string(record.platform.rawValue), "messages": .integer(Int64(record.messages)),
            "lastSeen": .string(record.lastSeen.iso8601), "android": device?.json ?? .null,
        ]
    }
}

extension RegistrationRecord {
    fileprivate var hash: Hash128 { withBytes(of: token) { Hash128(hashing: $0) } }
}

// An Android device as the admin API is given it, and as it is shown.

import Basics
import Devices

/// The members of `android`.
struct AndroidReading {
    private static let members = ["package", "vendor", "app", "offline", "dozing", "notificationsDenied"]

    private let object: JSONObject

    /// Nil for null: no device.
    init?(_ value: JSONValue) throws(AdminError) {
        if value.isNull { return nil }
        guard let object = value.object else {
            throw AdminError(400, "bad-member", "android is no object", hint: #"give one such as {"dozing": true}, or null"#)
        }
        if let stranger = object.keys.first(where: { !Self.members.contains($0) }) {
            throw AdminError(
                400, "unknown-member", "unknown member 'android.\(stranger)'",
                hint: "there are: " + Self.members.joined(separator: ", "))
        }
        self.object = object
    }

    /// What is not given stays as in `base`.
    func setup(_ base: AndroidSetup) throws(AdminError) -> AndroidSetup {
        var setup = base
        if let value = object["package"] {
            guard let name = value.string, AndroidSetup.isPackage(name) else {
                throw wrong("package", "is no name of an app", hint: "give one such as com.example.app")
            }
            setup.packageName = name
        }
        setup.vendor = try word("vendor", setup.vendor)
        setup.app = try word("app", setup.app)
        setup.isOffline = try flag("offline", setup.isOffline)
        setup.isDozing = try flag("dozing", setup.isDozing)
        setup.deniesNotifications = try flag("notificationsDenied", setup.deniesNotifications)
        return setup
    }

    private func flag(_ member: String, _ base: Bool) throws(AdminError) -> Bool {
        guard let value = object[member] else { return base }
        guard let flag = value.bool else { throw wrong(member, "is not true or false", hint: "give true or false") }
        return flag
    }

    private func word<T: CaseIterable & RawRepresentable<String>>(_ member: String, _ base: T) throws(AdminError) -> T {
        guard let value = object[member] else { return base }
        guard let word = value.string.flatMap({ T(rawValue: $0) }) else {
            let words = T.allCases.map(\.rawValue).joined(separator: ", ")
            throw wrong(member, "is not one of its words", hint: "there are: " + words)
        }
        return word
    }

    private func wrong(_ member: String, _ message: String, hint: String) -> AdminError {
        AdminError(400, "bad-member", "android.\(member) \(message)", hint: hint)
    }
}

extension AndroidRecord {
    /// Shape: docs/openapi.yaml, `Android`.
    var json: JSONValue {
        [
            "package": .string(setup.packageName), "vendor": .string(setup.vendor.rawValue),
            "app": .string(setup.app.rawValue), "offline": .bool(setup.isOffline), "dozing": .bool(setup.isDozing),
            "notificationsDenied": .bool(setup.deniesNotifications), "stored": .integer(Int64(stored)),
            "onDeletedMessages": .integer(Int64(deletionsTold)),
        ]
    }
}

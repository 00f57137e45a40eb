// Phones, apps and acts as the admin API is given them. A mistake names the member and says what it may be.

import Basics
import Devices
import Faults
import Pushes
import Schemas

/// The members of one object, read by kind.
struct PhoneReading {
    let object: JSONObject
    /// Where it stands, such as `apps[0].`; empty for the root.
    let place: String
    let schemas: PhoneSchemas

    static let phoneMembers = ["ios", "connection", "lowPower"]
    static let appMembers = [
        "environment", "liveActivities", "frequentUpdates", "staleStartToken", "wake", "schema",
    ]

    func wrong(_ member: String, _ message: String, hint: String) -> AdminError {
        AdminError(400, "bad-member", "\(place)\(member) \(message)", hint: hint)
    }

    func checkMembers(_ known: [String]) throws(AdminError) {
        if let stranger = object.keys.first(where: { !known.contains($0) }) {
            throw AdminError(
                400, "unknown-member", "unknown member '\(place)\(stranger)'",
                hint: "there are: " + known.joined(separator: ", "))
        }
    }

    func flag(_ member: String) throws(AdminError) -> Bool? {
        guard let value = object[member] else { return nil }
        guard let flag = value.bool else { throw wrong(member, "is not true or false", hint: "give true or false") }
        return flag
    }

    func bundle(_ member: String) throws(AdminError) -> String? {
        guard let value = object[member] else { return nil }
        guard let text = value.string, isBareBundleID(text) else {
            throw wrong(member, "is not a bundle ID", hint: "give one such as com.example.app, without suffix")
        }
        return text
    }

    func system() throws(AdminError) -> SystemVersion? {
        guard let value = object["ios"] else { return nil }
        guard let version = value.string.flatMap({ SystemVersion(text: $0) }) else {
            throw wrong("ios", "is not a version", hint: #"give one such as "18.1""#)
        }
        return version
    }

    func isOffline() throws(AdminError) -> Bool? {
        guard let value = object["connection"] else { return nil }
        for connection in [Connection.online, .offline] where value.string == connection.word.description {
            return connection == .offline
        }
        throw wrong("connection", "is not one of its words", hint: "there are: online, offline; see also lowPower")
    }

    func environment() throws(AdminError) -> PushEnvironment? {
        guard let value = object["environment"], !value.isNull else { return nil }
        guard let environment = value.string.flatMap({ PushEnvironment(word: $0) }) else {
            throw wrong("environment", "is not one of its words", hint: "there are: production, sandbox, or null for both")
        }
        return environment
    }

    func state() throws(AdminError) -> AppState? {
        guard let value = object["state"] else { return nil }
        guard let state = AppState.allCases.first(where: { $0.word.description == value.string }) else {
            throw wrong("state", "is not one of its words", hint: "there are: background, foreground, killed")
        }
        return state
    }

    func wake() throws(AdminError) -> PhoneWake? {
        guard let value = object["wake"] else { return nil }
        guard let parts = value.object, parts.keys.allSatisfy({ ["delay", "never", "rotate"].contains($0) }) else {
            throw wrong("wake", "is no object of delay, never and rotate", hint: #"give {"delay": "2s", "never": 0.3}"#)
        }
        var wake = PhoneWake()
        do {
            if let delay = parts["delay"] { wake.delay = try Distribution(durations: delay, at: "/delay") }
            if let rotate = parts["rotate"], !rotate.isNull {
                wake.rotate = try Distribution(durations: rotate, at: "/rotate")
            }
        } catch {
            throw wrong("wake", error.pointer + ": " + error.message, hint: error.hint ?? #"such as "2s""#)
        }
        if let never = parts["never"] {
            guard let share = never.double, 0...1 ~= share else {
                throw wrong("wake.never", "is no share", hint: "give a number from 0 to 1")
            }
            wake.never = share
        }
        return wake
    }

    /// The number of the schema; 0 for null; nil when it is not given.
    func schema() throws(AdminError) -> UInt16? {
        guard let value = object["schema"] else { return nil }
        if value.isNull { return 0 }
        let known = ["attributesType", "attributes", "contentState"]
        guard let parts = value.object, parts.keys.allSatisfy({ known.contains($0) }) else {
            throw wrong("schema", "is no object of attributesType, attributes and contentState", hint: "see docs/schemas.md")
        }
        var schema = AppSchema(json: value)
        if let type = parts["attributesType"] {
            guard let text = type.string else {
                throw wrong("schema.attributesType", "is no text", hint: "give the name of the Swift type")
            }
            schema.attributesType = text
        }
        do {
            schema.attributes = try parts["attributes"].map { tree throws(Failure) in
                try Schema(tree, name: place + "schema.attributes")
            }
            schema.contentState = try parts["contentState"].map { tree throws(Failure) in
                try Schema(tree, name: place + "schema.contentState")
            }
        } catch {
            throw AdminError(400, "bad-schema", (error.place.map { $0 + ": " } ?? "") + error.message, hint: error.hint)
        }
        guard let number = schemas.number(of: schema) else {
            throw AdminError(503, "full", "no further schema can be kept", hint: "at most \(PhoneSchemas.limit) different ones")
        }
        return number
    }

    // MARK: Setting up

    func phone(_ name: String) throws(AdminError) -> PhoneSetup {
        try checkMembers(Self.phoneMembers + ["apps"])
        var phone = PhoneSetup(name)
        phone.system = try system() ?? phone.system
        phone.isOffline = try isOffline() ?? false
        phone.isLowOnPower = try flag("lowPower") ?? false
        guard let apps = object["apps"] else { return phone }
        guard let list = apps.array, list.count <= PhoneSettings.appLimit else {
            throw wrong("apps", "is no list of apps", hint: "give at most \(PhoneSettings.appLimit) objects with a bundle")
        }
        for (index, app) in list.enumerated() {
            guard let object = app.object else {
                throw wrong("apps[\(index)]", "is no object", hint: #"give {"bundle": "com.example.app"}"#)
            }
            phone.apps.append(try PhoneReading(object: object, place: "apps[\(index)].", schemas: schemas).app())
        }
        return phone
    }

    private func app() throws(AdminError) -> AppSetup {
        try checkMembers(["bundle", "state"] + Self.appMembers)
        guard let bundle = try bundle("bundle") else {
            throw wrong("bundle", "is missing", hint: "give the app's bundle ID, such as com.example.app")
        }
        var app = try appSetup(bundle)
        app.state = try state() ?? .background
        return app
    }

    /// `former`: the app that comes back. How it is built and woken stays as the tester has set it up, unless given anew; what
    /// its user has switched goes with it.
    func appSetup(_ bundle: String, asBefore former: AppRecord? = nil) throws(AdminError) -> AppSetup {
        var app = AppSetup(bundle)
        app.environment = object["environment"] == nil ? former?.environment : try environment()
        app.allowsActivities = try flag("liveActivities") ?? true
        app.hasFrequentUpdates = try flag("frequentUpdates") ?? false
        app.hasStaleStart = try flag("staleStartToken") ?? false
        app.schema = try schema() ?? former?.schema ?? 0
        app.wake = try wake() ?? former?.wake
        return app
    }
}

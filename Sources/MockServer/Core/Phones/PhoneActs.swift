// A PATCH of a phone, read as acts that are done one after another.

import Basics
import Devices
import Pushes

extension PhoneReading {
    private static let members = phoneMembers + appMembers + ["app", "action", "activity", "dismissal"]

    /// In the order: the phone's members, the app's, the action. `apps` are on the phone, `gone` have been.
    func acts(apps: [String], gone: [AppRecord]) throws(AdminError) -> [PhoneAction] {
        try checkMembers(Self.members)
        if object.isEmpty {
            throw AdminError(
                400, "nothing-to-change", "the body names nothing to change",
                hint: "there are: " + Self.members.joined(separator: ", "))
        }
        var acts: [PhoneAction] = []
        if let system = try system() { acts.append(.setSystem(system)) }
        if let isOffline = try isOffline() { acts.append(.setOffline(isOffline)) }
        if let isLow = try flag("lowPower") { acts.append(.setLowPower(isLow)) }
        let ofApps = Self.appMembers + ["app", "action", "activity", "dismissal"]
        guard object.keys.contains(where: { ofApps.contains($0) }) else { return acts }
        let action = try word()
        let app = try meant(action, apps, gone.map(\.bundle))
        try checkUse(action)
        if action == .install {
            acts.append(.install(try appSetup(app, asBefore: gone.first { $0.bundle == app })))
            return acts
        }
        if object["environment"] != nil {
            throw wrong("environment", "cannot be changed", hint: "uninstall the app and install it anew")
        }
        if let flag = try flag("liveActivities") { acts.append(.allowActivities(app: app, flag)) }
        if let flag = try flag("frequentUpdates") { acts.append(.setFrequentUpdates(app: app, flag)) }
        if let flag = try flag("staleStartToken") { acts.append(.setStaleStart(app: app, flag)) }
        if let wake = try wake() { acts.append(.setWake(app: app, wake)) }
        if let schema = try schema() { acts.append(.update(app: app, schema: schema)) }
        if let action { acts.append(try act(action, app)) }
        return acts
    }

    /// The app that is named, or the only one that can be meant.
    private func meant(_ action: Word?, _ apps: [String], _ gone: [String]) throws(AdminError) -> String {
        if let app = try bundle("app") { return app }
        if action != .install, apps.count == 1 { return apps[0] }
        if action == .install, gone.count == 1, apps.isEmpty { return gone[0] }
        let hint =
            action == .install ? "name the app that is to come by its bundle ID"
            : apps.isEmpty ? "no app is on the phone: install one, with its bundle ID as `app`"
            : "name one of those on the phone: " + apps.joined(separator: ", ")
        throw wrong("app", "is missing", hint: hint)
    }

    /// What only some actions look at is not passed over with others, nor an `app` of which nothing is asked.
    private func checkUse(_ action: Word?) throws(AdminError) {
        if object["activity"] != nil, ![.finish, .dismiss, .tap, .rotate].contains(action) {
            throw wrong("activity", "goes with an action on one", hint: "the actions end, dismiss, tap and rotate take one")
        }
        if object["dismissal"] != nil, action != .finish {
            throw wrong(
                "dismissal", "goes with the action end",
                hint: #"write {"action": "end", "activity": 1, "dismissal": "5s"}"#)
        }
        if action == nil, !object.keys.contains(where: { Self.appMembers.contains($0) }) {
            throw wrong("app", "stands without anything to change on it", hint: "add an action, or one of its members")
        }
    }

    private enum Word: String, CaseIterable {
        case open, background, kill, relaunch, start, finish = "end", dismiss, tap, rotate
        case rotateStart = "rotate-start", rotateDevice = "rotate-device"
        case install, uninstall
    }

    private func word() throws(AdminError) -> Word? {
        guard let value = object["action"] else { return nil }
        guard let word = value.string.flatMap({ Word(rawValue: $0) }) else {
            throw wrong(
                "action", "is not one of its words",
                hint: "there are: " + Word.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return word
    }

    private func act(_ word: Word, _ app: String) throws(AdminError) -> PhoneAction {
        switch word {
        case .open: .open(app: app)
        case .background: .background(app: app)
        case .kill: .kill(app: app)
        case .relaunch: .relaunch(app: app)
        case .start: .start(app: app)
        case .finish: .end(app: app, activity: try activity(), dismissal: try dismissal())
        case .dismiss: .dismiss(app: app, activity: try activity())
        case .tap: .tap(app: app, activity: try activity())
        case .rotate: .rotate(app: app, activity: try activity())
        case .rotateStart: .rotateStart(app: app)
        case .rotateDevice: .rotateDevice(app: app)
        case .install: .install(try appSetup(app))
        case .uninstall: .uninstall(app: app)
        }
    }

    private func activity() throws(AdminError) -> UInt32 {
        guard object["activity"] != nil else {
            throw wrong("activity", "is missing", hint: "say which: a number from 1, as GET /v1/phones/{id} lists them")
        }
        guard let number = object["activity"]?.int.flatMap({ UInt32(exactly: $0) }), number > 0 else {
            throw wrong("activity", "is no number of an activity", hint: "give one from 1, as GET /v1/phones/{id} lists them")
        }
        return number
    }

    private func dismissal() throws(AdminError) -> Interval? {
        guard let value = object["dismissal"], !value.isNull else { return nil }
        guard let span = value.string.flatMap({ Interval(parsing: $0) }), ClockBounds.admits(skew: span) else {
            throw wrong("dismissal", "is no duration", hint: #"give one such as "5s""#)
        }
        return span
    }
}

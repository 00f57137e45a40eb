// A PATCH of a phone, read as acts that are done one after another.

import Basics
import Devices
import Pushes

extension PhoneReading {
    private static let members = phoneMembers + appMembers + ["app", "action", "activity", "dismissal"]

    /// In the order: the phone's members, the app's, the action. `only`: the phone's one app, where it has one.
    func acts(only: String?) throws(AdminError) -> [PhoneAction] {
        try checkMembers(Self.members)
        var acts: [PhoneAction] = []
        if let system = try system() { acts.append(.setSystem(system)) }
        if let isOffline = try isOffline() { acts.append(.setOffline(isOffline)) }
        if let isLow = try flag("lowPower") { acts.append(.setLowPower(isLow)) }
        let ofApps = Self.appMembers + ["app", "action", "activity", "dismissal"]
        guard object.keys.contains(where: { ofApps.contains($0) }) else { return acts }
        guard let app = try bundle("app") ?? only else {
            throw wrong("app", "is missing", hint: "the phone has not just one app: name it by its bundle ID")
        }
        let action = try word()
        if action == .install {
            acts.append(.install(try appSetup(app)))
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

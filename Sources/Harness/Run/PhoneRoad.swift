// From what a script has its users do to what is done on the mock's phones.

import Basics
import Devices
import MockServer
import Planning
import Scenarios

extension PhoneDeed {
    private var action: PhoneAction? {
        switch deed {
        case .offline: .setOffline(true)
        case .online: .setOffline(false)
        case .kill: .kill(app: app)
        case .open: .open(app: app)
        case .relaunch: .relaunch(app: app)
        case .dismiss: activity.map { .dismiss(app: app, activity: $0) }
        }
    }

    /// As a `PATCH /v1/phones/{id}` would say it.
    private var change: JSONObject {
        switch deed {
        case .offline, .online: ["connection": .string(deed.rawValue)]
        case .kill, .open, .relaunch: ["action": .string(deed.rawValue)]
        case .dismiss: ["action": .string(deed.rawValue), "activity": activity.map { .integer(Int64($0)) } ?? .null]
        }
    }

    private func change(_ setup: inout AndroidSetup) {
        switch deed {
        case .offline: setup.isOffline = true
        case .online: setup.isOffline = false
        case .kill: setup.app = .killed
        case .open: setup.app = .foreground
        case .relaunch, .dismiss: break
        }
    }

    /// From any thread; it is done soon, and before a clock that is stepped goes on.
    func carryOut(on mock: MockService) {
        if isOnAndroid {
            let facts: JSONObject = ["change": .string(deed.rawValue), "session": .integer(Int64(session))]
            return mock.change(androidBehind: phone, facts) { change(&$0) }
        }
        guard let action else { return }
        mock.act(action, on: phone, ["change": .object(change), "session": .integer(Int64(session))])
    }
}

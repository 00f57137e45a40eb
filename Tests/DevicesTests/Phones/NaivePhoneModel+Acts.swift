// What a user, an app or the system does on a phone of the second model.

import Basics
import Devices
import Pushes

extension NaivePhoneModel {
    mutating func act(_ action: PhoneAction, on phone: String, at now: WallTime) -> Bool {
        guard let p = phones.firstIndex(where: { $0.name == phone }) else { return false }
        switch action {
        case .setOffline(let isOn):
            phones[p].isOffline = isOn
            reach(p, now)
        case .setLowPower(let isOn):
            phones[p].isLowOnPower = isOn
            reach(p, now)
        case .setSystem(let system): phones[p].system = system
        case .install(let setup): return install(setup, p)
        case .open(let app), .background(let app), .kill(let app), .relaunch(let app), .uninstall(let app), .start(let app):
            return act(action, app: app, p, now)
        case .update(let app, _), .allowActivities(let app, _), .setFrequentUpdates(let app, _), .setStaleStart(let app, _):
            return act(action, app: app, p, now)
        case .end(let app, let number, let dismissal):
            guard let (a, c) = card(app, number, p), phones[p].apps[a].cards[c].endedAt == nil else { return false }
            // Its code has to run.
            guard phones[p].apps[a].setup.state != .killed else { return false }
            end(p, a, c, now, dismissal: dismissal.map { WallTime(seconds: now.seconds) + $0 })
        case .dismiss(let app, let number):
            guard let (a, c) = card(app, number, p), !phones[p].apps[a].cards[c].isGone(now) else { return false }
            guard phones[p].apps[a].cards[c].isOnScreen else { return false }
            dismiss(p, a, c, now)
        case .tap(let app, let number):
            guard let (a, c) = card(app, number, p), !phones[p].apps[a].cards[c].isGone(now) else { return false }
            guard phones[p].apps[a].cards[c].isOnScreen else { return false }
            run(p, a, .foreground, now)
        case .rotate(let app, let number):
            guard let (a, c) = card(app, number, p), phones[p].apps[a].cards[c].endedAt == nil else { return false }
            phones[p].apps[a].cards[c].replacedAt.append(now)
            askToBeTold(p, a, c, now)
        default: return false
        }
        return true
    }

    /// The places of an app that is there and of its activity.
    private func card(_ bundle: String, _ number: UInt32, _ p: Int) -> (Int, Int)? {
        guard let a = phones[p].index(bundle), phones[p].apps[a].isThere, let c = phones[p].apps[a].index(number) else {
            return nil
        }
        return (a, c)
    }

    private mutating func act(_ action: PhoneAction, app: String, _ p: Int, _ now: WallTime) -> Bool {
        guard let a = phones[p].index(app), phones[p].apps[a].isThere else { return false }
        switch action {
        case .open: run(p, a, .foreground, now)
        case .relaunch:
            phones[p].apps[a].setup.state = .killed
            run(p, a, .background, now)
        case .background:
            // A killed app is not brought back by this.
            if phones[p].apps[a].setup.state != .killed { phones[p].apps[a].setup.state = .background }
        case .kill:
            phones[p].apps[a].setup.state = .killed
            for c in phones[p].apps[a].cards.indices { phones[p].apps[a].cards[c].wakeAt = nil }
        case .uninstall: uninstall(p, a, now)
        case .start:
            let setup = phones[p].apps[a].setup
            guard setup.state == .foreground, setup.allowsActivities else { return false }
            return begin(p, a, now, timestamp: now.seconds) != nil
        case .update(_, let schema):
            // Its process ends with its version.
            phones[p].apps[a].setup.schema = schema
            if phones[p].apps[a].setup.state == .foreground { phones[p].apps[a].setup.state = .background }
        case .setFrequentUpdates(_, let isOn): phones[p].apps[a].setup.hasFrequentUpdates = isOn
        case .setStaleStart(_, let isOn): phones[p].apps[a].setup.hasStaleStart = isOn
        case .allowActivities(_, let isOn):
            phones[p].apps[a].setup.allowsActivities = isOn
            for c in phones[p].apps[a].cards.indices where !isOn && phones[p].apps[a].cards[c].endedAt == nil {
                dismiss(p, a, c, now)
            }
        default: return false
        }
        return true
    }

    /// What waited for the network happens, if the phone has it.
    private mutating func reach(_ p: Int, _ now: WallTime) {
        release(p, now)
        for a in phones[p].apps.indices {
            for c in phones[p].apps[a].cards.indices {
                if let wakeAt = phones[p].apps[a].cards[c].wakeAt, wakeAt <= now { learn(p, a, c, now) }
            }
        }
    }

    /// The app runs, and is told of the tokens that it does not know.
    private mutating func run(_ p: Int, _ a: Int, _ state: AppState, _ now: WallTime) {
        if phones[p].apps[a].setup.state == .killed {
            // A new process asks for the tokens of all that lives, those that an earlier one was told of included.
            for c in phones[p].apps[a].cards.indices { phones[p].apps[a].cards[c].told = 0 }
        }
        if state == .foreground {
            // Only one app is in the foreground.
            for other in phones[p].apps.indices where phones[p].apps[other].setup.state == .foreground {
                phones[p].apps[other].setup.state = .background
            }
        }
        phones[p].apps[a].setup.state = state
        for c in phones[p].apps[a].cards.indices { learn(p, a, c, now) }
    }

    private mutating func install(_ setup: AppSetup, _ p: Int) -> Bool {
        guard let a = phones[p].index(setup.bundle) else {
            phones[p].apps.append(NaiveApp(setup: setup))
            return true
        }
        guard !phones[p].apps[a].isThere else { return false }
        phones[p].apps[a].setup = setup
        phones[p].apps[a].installation += 1
        return true
    }

    private mutating func uninstall(_ p: Int, _ a: Int, _ now: WallTime) {
        for c in phones[p].apps[a].cards.indices {
            if phones[p].apps[a].cards[c].endedAt == nil { end(p, a, c, now, dismissal: now) }
            phones[p].apps[a].cards[c].goneAt = min(now, phones[p].apps[a].cards[c].goneAt ?? now)
            phones[p].apps[a].cards[c].removedAt = phones[p].apps[a].cards[c].removedAt ?? now
        }
        phones[p].apps[a].removedAt.append(now)
    }
}

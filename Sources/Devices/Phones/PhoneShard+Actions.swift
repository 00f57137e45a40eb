// What users, apps and the world do to phones.

import APNs
import Basics
import Pushes

extension PhoneShard {
    mutating func act(_ action: PhoneAction, on name: String, now: WallTime) throws(PhoneRefusal) {
        catchUp(now)
        guard let phone = phone(named: name) else { throw .noPhone(name) }
        switch action {
        case .setOffline(let isOffline):
            tables.phones[phone].isOffline = isOffline
            reconnect(phone, now: now)
            if !isOffline { learnWaitingTokens(on: phone, now: now) }
        case .setLowPower(let isLow):
            tables.phones[phone].isLowOnPower = isLow
            reconnect(phone, now: now)
        case .setSystem(let system): tables.phones[phone].system = system
        case .install(let setup): try install(setup, on: phone, now: now)
        default: try actOnApp(action, on: phone, now: now)
        }
    }

    private mutating func actOnApp(_ action: PhoneAction, on phone: Int32, now: WallTime) throws(PhoneRefusal) {
        let bundle = action.app
        guard let app = app(bundle, on: phone), !tables.apps[app].isGone else { throw .noApp(bundle) }
        switch action {
        case .uninstall: uninstall(app, now: now)
        case .open: open(app, now: now)
        case .background:
            // One that was killed does not run, and nothing but the user or a relaunch brings it back.
            if tables.apps[app].state == .foreground { tables.apps[app].state = .background }
        case .kill: kill(app)
        case .relaunch: relaunch(app, as: .background, now: now)
        case .update(_, let schema):
            tables.apps[app].schema = schema
            if tables.apps[app].state != .killed { tables.apps[app].state = .background }
        case .allowActivities(_, let isAllowed): allowActivities(app, isAllowed, now: now)
        case .setFrequentUpdates(_, let isOn): tables.apps[app].hasFrequentUpdates = isOn
        case .setStaleStart(_, let isStale): tables.apps[app].hasStaleStart = isStale
        case .setWake(_, let wake): tables.apps[app].wake = number(of: wake)
        case .start: try start(app, bundle, now: now)
        case .rotateStart: rotate(.start, of: app, now: now)
        case .rotateDevice: rotate(.device, of: app, now: now)
        default: try actOnCard(action, app: app, now: now)
        }
    }

    private mutating func actOnCard(_ action: PhoneAction, app: Int32, now: WallTime) throws(PhoneRefusal) {
        guard let ordinal = action.activity else { return }
        guard let card = tables.card(ordinal, of: app) else { throw .noActivity(ordinal, app: action.app) }
        settle(card, now: now)
        let state = tables.cards[card].state(at: now, settings)
        if state == .dismissed { throw .activityGone(ordinal, app: action.app) }
        if action.isOnCard, tables.cards[card].isNeverShown { throw .neverShown(ordinal, app: action.app) }
        switch action {
        case .dismiss:
            finish(card, .user, now: now)
            tell(.dismissed, card, at: now)
        case .tap: open(app, now: now)
        case .end(_, _, let dismissal):
            if state > .stale { throw .activityOver(ordinal, app: action.app) }
            if tables.apps[app].state == .killed { throw .notRunning(action.app) }
            finish(card, .app, dismissal: dismissal.map { (now + $0).seconds }, now: now)
            tell(.ended, card, at: now)
        case .rotate:
            if state > .stale { throw .activityOver(ordinal, app: action.app) }
            rotate(card, now: now)
        default: break
        }
    }

    // MARK: Apps

    mutating func install(_ setup: AppSetup, on phone: Int32, now: WallTime) throws(PhoneRefusal) {
        let place: Int32
        if let former = app(setup.bundle, on: phone) {
            guard tables.apps[former].isGone else { throw .appExists(setup.bundle) }
            place = former
            tables.apps[place].installation &+= 1
        } else {
            guard tables.apps(of: phone).count < PhoneSettings.appLimit else { throw .tooManyApps }
            let bundle = withBytes(of: setup.bundle) { bundles.number(of: $0) }
            guard bundle > 0 else { throw .full }
            var row = AppRow()
            (row.phone, row.next, row.bundle) = (phone, tables.phones[phone].firstApp, bundle)
            place = tables.apps.add(row)
            tables.phones[phone].firstApp = place
        }
        tables.apps[place].isGone = false
        tables.apps[place].environment = setup.environment
        tables.apps[place].allowsActivities = setup.allowsActivities
        tables.apps[place].hasFrequentUpdates = setup.hasFrequentUpdates
        tables.apps[place].hasStaleStart = setup.hasStaleStart
        tables.apps[place].schema = setup.schema
        tables.apps[place].wake = setup.wake.map { number(of: $0) } ?? 0
        (tables.apps[place].deviceRotation, tables.apps[place].startRotation) = (0, 0)
        tables.apps[place].deviceKey = mint(token(.device, of: place))
        index.insert(PhoneRef(.device, place), in: tables)
        tables.apps[place].startKey = mint(token(.start, of: place))
        index.insert(PhoneRef(.start, place), in: tables)
        tables.apps[place].state = .background
        if setup.state == .foreground { open(place, now: now) } else { tables.apps[place].state = setup.state }
    }

    /// Its activities go with it; all its tokens are dead for good, which APNs tells after `unregisteredDelay` (apns.md §13).
    private mutating func uninstall(_ app: Int32, now: WallTime) {
        for card in tables.cards(of: app) where tables.cards[card].state(at: now, settings) != .dismissed {
            let wasOver = tables.cards[card].state(at: now, settings) > .stale
            finish(card, .user, now: now)
            if !wasOver { tell(.ended, card, at: now) }
        }
        for card in tables.cards(of: app) { retire(PhoneRef(.activity, card), app: app, now: now) }
        tables.apps[app].isGone = true
        tables.apps[app].state = .killed
        // What its user had switched goes with it.
        (tables.apps[app].allowsActivities, tables.apps[app].hasFrequentUpdates) = (true, false)
        tables.apps[app].hasStaleStart = false
        visible[app] = nil
        for kind in [PhoneRef.Kind.device, .start] { retire(PhoneRef(kind, app), app: app, now: now) }
    }

    /// One app is in the foreground.
    private mutating func open(_ app: Int32, now: WallTime) {
        for other in tables.apps(of: tables.apps[app].phone) where tables.apps[other].state == .foreground {
            tables.apps[other].state = .background
        }
        if tables.apps[app].state == .killed { return relaunch(app, as: .foreground, now: now) }
        tables.apps[app].state = .foreground
        for card in tables.cards(of: app).reversed() where !tables.cards[card].isTokenKnown { learnToken(of: card, now: now) }
    }

    /// What its process was about to learn it learns no more (apns.md §10: no token where the app is not awake).
    private mutating func kill(_ app: Int32) {
        tables.apps[app].state = .killed
        for card in tables.cards(of: app) { tables.cards[card].wakeAt = .never }
    }

    private mutating func relaunch(_ app: Int32, as state: AppState, now: WallTime) {
        tables.apps[app].state = state
        for card in tables.cards(of: app).reversed() {
            // To an app that starts anew each token is the first it sees.
            tables.cards[card].wasTokenKnown = false
            learnToken(of: card, now: now)
        }
    }

    private mutating func learnWaitingTokens(on phone: Int32, now: WallTime) {
        for app in tables.apps(of: phone) {
            for card in tables.cards(of: app).reversed() where tables.cards[card].wakeAt <= now {
                learnToken(of: card, now: now)
            }
        }
    }

    /// Switched off, the system removes the activities that live. ActivityKit calls that `dismissed`, too: "a person or the
    /// system removed it".
    private mutating func allowActivities(_ app: Int32, _ isAllowed: Bool, now: WallTime) {
        tables.apps[app].allowsActivities = isAllowed
        guard !isAllowed else { return }
        for card in tables.cards(of: app) where tables.cards[card].state(at: now, settings) <= .stale {
            finish(card, .system, now: now)
            tell(.dismissed, card, at: now)
        }
    }

    private mutating func start(_ app: Int32, _ bundle: String, now: WallTime) throws(PhoneRefusal) {
        guard tables.apps[app].state == .foreground else { throw .notInForeground(bundle) }
        guard tables.apps[app].allowsActivities else { throw .switchedOff }
        if begin(CardRow(), app: app, now.seconds, now: now) == nil { throw .full }
    }

    private mutating func number(of wake: PhoneWake) -> UInt16 {
        if let known = wakes.firstIndex(of: wake) { return UInt16(known) }
        // Beyond that many different ones the last is replaced.
        if wakes.count > 4096 { wakes.removeLast() }
        wakes.append(wake)
        return UInt16(wakes.count - 1)
    }

    // MARK: Tokens

    mutating func rotate(_ card: Int32, now: WallTime) {
        retire(PhoneRef(.activity, card), app: tables.cards[card].app, now: now)
        tables.cards[card].rotation &+= 1
        tables.cards[card].isTokenKnown = false
        tables.cards[card].key = mint(token(ofCard: card))
        index.insert(PhoneRef(.activity, card), in: tables)
        _ = wake(for: card, now: now)
    }

    /// The relay is told by the app at its next registration, which is no event of an activity.
    private mutating func rotate(_ use: PhoneTokenUse, of app: Int32, now: WallTime) {
        let kind = use == .start ? PhoneRef.Kind.start : .device
        retire(PhoneRef(kind, app), app: app, now: now)
        if use == .start {
            tables.apps[app].startRotation &+= 1
            tables.apps[app].hasStaleStart = false
            tables.apps[app].startKey = mint(token(.start, of: app))
        } else {
            tables.apps[app].deviceRotation &+= 1
            tables.apps[app].deviceKey = mint(token(.device, of: app))
        }
        index.insert(PhoneRef(kind, app), in: tables)
    }

    // MARK: Phones

    /// Makes the phone, in the place of one of that name.
    mutating func make(_ setup: PhoneSetup, now: WallTime) throws(PhoneRefusal) {
        catchUp(now)
        guard setup.apps.count <= PhoneSettings.appLimit else { throw .tooManyApps }
        for (place, app) in setup.apps.enumerated() where setup.apps[..<place].contains(where: { $0.bundle == app.bundle }) {
            throw .appExists(app.bundle)
        }
        if phone(named: setup.name) != nil { remove(setup.name) }
        var row = PhoneRow()
        (row.name, row.system) = (setup.name, setup.system)
        (row.isOffline, row.isLowOnPower) = (setup.isOffline, setup.isLowOnPower)
        let phone = tables.phones.add(row)
        index.insert(PhoneRef(.phone, phone), in: tables)
        reconnect(phone, now: now)
        do throws(PhoneRefusal) {
            for app in setup.apps { try install(app, on: phone, now: now) }
        } catch {
            // What is half made is no phone.
            remove(setup.name)
            throw error
        }
    }

    /// Forgets the phone with all that is on it; false: there is none of that name. What was stored for it is lost.
    @discardableResult
    mutating func remove(_ name: String) -> Bool {
        guard let phone = phone(named: name) else { return false }
        for push in away[phone]?.stored ?? [] {
            late.append(LateOutcome(push: push.push, outcome: .notDelivered, reason: .appGone))
        }
        away[phone] = nil
        for app in tables.apps(of: phone) {
            for card in tables.cards(of: app) { removeCard(card) }
            if !tables.apps[app].isGone {
                for kind in [PhoneRef.Kind.device, .start] { index.remove(PhoneRef(kind, app), in: tables) }
            }
            for (key, token) in retired where token.app == app { retired[key] = nil }
            visible[app] = nil
            tables.apps.remove(app)
        }
        index.remove(PhoneRef(.phone, phone), in: tables)
        tables.phones.remove(phone)
        forgetExpenses(of: phone)
        return true
    }
}

extension PhoneAction {
    /// The app it concerns; empty: the phone as a whole.
    package var app: String {
        switch self {
        case .setOffline, .setLowPower, .setSystem: ""
        case .install(let setup): setup.bundle
        case .uninstall(let app), .open(let app), .background(let app), .kill(let app), .relaunch(let app),
            .update(let app, _), .allowActivities(let app, _), .setFrequentUpdates(let app, _),
            .setStaleStart(let app, _), .setWake(let app, _), .start(let app), .end(let app, _, _),
            .dismiss(let app, _), .tap(let app, _), .rotate(let app, _), .rotateStart(let app), .rotateDevice(let app):
            app
        }
    }

    /// It is done with a hand on the card.
    fileprivate var isOnCard: Bool {
        switch self {
        case .dismiss, .tap: true
        default: false
        }
    }

    package var activity: UInt32? {
        switch self {
        case .end(_, let activity, _), .dismiss(_, let activity), .tap(_, let activity), .rotate(_, let activity): activity
        default: nil
        }
    }
}

// What the second model of a phone knows: arrays of plain things, each with its own times, and nothing computed twice.

import Basics
import Devices
import Pushes

/// A Live Activity on a phone. It is kept after its end, for pushes to it still arrive.
struct NaiveCard {
    var number: UInt32
    var startedAt: WallTime
    /// `aps.timestamp` of the newest state that was taken, and of the one on the screen.
    var taken: Int64
    var shown: Int64
    var staleDate: Int64?
    /// False: its stale-date had passed when it started.
    var isOnScreen = true
    var drawnAt: WallTime
    /// A newer state than the one on the screen waits for the next drawing.
    var isWaiting = false
    /// When it ended; nil: it lives.
    var endedAt: WallTime?
    /// When the card leaves, or has left, the Lock Screen; nil while the activity lives.
    var goneAt: WallTime?
    /// When each token but the last was replaced, the oldest first.
    var replacedAt: [WallTime] = []
    /// How many of its tokens the app has been told of, counted up to the one it has.
    var told = 0
    /// When the app is woken to be told of the token; nil: it is not.
    var wakeAt: WallTime?
    /// Since when APNs calls the token unregistered, as its app was removed.
    var removedAt: WallTime?

    func isGone(_ now: WallTime) -> Bool { goneAt.map { $0 <= now } ?? false }

    func state(_ now: WallTime) -> ActivityState {
        if isGone(now) { return .dismissed }
        if endedAt != nil { return .ended }
        if let staleDate, WallTime(seconds: staleDate) <= now { return .stale }
        return .active
    }

    /// Shows the newest state.
    mutating func draw(_ now: WallTime) { (shown, drawnAt, isWaiting) = (taken, now, false) }

    /// The end, at which the last state is drawn. The card stays for `stay`.
    mutating func end(_ now: WallTime, gone: WallTime) {
        draw(now)
        (endedAt, goneAt, wakeAt) = (now, gone, nil)
    }
}

/// A budget of `limit` pushes in `window`: what was spent of the window is given back second by second.
struct NaiveBudget {
    private var spent = Interval.zero
    private var at = WallTime(nanoseconds: 0)

    /// False: there was not enough. `owes`: what is refused is charged too.
    mutating func spend(_ now: WallTime, limit: Int?, window: Interval, owes: Bool) -> Bool {
        guard let limit else { return true }
        let price = Interval(nanoseconds: window.nanoseconds / Int64(limit))
        (spent, at) = (max(.zero, spent - (now - at)), now)
        let isEnough = spent + price <= window
        if isEnough || owes { spent += price }
        return isEnough
    }
}

/// An app, and what is kept of it after its removal.
struct NaiveApp {
    var setup: AppSetup
    /// 1 for the first.
    var installation: UInt32 = 1
    /// When the installations but the last one were removed, and the last one too if it was.
    var removedAt: [WallTime] = []
    var cards: [NaiveCard] = []
    var lastNumber: UInt32 = 0

    var isThere: Bool { removedAt.count < installation }
    func index(_ number: UInt32) -> Int? { cards.firstIndex { $0.number == number } }
}

/// A push that APNs keeps for a phone.
struct NaiveStored {
    var push: ModelPush
    /// One push is kept in each.
    var place: String
    /// When it expires.
    var deadline: WallTime
    /// When its batch is due; nil: it is in none.
    var batch: WallTime?
}

/// A phone, and the pushes that are kept for it in the order in which they came.
struct NaivePhone {
    var name: String
    var system: SystemVersion
    var isOffline: Bool
    var isLowOnPower: Bool
    var apps: [NaiveApp]
    var stored: [NaiveStored] = []
    /// Of the device, whatever the app.
    var starts = NaiveBudget()
    var urgent = NaiveBudget()

    func index(_ bundle: String) -> Int? { apps.firstIndex { $0.setup.bundle == bundle } }
}

/// What is to happen on a phone at a time.
struct NaiveDue {
    /// In the order in which they happen at the same time.
    enum Kind: Int { case expiry, age, wake, drawing, batch }

    var at: WallTime
    var kind: Kind
    var phone: Int
    var app = 0
    /// A card's or a stored push's place.
    var item = 0
}

// What pushes to one token have used up: the rate at which APNs refuses, and the budgets with which a device throttles
// (docs/apns.md §5, §6, §10). Off the plain path: only made when a limit is set.

import APNs
package import Basics
import Pushes

/// A device's budgets; nil: without limit. None has a published size but the background pushes' "two or three per
/// hour", so all are off unless set, also because a load test packs hours into minutes. A budget of `n` per hour lets
/// `n` through at once and then one each nth part of the hour.
package struct DeviceBudgets: Sendable, Hashable {
    /// Live Activity updates and ends at priority 10, per hour.
    package var urgentActivity: Int?
    /// The same where the app asks for frequent updates; nil: the same size.
    package var frequentActivity: Int?
    /// Starts of activities, per `startWindow`. "About 10 in a short time" (§10).
    package var starts: Int?
    package var startWindow = Interval.seconds(3600)
    /// Background pushes, per hour. Documented: two or three.
    package var background: Int?
    /// Reloads of an app's widgets, per day. Apple names 40 to 70 (apns.md §4).
    package var widgets: Int?

    package init() {}

    var areCounted: Bool {
        urgentActivity != nil || frequentActivity != nil || starts != nil || background != nil || widgets != nil
    }
}

/// One push as a budget sees it.
struct Expense {
    enum Budget { case urgentActivity, starts, background, widgets }
    var budget: Budget
    /// What one push costs, and what the budget holds.
    var price: Interval
    var size: Interval
}

extension DeviceBudgets {
    /// Nil: the push costs nothing.
    func expense(_ use: BudgetUse, hasFrequentUpdates: Bool) -> Expense? {
        switch use {
        case .urgentActivity:
            let limit = hasFrequentUpdates ? frequentActivity ?? urgentActivity : urgentActivity
            return Self.expense(.urgentActivity, limit, per: .seconds(3600))
        case .start: return Self.expense(.starts, starts, per: startWindow)
        case .background: return Self.expense(.background, background, per: .seconds(3600))
        case .widgets: return Self.expense(.widgets, widgets, per: .seconds(86_400))
        case .free: return nil
        }
    }

    private static func expense(_ budget: Expense.Budget, _ limit: Int?, per window: Interval) -> Expense? {
        limit.map { limit in
            let price = Interval(nanoseconds: window.nanoseconds / Int64(max(1, limit)))
            return Expense(budget: budget, price: price, size: window)
        }
    }
}

/// Which budget a push is for.
enum BudgetUse {
    case free, urgentActivity, start, background, widgets

    init(_ facts: PushFacts) {
        if let activity = facts.activity {
            self = activity.event == .start ? .start : facts.priority == 10 ? .urgentActivity : .free
        } else {
            self = facts.pushType == .background ? .background : facts.pushType == .widgets ? .widgets : .free
        }
    }
}

/// The moment, for each budget, at which it will be whole again.
struct BudgetLedger {
    private var urgentActivity = WallTime(nanoseconds: 0)
    private var starts = WallTime(nanoseconds: 0)
    private var background = WallTime(nanoseconds: 0)
    private var widgets = WallTime(nanoseconds: 0)

    /// False, and nothing taken, when too little is left.
    mutating func spend(_ expense: Expense, now: WallTime) -> Bool {
        switch expense.budget {
        case .urgentActivity: Self.spend(&urgentActivity, expense, now)
        case .starts: Self.spend(&starts, expense, now)
        case .background: Self.spend(&background, expense, now)
        case .widgets: Self.spend(&widgets, expense, now)
        }
    }

    /// Takes the price of a start whatever is left, as phones do (apns.md §10: "refused starts are charged too"); how many
    /// more there are, below zero when this one is too many, at least -1000.
    mutating func chargeStart(_ expense: Expense, now: WallTime) -> Int {
        let price = max(1, expense.price.nanoseconds)
        let latest = now + expense.size + Interval(nanoseconds: price.saturating(times: 1000))
        starts = min(max(starts, now) + expense.price, latest)
        let left = (expense.size - (starts - now)).nanoseconds
        return Int(left >= 0 ? left / price : (left - price + 1) / price)
    }

    private static func spend(_ wholeAt: inout WallTime, _ expense: Expense, _ now: WallTime) -> Bool {
        let base = max(wholeAt, now)
        guard base - now <= expense.size - expense.price else { return false }
        wholeAt = base + expense.price
        return true
    }
}

/// The counters of one token.
struct TokenMeters {
    private var second: UInt32 = 0
    private var pushes: UInt32 = 0
    var budgets = BudgetLedger()

    /// Counts a push in the second of `now`; the number of pushes in that second so far.
    mutating func countInSecond(_ now: Int64) -> Int {
        let current = UInt32(truncatingIfNeeded: now)
        if current != second { (second, pushes) = (current, 0) }
        pushes &+= 1
        return Int(pushes)
    }
}

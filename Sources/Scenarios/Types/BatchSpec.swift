// Events of one call that go to the relay in one request: an array with an item for each.

package import Basics

package struct BatchSpec: Sendable {
    /// Items at most: 2 to 500.
    package var most: Int
    /// From the first event of a batch until it leaves, full or not, by the run's clock.
    package var window: Interval
    /// The body in front of the items and behind them, which says nothing of an event.
    package var before: Template
    package var after: Template
    /// What an event says in it.
    package var item: Template
    /// Where the answer tells of each event; nil: its status is every event's.
    package var results: JSONPointerPath?
    /// In a result, what it is named by; nil: results are in the order of the items, or in a mapping by name.
    package var by: JSONPointerPath?
    /// What an event's result is named; nil: results are in the order of the items.
    package var name: Template?

    package init(most: Int, window: Interval, before: Template, item: Template, after: Template) {
        self.most = most
        self.window = window
        self.before = before
        self.item = item
        self.after = after
    }
}

extension TemplateVariable {
    /// The same for all events that can be in a batch.
    var isShared: Bool {
        switch self {
        case .session(.topic), .session(.run), .now: true
        case .session, .event, .own, .captured, .fed: false
        }
    }
}

// One event on its way: a request whose memory is used again, and everything that must be remembered until it is
// answered.

import Basics
import Journal
import Net
import Planning

/// Told what becomes of flights. Confined to their loop.
protocol FlightObserver: AnyObject {
    /// The request's bytes were handed to the kernel; not `isFirst` when they had to be sent again.
    func handedOver(_ flight: Flight, isFirst: Bool)
    func landed(_ flight: Flight, _ outcome: ClientOutcome)
}

final class Flight {
    let request = OutgoingRequest()
    /// Made once, so that sending makes no closure.
    private(set) var completion: (ClientOutcome) -> Void = { _ in }
    /// The session's row in the table.
    var row: UInt32 = 0
    var event = PlannedEvent(session: 0, step: 0, at: .zero, call: 0, scriptStep: 0)
    var plannedAt = Instant(nanoseconds: 0)
    /// The instant from which nothing but we held it back: planned, and let go by the order of its session.
    var releasedAt = Instant(nanoseconds: 0)
    /// Since when it only waits for its batch or for an access token, and how long it has so far.
    var readyAt = Instant(nanoseconds: 0)
    var setup = Interval.zero
    /// What it goes in with others; nil: it goes alone.
    var batch: Batch?
    /// The number of its access token, and whether that is the second one.
    var token = 0
    var hadOtherToken = false
    /// When it was given to the connection pool.
    var dispatchedAt = Instant(nanoseconds: 0)

    /// What is needed to say it again.
    var script: UInt16 = 0
    var context: EventContext?
    /// Answers so far after which it is tried again, and of these the ones after which the relay may have acted.
    var tries = 0
    var extraAttempts: UInt8 = 0
    /// Of the first try.
    var firstSentAt: Instant?
    var firstLateness = Interval.zero
    /// Of the last try that was answered.
    var lastStatus = 0
    var lastFailure = EventFailure.throttled
    var lastAnsweredAt = Instant(nanoseconds: 0)

    init(_ observer: any FlightObserver) {
        // Strong, for an unowned reference is counted too: `forget` breaks the circle.
        completion = { outcome in observer.landed(self, outcome) }
        request.handedOver = { isFirst in observer.handedOver(self, isFirst: isFirst) }
    }

    /// As if nothing had ever been sent.
    func begin(script: UInt16, _ context: EventContext?) {
        self.script = script
        self.context = context
        tries = 0
        extraAttempts = 0
        firstSentAt = nil
        setup = .zero
        batch = nil
        hadOtherToken = false
    }

    /// What carries it.
    var carrier: OutgoingRequest { batch?.request ?? request }

    /// It goes once more after that answer, which stands should nothing come of it.
    func remember(_ response: ClientResponse, as failure: EventFailure) {
        if firstSentAt == nil {
            firstLateness = lateness
            firstSentAt = carrier.sentAt ?? response.sentAt
        }
        lastStatus = response.status
        lastAnsweredAt = response.answeredAt
        lastFailure = failure
    }

    /// Ends the flight for good; what still comes is not heard.
    func forget() {
        batch = nil
        completion = { _ in }
        request.handedOver = nil
    }

    /// How late we were, and nobody else. What the pool waited for a connection is the relay's, to gather a batch and to fetch
    /// an access token is how it is called; all the rest until the bytes were handed over is ours.
    var lateness: Interval {
        if firstSentAt != nil { return firstLateness }
        let left = carrier.sentAt.map { $0 - carrier.waited } ?? dispatchedAt
        return max(.zero, left - releasedAt - setup)
    }
}

/// The window of unanswered events. Flights are made when first needed and kept, so its limit bounds their memory.
struct Window {
    let limit: Int
    private var idle: [Flight] = []
    private var all: [Flight] = []

    init(limit: Int) { self.limit = limit }

    var inFlight: Int { all.count - idle.count }

    /// Nil when the window is full.
    mutating func take(_ make: () -> Flight) -> Flight? {
        if let flight = idle.popLast() { return flight }
        guard all.count < limit else { return nil }
        let flight = make()
        all.append(flight)
        return flight
    }

    mutating func giveBack(_ flight: Flight) { idle.append(flight) }

    /// Frees all flights. Nothing may be under way any more.
    mutating func close() {
        for flight in all { flight.forget() }
        all = []
        idle = []
    }
}

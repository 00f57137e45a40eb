// Flights are lent, so many at once.

import Net
import Testing

@testable import LoadGenerator

struct WindowTests {
    @Test func `the window gives no more flights than its limit`() {
        var window = Window(limit: 2)
        defer { window.close() }
        let flights = (0..<3).compactMap { _ in window.take { Flight(Deaf()) } }
        #expect(flights.count == 2 && window.inFlight == 2)
        window.giveBack(flights[0])
        #expect(window.inFlight == 1)
        #expect(window.take { Flight(Deaf()) } === flights[0])
    }
}

private final class Deaf: FlightObserver {
    func handedOver(_ flight: Flight, isFirst: Bool) {}
    func landed(_ flight: Flight, _ outcome: ClientOutcome) {}
}

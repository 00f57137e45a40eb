// What leaves in one request: an event, or several in a batch.

import Basics
import EventLoop
import Net
import Planning
import Scenarios

/// Events of one call on their way in one request. Confined to their loop.
final class Batch {
    let call: Int
    let spec: BatchSpec
    let request = OutgoingRequest()
    /// In the order of the items.
    var flights: [Flight] = []
    /// When it leaves, full or not.
    var timer: LoopTimer?

    init(call: Int, _ spec: BatchSpec, _ observer: any FlightObserver) {
        self.call = call
        self.spec = spec
        request.handedOver = { [unowned self, unowned observer] isFirst in
            for flight in flights { observer.handedOver(flight, isFirst: isFirst) }
        }
    }
}

enum Departure {
    case alone(Flight)
    case together(Batch)

    var call: Int {
        switch self {
        case .alone(let flight): flight.event.call
        case .together(let batch): batch.call
        }
    }

    var flights: [Flight] {
        switch self {
        case .alone(let flight): [flight]
        case .together(let batch): batch.flights
        }
    }

    /// Whose session the connection is chosen by.
    var session: UInt32 {
        switch self {
        case .alone(let flight): flight.event.session
        // Which one is no matter: batches are not for `order: stream`.
        case .together: 0
        }
    }
}

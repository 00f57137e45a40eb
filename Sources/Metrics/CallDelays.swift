// By how much our own doing put off each call of an account: our lateness, and the wait for an earlier call of the same
// session that a fault or an outage of ours held up. A wait for the relay itself is the relay's.

import Basics

struct CallDelays {
    /// Beside the account's calls.
    private var delays: [Interval] = []
    private let account: Account

    /// Calls stand in order of session and step.
    init(_ account: Account, _ circumstances: Circumstances) {
        self.account = account
        delays.reserveCapacity(account.calls.count)
        let faulted = Set(account.pushes.lazy.filter { $0.metFault && $0.isMarked }.map(\.place))
        let isTogether = !circumstances.batchKinds.isEmpty && !circumstances.faults.isEmpty
        let wasTroubled = isTogether || !faulted.isEmpty || !circumstances.outages.isEmpty
            || !circumstances.connectionFirings.isEmpty
        var previous: (call: SeenCall, waited: Interval)?
        for call in account.calls {
            guard call.state == .sent else {
                delays.append(.zero)
                continue
            }
            var waited = Interval.zero
            if wasTroubled, let (earlier, handedOn) = previous, earlier.session == call.session {
                let wait = max(.zero, call.sentAt - call.plannedAt - call.lateness)
                let answered = min(max(earlier.answeredAt, earlier.sentAt), call.sentAt)
                let wasHeldUp =
                    faulted.contains(earlier.place) || circumstances.wasDown(between: earlier.sentAt, and: answered)
                    || !circumstances.firings(from: earlier.sentAt, to: answered).isEmpty
                    // It was answered with others in one request, of which one may have met a fault.
                    || isTogether && circumstances.batchKinds.contains(earlier.kind)
                        && circumstances.hasFault(from: earlier.sentAt, to: answered)
                waited = min(wait, wasHeldUp ? handedOn + (answered - earlier.sentAt) : handedOn)
            }
            delays.append(call.lateness + waited)
            previous = (call, waited)
        }
    }

    /// Of the call at that place; zero where there is none.
    subscript(place: UInt64) -> Interval { account.index(ofCall: place).map { delays[$0] } ?? .zero }
}

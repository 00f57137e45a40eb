// When the life of a session began that a push belongs to: the id of one that is over may be used again.

import Basics
import Metrics
import Pushes
import Scenarios

/// Which of a profile's calls begin a session and which end it.
struct SessionLives {
    private let begins: Set<UInt16>
    private let ends: Set<UInt16>

    init(_ profile: Profile) {
        func kinds(_ isMeant: (ProfileCall) -> Bool) -> Set<UInt16> {
            Set(profile.calls.indices.filter { isMeant(profile.calls[$0]) }.map { UInt16($0) })
        }
        begins = kinds { call in
            !call.isStale && !call.isUnknown && call.expectedStatus.contains { $0 < 400 }
                && call.pushes.contains { $0.event == .start }
        }
        ends = kinds(\.isFinal)
    }

    /// The call by which the session began to which the last of `calls` belongs: the first that owes a start behind the end
    /// of the life before. Nil where there is none, and where nobody knows what the relay made of an end.
    func beginning(_ calls: ArraySlice<SeenCall>) -> SeenCall? {
        var found: SeenCall?
        for index in calls.indices.reversed() {
            let call = calls[index]
            if [.dropped, .withheld, .retired].contains(call.state) { continue }
            if begins.contains(call.kind), !call.wasRefusedAsItMay { found = call }
            guard ends.contains(call.kind), index != calls.indices.last else { continue }
            return call.wasTaken && !call.wasRefusedAsItMay ? found : nil
        }
        return found
    }
}

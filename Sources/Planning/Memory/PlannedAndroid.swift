// The Android devices that a plan's users have, each behind its registrations of FCM: the first, and the one that follows it
// where a script rotates.

import Scenarios

extension Plan {
    /// Of this shard's users: each registration and the user's number, in order; none where the workload has no devices.
    package var androids: some Sequence<(registration: String, user: UInt32)> {
        (0..<(scenario.workload.androids == nil ? 0 : accountCount)).lazy.flatMap { [self] place in
            let session = sessionNumber(place * workload.sessionsPerUser)
            let user = account(ofSession: session)
            return workload.registrations(ofSession: session).map { (registration: $0, user: user) }
        }
    }
}

extension Workload {
    /// Behind which the Android device of the session's user is, in the order in which they follow each other.
    package func registrations(ofSession session: UInt32) -> [String] {
        let later: [SessionVariable] = rotatesRegistrations ? [.newRegistrationToken] : []
        return ([.registrationToken] + later).map { text($0, session: session) }
    }
}

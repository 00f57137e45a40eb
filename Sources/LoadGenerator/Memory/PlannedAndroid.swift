// The Android devices that a plan's users have, each behind a registration of FCM.

import Scenarios

extension Plan {
    /// Of this shard's users: the registration and the user's number, in order; none where the workload has no devices.
    package var androids: some Sequence<(registration: String, user: UInt32)> {
        (0..<(scenario.workload.androids == nil ? 0 : accountCount)).lazy.map { [self] place in
            let session = sessionNumber(place * workload.sessionsPerUser)
            return (workload.text(.registrationToken, session: session), account(ofSession: session))
        }
    }
}

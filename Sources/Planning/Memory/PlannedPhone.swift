// The virtual phones that a plan's users have, and which of their tokens are known before anything was pushed.

package import Basics
package import Pushes
package import Scenarios

/// A phone as the plan has it, with the app that the profile names.
package struct PlannedPhone: Hashable, Sendable {
    package var name: String
    /// The app's bundle ID.
    package var app: String
    /// Times are those of the run: `pace` has divided them.
    package var spec: PhonesSpec
    /// Where its app's tokens live; nil: wherever the run's mock plays, which is one environment.
    package var environment: PushEnvironment?
}

extension Plan {
    /// Whether any session waits for what a phone does.
    package var hasReactions: Bool { workload.scripts.contains { !$0.reactions.isEmpty } }

    /// What the run's mock draws from, the tokens of its phones among it.
    package var mockSeed: Seed { workload.mockSeed }

    /// Phones of this shard's users; 0 where the workload has none.
    package var phoneCount: Int { accountCount * workload.phonesPerUser }

    /// Whether each token is one of the environment in which its user's phones live.
    package var knowsHomes: Bool { scenario.workload.phones != nil && scenario.mock.environment == .both }

    /// What the phones of the session's user are like: the user's first session says it.
    func phoneSpec(ofSession number: UInt32) -> PhonesSpec {
        let first = number / UInt32(workload.sessionsPerUser) * UInt32(workload.sessionsPerUser)
        let script = SessionCursor(session: first, start: .zero, workload: workload).script
        let usual = (scenario.workload.phones ?? PhonesSpec()).over(.usual)
        return workload.scripts[Int(script)].phones.over(usual).paced(by: workload.pace)
    }

    /// Every phone of this shard's users, in order; empty where the workload has none.
    package var phones: some Sequence<PlannedPhone> {
        (0..<phoneCount).lazy.map { [self] place in
            let session = sessionNumber(place / workload.phonesPerUser * workload.sessionsPerUser)
            let spec = phoneSpec(ofSession: session)
            return PlannedPhone(
                name: PhoneName(user: account(ofSession: session), phone: place % workload.phonesPerUser).text,
                app: workload.profile.topic, spec: spec,
                environment: knowsHomes ? spec.environment(ofPhone: place % workload.phonesPerUser) : nil)
        }
    }
}

extension Workload {
    /// The token of a virtual phone that the variable stands for; nil where users have none, and for what no phone has
    /// before anything was pushed.
    func minted(_ variable: SessionVariable, session: UInt32) -> PhoneToken? {
        guard variable.phone < phonesPerUser, let use = variable.mintedUse else { return nil }
        let name = PhoneName(user: session / UInt32(sessionsPerUser), phone: variable.phone)
        return PhoneToken(use, phone: name.text, app: profile.topic)
    }

    /// How many each user of a scenario has; 0 without `phones`.
    static func phonesPerUser(_ spec: WorkloadSpec, _ profile: Profile) -> Int {
        guard spec.phones != nil else { return 0 }
        return spec.hasSecondPhones(profile) ? PhoneName.most : 1
    }
}

extension SessionVariable {
    /// What a phone needs it for as soon as its app is installed; nil: nothing.
    fileprivate var mintedUse: PhoneTokenUse? {
        switch self {
        case .deviceToken, .deviceToken2: .device
        case .startToken, .startToken2: .start
        default: nil
        }
    }
}

// What the virtual phones of a run's users are like.

package import Basics
package import Devices
package import Pushes

/// What a file says of phones; nil: nothing, so that what stands elsewhere counts. Times are seconds, before
/// `WorkloadSpec.pace` divides them.
package struct PhonesSpec: Hashable, Sendable {
    /// From an activity's start until the app is woken and has its update token; at most a day.
    package var wake: Distribution?
    /// The share of tokens for which the app is never woken, 0…1.
    package var never: Double?
    /// From when the app has an activity's token until the system replaces it, once; at most a day.
    package var rotate: Distribution?
    package var system: SystemVersion?
    /// Where its app's tokens live, in a mock that plays both environments.
    package var environment: PushEnvironment?
    /// Of a user's second phone; nil: as the first's.
    package var secondEnvironment: PushEnvironment?

    package init(
        wake: Distribution? = nil, never: Double? = nil, rotate: Distribution? = nil, system: SystemVersion? = nil,
        environment: PushEnvironment? = nil, secondEnvironment: PushEnvironment? = nil
    ) {
        self.wake = wake
        self.never = never
        self.rotate = rotate
        self.system = system
        self.environment = environment
        self.secondEnvironment = secondEnvironment
    }

    /// What holds where no file says anything.
    package static let usual = PhonesSpec(wake: .constant(1), never: 0, environment: .production)

    /// What it does not say itself is as in `other`.
    package func over(_ other: PhonesSpec) -> PhonesSpec {
        PhonesSpec(
            wake: wake ?? other.wake, never: never ?? other.never, rotate: rotate ?? other.rotate,
            system: system ?? other.system, environment: environment ?? other.environment,
            secondEnvironment: secondEnvironment ?? other.secondEnvironment)
    }

    /// Of a user's phone, from 0.
    package func environment(ofPhone phone: Int) -> PushEnvironment? {
        phone == 0 ? environment : secondEnvironment ?? environment
    }

    /// The same where all of a script's times are divided by `pace`, greater than 0.
    package func paced(by pace: Double) -> PhonesSpec {
        var paced = self
        paced.wake = wake?.divided(by: pace)
        paced.rotate = rotate?.divided(by: pace)
        return paced
    }
}

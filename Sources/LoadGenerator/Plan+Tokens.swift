// The identities of a plan's sessions, for whoever joins its events with what the relay did.

package import Scenarios

extension Plan {
    /// The value of an identity variable, such as the activity token (hex), for the session of that number.
    package func token(_ variable: SessionVariable, session: UInt32) -> String {
        workload.text(variable, session: session)
    }
}

// The identities of a plan's sessions, for whoever joins its events with what the relay did.

package import Pushes
package import Scenarios

extension Plan {
    /// The value of an identity variable, such as the activity token (hex), for the session of that number.
    package func token(_ variable: SessionVariable, session: UInt32) -> String {
        workload.text(variable, session: session)
    }

    /// Visits every token that pushes may go to as the profile has it, once for each session, and once for each user
    /// where a user's sessions share it, with the environment that it is a token of; nil: nothing says which, or the run's
    /// mock plays one only. Those of virtual phones are not among them.
    package func tokens(_ visit: (SessionVariable, String, _ home: PushEnvironment?) -> Void) {
        let used = Set(workload.scripts.flatMap { $0.steps.map(\.call) }).map { workload.profile.calls[$0] }
        let named = Set(used.flatMap { $0.registers + $0.pushes.map(\.token) })
        for variable in SessionVariable.tokens where named.contains(variable) && workload.minted(variable, session: 0) == nil {
            var last: String?
            for index in 0..<sessionCount {
                let session = sessionNumber(index)
                let token = workload.text(variable, session: session)
                if token != last {
                    let home = knowsHomes ? phoneSpec(ofSession: session).environment(ofPhone: variable.phone) : nil
                    visit(variable, token, home)
                }
                last = token
            }
        }
    }
}

// What `pushrig find` was told on the command line.

import Basics
package import Capacity
import Verdicts

package struct FindOptions: Sendable {
    package var scenarioPath: String
    /// Each may begin with the name of its goal and a colon.
    package var gates: [String] = []
    package var terms = CapacityTerms()
    var axis = FindRecord.Axis.events
    /// Rates are sessions at once, instead of events per second.
    package var scalesSessions: Bool {
        get { axis == .sessions }
        set { axis = newValue ? .sessions : .events }
    }
    /// Events per second, or sessions at once, below which the answer is no pass.
    package var atLeast: Double?
    /// The relay is started anew for each trial.
    package var restarts = false
    package var seed: UInt64?
    package var overrides: [(path: String, value: String)] = []
    package var allowHosts: [String] = []
    /// State directory of a mock that is up, which the relay pushes to.
    package var mock: String?
    package var outputDirectory: String?
    /// The folder of a search that is to go on.
    package var resume: String?
    package var isQuiet = false
    package var printsJSON = false
    package var command = ""
    /// What is run for each trial; nil: this program.
    package var executable: String?

    package init(scenarioPath: String) { self.scenarioPath = scenarioPath }
}

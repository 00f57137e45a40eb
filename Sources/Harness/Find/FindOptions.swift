// What `pushrig find` was told on the command line.

import Basics
package import Capacity
import Verdicts

package struct FindOptions: Sendable {
    var asked: FindRecord.Asked
    package var terms = CapacityTerms()
    /// The budget was asked for; a search that goes on has its own else.
    var givesBudget = false
    /// Events per second, or sessions at once, below which the answer is no pass.
    package var atLeast: Double?
    package var seed: UInt64?
    package var outputDirectory: String?
    /// The folder of a search that is to go on.
    package var resume: String?
    package var isQuiet = false
    package var printsJSON = false
    package var command = ""
    /// What is run for each trial; nil: this program.
    package var executable: String?

    /// `gates` may begin with the name of their goal; `scalesSessions`: rates are sessions at once.
    package init(
        scenarioPath: String, gates: [String] = [], overrides: [(path: String, value: String)] = [],
        scalesSessions: Bool = false, restarts: Bool = false, mock: String? = nil, allowHosts: [String] = []
    ) {
        asked = FindRecord.Asked(scenarioPath: scenarioPath)
        (asked.gates, asked.overrides) = (gates, overrides.map { [$0.path, $0.value] })
        (asked.axis, asked.restarts) = (scalesSessions ? .sessions : .events, restarts)
        (asked.mock, asked.allowHosts) = (mock, allowHosts)
    }

    var overrides: [(path: String, value: String)] { asked.overrides.map { ($0[0], $0[1]) } }
}

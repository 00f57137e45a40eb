// What `pushrig run` was told on the command line.

package import Basics
import Journal

package struct RunOptions: Sendable {
    package var scenarioPath: String
    /// Overrides the scenario's.
    package var seed: UInt64?
    package var outputDirectory: String?
    package var overrides: [(path: String, value: String)] = []
    /// Beside those of the scenario.
    package var gates: [String] = []
    /// Rules that are known to break; beside those of the profile.
    package var knownFailing: [String] = []
    /// What the relay should do counts like what it must.
    package var isStrict = false
    package var isQuiet = false
    package var isPlain = false
    package var isDryRun = false
    package var format = OutputFormat.text
    package var showsFullTokens = false
    package var allowHosts: Set<String> = []
    /// It is one shard of several; nil: all of the plan.
    package var part: PartOptions?
    /// When the load begins; nil: as soon as all is up.
    package var startAt: WallTime?
    /// State directory of a mock that is up, whose place the run has while it lasts.
    package var mock: String?
    /// Where the page and the metrics of the run are served while it goes on, as `LiveServer.address` reads it; nil: nowhere.
    package var watch: String?
    /// A collector of OpenTelemetry to which the metrics of the run are posted; nil: none.
    package var otlp: String?
    /// The command as given, for the record.
    package var command = ""
    /// What `{{pushrig}}` stands for in a scenario; nil: this program.
    package var executable: String?

    package init(scenarioPath: String) { self.scenarioPath = scenarioPath }
}

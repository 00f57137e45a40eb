// What `pushrig check` was told on the command line.

package import Basics

package struct CheckOptions: Sendable {
    /// A profile, or a scenario whose `relay` and `mock` count.
    package var path: String
    /// Further scenarios, for a proof.
    package var morePaths: [String] = []
    /// Where the relay runs already, for a profile.
    package var relayURL: String?
    /// How to launch it, for a profile.
    package var launch: [String] = []
    /// State directory of a mock that is up.
    package var mock: String?
    /// Where the mock listens, and the folder of its keys, for a relay that runs already.
    package var mockAddress: String?
    package var mockState: String?
    package var overrides: [(path: String, value: String)] = []
    /// Names of cases, rules or claims.
    package var only: [String] = []
    package var skip: [String] = []
    /// Cases that take longer than `longest`, too.
    package var isSlow = false
    /// By a clock that is stepped, whatever can be.
    package var isStepped = false
    package var seed: UInt64?
    /// Cases side by side; nil: as many as the machine carries.
    package var lanes: Int?
    package var outputDirectory: String?
    package var knownFailing: [String] = []
    package var isStrict = false
    package var isQuiet = false
    package var listsOnly = false
    package var format = OutputFormat.text
    /// GitHub runs it, and wants annotations.
    package var isInWorkflow = false
    package var allowHosts: [String] = []
    /// The command as given, for the record.
    package var command = ""
    /// The program that runs a case; nil: this one.
    package var executable: String?

    /// Of a proof: the page whose tables it writes anew, or is held against.
    package var writes: String?
    package var against: String?

    /// What a case may take without `--slow`.
    package static let longest = Interval.seconds(60)

    package init(path: String) { self.path = path }
}

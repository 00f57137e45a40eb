// What `pushrig compare` was told on the command line.

package struct CompareOptions: Sendable {
    /// Folders of the base's runs and of the new ones: run folders, or folders that hold some.
    package var base: [String] = []
    package var new: [String] = []
    /// As gates name them; empty: the usual ones.
    package var metrics: [String] = []
    package var margin: String?
    /// Of all that is drawn by chance; nil: 1, and for runs that are played the scenario's own.
    package var seed: UInt64?
    package var checksItself = false
    package var outputDirectory: String?
    package var format = Format.text
    package var isQuiet = false
    /// The command as given, for the record.
    package var command = ""

    package enum Format: String, CaseIterable, Sendable { case text, json, markdown }

    package init() {}
}

/// What `--live` plays.
package struct LiveOptions: Sendable {
    package var scenario: String
    package var pairs: Int
    /// The commands that launch the relays, as a shell would split them; nil: as the scenario says.
    package var base: String?
    package var new: String?
    package var overrides: [(path: String, value: String)] = []
    package var allowHosts: [String] = []
    package static let pairCounts = 1...100

    package init(scenario: String, pairs: Int) { (self.scenario, self.pairs) = (scenario, pairs) }
}

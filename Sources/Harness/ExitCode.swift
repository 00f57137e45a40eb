// How a command ends, as a number that scripts can rely on.

/// The process's exit code. The numbers never change.
package enum ExitCode: Int32, Sendable {
    case passed = 0
    /// Something stood in the way: a busy port, a relay that never came up, a full disk.
    case couldNotRun = 1
    /// A wrong flag or a wrong file.
    case badUsage = 2
    case gateBreached = 3
    case conformanceBroken = 4
    /// No data, or we ourselves were the bottleneck.
    case inconclusive = 5
    /// Ended by the user; the report says what is proven up to there.
    case interrupted = 130
}

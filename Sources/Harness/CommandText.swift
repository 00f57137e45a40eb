// A command as a person can give it again.

import Verdicts

package enum CommandText {
    /// The words as one line, each quoted where a shell would read something else in it.
    package static func line(_ words: [String]) -> String { ShellWords.line(words) }

    /// `command` of that verb with the seed that was drawn for it, as its first option.
    static func seeded(_ command: String, verb: String, _ seed: UInt64) -> String {
        let start = "pushrig \(verb) "
        guard command.hasPrefix(start) else { return command }
        return start + "--seed \(seed) " + command.dropFirst(start.count)
    }
}

// What was seen of a run's sessions, for its report. A report without it is better than none.

import Basics
import Sessions
import Verdicts

enum SeenSessions {
    /// Nil where no plan was played, or where the journal cannot be read, which is said.
    static func read(_ record: RunRecord) -> SessionsSeen? {
        do throws(Failure) { return try SessionsReader.read(record) } catch {
            Console.error("pushrig: the report tells nothing of sessions: \(error.description)\n")
            return nil
        }
    }
}

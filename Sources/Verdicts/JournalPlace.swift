// Where a journal stands, whichever of its folders a user names.

package import Basics
import Journal

package enum JournalPlace {
    private static let folder = "/journal"

    /// The folder of the journal files: that of a run directory, of a mock's state directory, or the folder itself.
    /// Throws a usage `Failure` when there is none.
    package static func journal(of directory: String) throws(Failure) -> String {
        let home = home(of: directory)
        for place in [home + folder, directory] where JournalReader.isJournal(place) { return place }
        throw Failure(
            .usage, "\(directory) holds no journal",
            hint: "give the directory of a run, the state directory of a mock, or the folder of the journal files")
    }

    /// Whether there is one.
    package static func isThere(_ directory: String) -> Bool { (try? journal(of: directory)) != nil }

    /// The run directory or state directory that the folder of a journal stands in, or that a file of it does.
    package static func home(of directory: String) -> String {
        var home = directory == "run.json" ? "./run.json" : directory
        while home.count > 1, home.hasSuffix("/") { home.removeLast() }
        for suffix in [folder, "/run.json", "/mock.json"] where home.hasSuffix(suffix) && home.count > suffix.count {
            return String(home.dropLast(suffix.count))
        }
        return home
    }
}

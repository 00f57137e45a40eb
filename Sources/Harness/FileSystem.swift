// What the harness writes, with errors that a user can act on.

import Basics
import OperatingSystem

extension FileSystem {
    static func makeDirectory(_ path: String) throws(Failure) {
        do { try makeFolder(path) } catch {
            throw Failure(
                .run, "cannot make the folder \(path): \(error.words)", hint: "choose another with --out DIR")
        }
    }

    static func write(_ text: String, to path: String) throws(Failure) {
        do { try replace(path, with: text) } catch {
            throw Failure(.run, "cannot write \(path): \(error.words)", hint: "choose another place with --out DIR")
        }
    }

    /// The program that is running.
    static var executable: String { destination(of: "/proc/self/exe") ?? "pushrig" }
}

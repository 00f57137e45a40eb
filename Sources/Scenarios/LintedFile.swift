// What a YAML file is, told by its keys.

package import Basics
import YAML

package struct LintedFile: Sendable {
    package enum Kind: Hashable, Sendable {
        /// It can be run.
        case scenario
        /// It says how a relay is reached, and no more: what `check` takes.
        case base
        case profile
        /// A session, a schema or another part that is read with a scenario.
        case part
    }

    package var kind: Kind

    /// Throws a usage `Failure` where the file cannot be read, or is no YAML.
    package init(path: String, searchPath: [String]) throws(Failure) {
        let files = FileFinder(folders: [""] + searchPath)
        let source = try files.read(path)
        let own = try YAMLNode.parse(text: source.text, file: source.path)
        if own["calls"] != nil {
            kind = .profile
            return
        }
        // A profile that extends another one may change a value alone.
        guard own["relay"] != nil || own["workload"] != nil || own["extends"] != nil else {
            kind = .part
            return
        }
        let root = try Extension.scenario.applied(to: own, files, Mistakes())
        kind = root["calls"] != nil ? .profile : root["workload"] == nil ? .base : .scenario
    }
}

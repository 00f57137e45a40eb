// Finding and reading the files of a scenario: beside the file that names them, then along the search path.

import Basics
import OperatingSystem
import YAML

/// Reads files by name; remembers what it read.
final class FileFinder {
    /// Folders, in order.
    private let folders: [String]
    private(set) var sources: [SourceText] = []

    /// Files at hand, which are then the only ones there are.
    private let known: [SourceText]?

    /// Files that are to be written: they count before those that are there.
    private let planned: [SourceText]

    /// False where a saved run is only looked at again.
    let readsSecrets: Bool

    /// Where the names of `known` begin; empty: in the current folder.
    private let home: String

    init(folders: [String], planned: [SourceText] = []) {
        self.folders = folders
        self.planned = planned
        known = nil
        readsSecrets = true
        home = ""
    }

    /// Finds nothing but these, by the paths that they were read from.
    init(known: [SourceText], from home: String = "", readsSecrets: Bool = false) {
        self.home = home
        folders = []
        planned = []
        self.known = known
        self.readsSecrets = readsSecrets
    }

    /// A part of a scenario that is a mapping in place, or the name of a file that holds it. `name`: without folder and
    /// ending. Nil after a mistake was noted.
    func node(_ node: YAMLNode, key: String, _ mistakes: Mistakes) throws(Failure) -> (node: YAMLNode, name: String)? {
        switch node.content {
        case .mapping: return (node, key)
        case .scalar(let name, _) where !name.isEmpty:
            do {
                let source = try read(name, namedIn: node.place.file)
                return (try YAMLNode.parse(text: source.text, file: source.path), Self.stem(of: source.path))
            } catch {
                var mistake = error
                if mistake.place == nil { mistake.place = node.place.description }
                mistakes.add(mistake)
                return nil
            }
        default:
            mistakes.add(
                "`\(key)` must be the name of a file, not \(node.kindInWords)",
                hint: "such as `\(key): \(key == "profile" ? "relays/opencode.yaml" : "sessions/S0-happy.yaml")`",
                at: node.place)
            return nil
        }
    }

    /// A file of data may have so many bytes: with the others it has its place in one note of a run's journal.
    static let dataBytes = 12 << 20

    /// A file of data that a part of a scenario names. It is then one of the scenario's files, so that each run's journal holds
    /// it. Nil after a mistake was noted.
    func data(_ node: YAMLNode, key: String, _ mistakes: Mistakes) -> SourceText? {
        guard case .scalar(let name, _) = node.content, !name.isEmpty else {
            mistakes.add("`\(key)` must be the name of a file, not \(node.kindInWords)", at: node.place)
            return nil
        }
        do throws(Failure) {
            let source = try read(name, namedIn: node.place.file, atMost: Self.dataBytes)
            guard source.text.utf8.count <= Self.dataBytes else {
                throw Failure(.usage, "`\(name)` has more than \(Self.dataBytes >> 20) MB", hint: "shorten it")
            }
            return source
        } catch {
            var mistake = error
            if mistake.place == nil { mistake.place = node.place.description }
            mistakes.add(mistake)
            return nil
        }
    }

    /// As `read`, but first of all beside the file at `path`, which names it. Of a longer file only a little more than `bytes`
    /// is read, so that its parser says what is wrong.
    func read(_ name: String, namedIn path: String, atMost bytes: Int = YAMLLimits().bytes) throws(Failure) -> SourceText {
        let place = name.hasPrefix("/") ? name : Self.joined(Self.folder(of: path), name)
        let source: SourceText?
        if let known {
            source = known.first { $0.path == place }
        } else if let file = planned.first(where: { $0.path == place }) {
            source = file
        } else {
            source = try Self.readIfPresent(place, atMost: bytes)
        }
        guard let source else { return try read(name, atMost: bytes) }
        remember(source)
        return source
    }

    /// Where a file that is no part of the scenario lies: beside the one that names it, as that was found.
    func beside(_ name: String, namedIn path: String) -> String {
        if name.hasPrefix("/") { return name }
        let place = Self.joined(Self.folder(of: path), name)
        return place.hasPrefix("/") || home.isEmpty ? place : Self.joined(home, place)
    }

    /// With each `..` of `name` taking one folder away, so that a file has one path.
    static func joined(_ folder: String, _ name: String) -> String {
        var (folder, rest) = (folder, name[...])
        while rest.hasPrefix("../"), !folder.isEmpty, folder != "/", folder != "..", !folder.hasSuffix("/..") {
            folder = Self.folder(of: folder)
            rest = rest.dropFirst(3)
        }
        return folder.isEmpty ? String(rest) : folder == "/" ? folder + rest : folder + "/" + rest
    }

    private func remember(_ source: SourceText) {
        if !sources.contains(where: { $0.path == source.path }) { sources.append(source) }
    }

    /// The first of the places where a file `name` or `name.yaml` is. The failure has no place.
    func read(_ name: String, atMost bytes: Int = YAMLLimits().bytes) throws(Failure) -> SourceText {
        if let known {
            let found = known.first { file in
                [name, name + ".yaml"].contains { file.path == $0 || file.path.hasSuffix("/" + $0) }
            }
            guard let found else { throw Failure(.usage, "the file `\(name)` is not among those of the run") }
            remember(found)
            return found
        }
        let candidates = name.hasPrefix("/") ? [name] : folders.map { $0.isEmpty ? name : $0 + "/" + name }
        for candidate in candidates.flatMap({ [$0, $0 + ".yaml"] }) {
            if let source = try Self.readIfPresent(candidate, atMost: bytes) {
                remember(source)
                return source
            }
        }
        var places: [String] = []
        for folder in folders.map({ $0.isEmpty ? "." : $0 }) where !places.contains(folder) { places.append(folder) }
        throw Failure(
            .usage, "there is no file `\(name)`",
            hint: name.hasPrefix("/") ? "check the path" : "looked in: \(places.joined(separator: ", "))")
    }

    static func stem(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        for ending in [".yaml", ".yml"] where name.hasSuffix(ending) { return String(name.dropLast(ending.count)) }
        return name
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Nil when there is no such file, or only a folder of that name.
    private static func readIfPresent(_ path: String, atMost limit: Int) throws(Failure) -> SourceText? {
        let bytes: [UInt8]
        do {
            // One byte more than a file may have, so that its parser says what is wrong.
            bytes = try FileSystem.start(of: path, count: limit + 1)
        } catch {
            if error.isAbsent || error.isFolder { return nil }
            throw Failure(.usage, "cannot read `\(path)`: \(error.words)", hint: "check the path")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.usage, "the file is not UTF-8 text", hint: "save it as UTF-8", place: path)
        }
        return SourceText(path: path, text: text)
    }
}

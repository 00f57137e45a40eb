// The house's own rules, held against the files of the repository.

import Glibc
import Testing

/// The repository, found from this file's place in it.
enum Repository {
    static let root: String = {
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/")
    }()

    static func read(_ path: String) -> String {
        guard let file = fopen(root + "/" + path, "r") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&room, 1, room.count, file), count > 0 { bytes += room[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func exists(_ path: String) -> Bool { access(root + "/" + path, F_OK) == 0 }

    /// Paths of all files below a folder that end so, relative to the root, sorted.
    static func files(under folder: String, ending: String) -> [String] {
        guard let directory = opendir(root + "/" + folder) else { return [] }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard !name.hasPrefix(".") else { continue }
            if entry.pointee.d_type == UInt8(DT_DIR) {
                found += files(under: folder + "/" + name, ending: ending)
            } else if name.hasSuffix(ending) {
                found.append(folder + "/" + name)
            }
        }
        return found.sorted()
    }

    /// The modules that a file imports.
    static func imports(of path: String) -> Set<String> {
        var modules: Set<String> = []
        for line in read(path).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(of: "import"), index <= 1, words.count == index + 2 else { continue }
            modules.insert(String(words[index + 1]))
        }
        return modules
    }

    static let sources = files(under: "Sources", ending: ".swift")
    static let tests = files(under: "Tests", ending: ".swift")
}

/// One row of the table in docs/architecture.md.
private struct Room: CustomTestStringConvertible, Sendable {
    var floor: Int
    var name: String
    var mayImport: Set<String>
    var testDescription: String { name }

    static let all: [Room] = {
        var rooms: [Room] = []
        for line in Repository.read("docs/architecture.md").split(separator: "\n") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingPrefix(" ") }.map { String($0) }
            guard cells.count == 4, let floor = Int(cells[0].filter { $0 != " " }) else { continue }
            let name = words(in: cells[1]).first ?? ""
            rooms.append(Room(floor: floor, name: name, mayImport: Set(words(in: cells[3]))))
        }
        return rooms
    }()

    private static func words(in cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }
}

/// A type or extension as it stands in a file, with all that is indented below it.
private struct Declaration {
    var path: String
    var kind: String
    var name: String
    /// From the name to the brace.
    var heading: String
    /// Its own members' lines, one step of indentation below it.
    var members: [Substring]

    func hasMethod(_ start: String) -> Bool { members.contains { $0.contains("func " + start) } }

    func conforms(to name: String) -> Bool {
        heading.drop { $0 != ":" }.split { !$0.isLetter }.contains { $0 == name }
    }

    static func all(in path: String) -> [Declaration] {
        let lines = Repository.read(path).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.compactMap { index in
            let words = lines[index].split { " :<".contains($0) }.map(String.init)
            guard let place = words.firstIndex(where: { kinds.contains($0) }), place + 1 < words.count,
                words[..<place].allSatisfy({ modifiers.contains($0) }),
                let brace = lines[index...].firstIndex(where: { $0.contains("{") })
            else { return nil }
            let indent = lines[index].prefix { $0 == " " } + "    "
            let below = lines[(brace + 1)...].prefix { $0.isEmpty || $0.hasPrefix(indent) }
            return Declaration(
                path: path, kind: words[place], name: words[place + 1],
                heading: lines[index...brace].joined(separator: " "),
                members: below.filter { $0.hasPrefix(indent) && $0.dropFirst(indent.count).first != " " })
        }
    }

    private static let kinds: Set = ["struct", "class", "actor", "enum", "extension", "protocol"]
    private static let modifiers: Set = ["private", "fileprivate", "internal", "package", "public", "final", "indirect"]
}

@Suite("The house")
struct HouseTests {
    @Test("has a room for each module, and each module a room")
    func rooms() {
        let modules = Set(
            Repository.sources.map { String($0.split(separator: "/")[1]) })
        #expect(Set(Room.all.map(\.name)) == modules)
        #expect(Room.all.count >= 20)
    }

    @Test("imports only what the table allows", arguments: Repository.sources)
    func imports(path: String) throws {
        let module = String(path.split(separator: "/")[1])
        let room = try #require(Room.all.first { $0.name == module })
        let free: Set<String> = ["Glibc", "Synchronization"]
        for imported in Repository.imports(of: path) {
            #expect(room.mayImport.union(free).contains(imported), "\(path) imports \(imported)")
        }
    }

    @Test("allows no import that nobody makes", arguments: Room.all)
    fileprivate func used(room: Room) {
        let files = Repository.sources.filter { $0.hasPrefix("Sources/\(room.name)/") }
        let made = files.reduce(into: Set<String>()) { $0.formUnion(Repository.imports(of: $1)) }
        #expect(room.mayImport.subtracting(made).isEmpty, "\(room.name)")
    }

    @Test("imports strictly downward")
    func downward() {
        let floors = Dictionary(uniqueKeysWithValues: Room.all.map { ($0.name, $0.floor) })
        for room in Room.all {
            for imported in room.mayImport {
                guard let floor = floors[imported] else { continue }
                #expect(floor < room.floor, "\(room.name) imports \(imported), which is not below it")
            }
        }
    }

    @Test("declares in Package.swift what the table allows")
    func manifest() {
        let manifest = Repository.read("Package.swift").filter { $0 != "\n" && $0 != " " }
        for room in Room.all where room.name != "Command" {
            guard let start = manifest.firstRange(of: "room(\"\(room.name)\",[") else {
                Issue.record("Package.swift has no room \(room.name)")
                continue
            }
            let list = manifest[start.upperBound...].prefix { $0 != "]" }
            let declared = Set(list.split(separator: ",").map { $0.filter { $0 != "\"" } }.filter { !$0.isEmpty })
            #expect(declared == room.mayImport, "\(room.name)")
        }
    }

    @Test("keeps each file to one idea: at most 400 lines, and in sources lines of at most 128 columns")
    func width() {
        for path in Repository.sources + Repository.tests {
            let lines = Repository.read(path).utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            #expect(lines.count <= 401, "\(path) has \(lines.count) lines")
            guard path.hasPrefix("Sources/") else { continue }
            // Bytes first: few lines have so many, and characters take long to count.
            for (number, line) in lines.enumerated() where line.count > 128 {
                #expect(Substring(line).count <= 128, "\(path):\(number + 1)")
            }
        }
    }

    @Test("leaves nothing undone and takes time and chance only where they come from")
    func bans() {
        let banned = ["TODO", "FIXME", "Date()", ".random(", "import Foundation"]
        for path in Repository.sources {
            let text = Repository.read(path)
            for word in banned { #expect(!text.contains(word), "\(path) contains \(word)") }
        }
    }

    /// The compiler wraps a function that stands in a mutex by itself anew at each lock, and never unwraps it.
    @Test("keeps no bare function in a mutex, where each lock would make it slower")
    func locked() {
        for path in Repository.sources {
            for line in Repository.read(path).split(separator: "\n") where line.contains("Mutex<(") {
                #expect(!line.contains("->"), "\(path): \(line)")
            }
        }
    }

    @Test("calls out and looks names up in one place each, behind the guard of whom we call")
    func calls() {
        for (word, place) in [(" connect(", "Net/OutgoingSocket.swift"), ("getaddrinfo(", "Net/TargetPolicy.swift")] {
            let found = Repository.sources.filter { path in
                Repository.read(path).split(separator: "\n").contains { line in
                    line.contains(word) && !line.contains("func ") && !line.contains("connect(key")
                }
            }
            #expect(found == ["Sources/" + place], "\(word)")
        }
    }

    /// A machine that has the method and not the protocol compiles, and is shown no push.
    @Test("shows pushes to each machine of a rule that has eyes for them, and makes each machine it declares")
    func machines() {
        let declared = Repository.files(under: "Sources/Conformance", ending: ".swift").flatMap { Declaration.all(in: $0) }
        let seeing = declared.filter { $0.hasMethod("see(") && $0.kind != "protocol" && $0.name != "RuleCourse" }
        for type in seeing { #expect(type.conforms(to: "PushMachine"), "\(type.path): \(type.name)") }
        let watching = declared.filter { $0.conforms(to: "PushMachine") }
        #expect(Set(watching.map(\.name)) == Set(seeing.map(\.name)) && watching.count >= 6, "the scan sees what there is")
        for type in watching {
            #expect(Repository.read(type.path).contains("make: { \(type.name)() }"), "no rule makes \(type.name)")
        }
    }

    @Test("lets no provider into the mock's core, and neither provider into the other")
    func providers() {
        let providers: Set = ["APNs", "FCM"]
        for path in Repository.sources where path.hasPrefix("Sources/MockServer/") {
            let known = Repository.imports(of: path).intersection(providers)
            let folder = String(path.split(separator: "/")[2])
            if folder == "Core" { #expect(known.isEmpty, "\(path) imports \(known)") }
            if providers.contains(folder) { #expect(known.subtracting([folder]).isEmpty, "\(path) imports \(known)") }
        }
        #expect(Repository.sources.count { $0.hasPrefix("Sources/MockServer/Core/") } > 20)
    }

    /// What a reason means stands in its row (Sources/Pushes/ReasonList+….swift).
    @Test("compares no provider's word in the judge")
    func words() throws {
        let lists = Repository.sources.filter { $0.hasPrefix("Sources/Pushes/ReasonList+") }.map(Repository.read).joined()
        let words = lists.matches(of: /ReasonRow\(\s*"([A-Za-z_]+)"/).map { String($0.1) }
        #expect(words.count > 60)
        let judge = Repository.sources.filter { path in
            ["Metrics", "Conformance", "Verdicts", "Sessions"].contains { path.hasPrefix("Sources/\($0)/") }
        }
        for path in judge {
            let text = Repository.read(path)
            #expect(!words.contains { text.contains("\"\($0)\"") }, "\(path)")
        }
    }

    /// What measures (distributions, slopes, the rig's own soundness, a search's trials, words) weighs no debt.
    @Test("chooses its figures of time and share in one table, of twelve at most, which the docs have")
    func tolerances() {
        let measures = [
            "BacklogSlope", "LatencyCourse", "Histogram", "ProcessorWaits", "Soundness", "Find/", "Numbers", "Record/", "Tolerances",
        ]
        let figure = /seconds\(-?[0-9]|[^0-9.A-Za-z$][0-9]+\.[0-9]*[1-9]/
        let judge = Repository.sources.filter { path in
            ["Metrics", "Conformance/Rules", "Conformance/RunContext", "Verdicts", "Sessions"].contains { path.hasPrefix("Sources/\($0)") }
                && !measures.contains { path.contains($0) }
        }
        #expect(judge.count > 100)
        for path in judge {
            for (number, line) in Repository.read(path).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                let words = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                let code = words.filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: "\"")
                let isSaid = code.drop { $0 == " " }.hasPrefix("//")
                #expect(isSaid || code.firstMatch(of: figure) == nil, "\(path):\(number + 1): \(line)")
            }
        }
        let table = Repository.read("Sources/Metrics/Tolerances.swift").matches(of: /static let ([a-z]+)/).map { String($0.1) }
        #expect((1...12).contains(table.count))
        let docs = Repository.read("docs/choices.md")
        for name in table { #expect(docs.contains("| `\(name)` |"), "docs/choices.md lacks \(name)") }
    }

    @Test("tests every module")
    func tested() {
        let folders = Set(Repository.tests.map { String($0.split(separator: "/")[1]) })
        let exempt: Set<String> = ["Command"]  // Through EndToEndTests.
        for room in Room.all where !exempt.contains(room.name) {
            #expect(folders.contains(room.name + "Tests"), "no tests for \(room.name)")
        }
    }
}

// What the pages name is there.

import Testing

@Suite("Paths in the pages")
struct PathTests {
    /// Of examples: files that the reader is to make.
    private static let toBeMade: Set = [
        "Sources/Faults/FaultAction+Hiccup.swift", "Scenarios/relays/mine.yaml", "Scenarios/sessions/mine.yaml", "Scenarios/mine.yaml",
    ]
    private static let folders = ["Sources/", "Tests/", "Scenarios/", "script/"]

    /// Each word in backticks that is a path from the root, without a line's number behind it; those with a part to be filled in
    /// are none.
    private static func paths(in text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            .filter { word in
                folders.contains(where: word.hasPrefix) && !word.contains { " \n<>*…{}".contains($0) }
            }
            .map { String($0.prefix { $0 != ":" }) }
    }

    @Test("lead somewhere")
    func exist() {
        var missing: [String] = []
        var count = 0
        for page in Repository.files(under: "docs", ending: ".md") + ["README.md", "CONTRIBUTING.md"] {
            for path in Self.paths(in: Repository.read(page)) where !Self.toBeMade.contains(path) {
                count += 1
                if !Repository.exists(path) { missing.append("\(page): \(path)") }
            }
        }
        #expect(missing == [])
        #expect(count > 100)
    }

    @Test("are told from other words")
    func words() {
        let text = "`Sources/A.swift` and `Sources/<name>` of `Tests/B/C.swift:12`, `other` `script/run`"
        #expect(Self.paths(in: text) == ["Sources/A.swift", "Tests/B/C.swift", "script/run"])
    }
}

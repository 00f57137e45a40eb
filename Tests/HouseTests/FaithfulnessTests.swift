// docs/apns.md says for each fact about Apple's service which test holds the mock to it, and docs/devices.md the same of the
// virtual phones, docs/fcm.md of Google's service. Here the pages are held to that.

import Testing

/// A row of one of the page's tables: fact, status, test or deviation.
private struct Row: CustomTestStringConvertible, Sendable {
    var chapter: String
    var cells: [String]

    var testDescription: String { "\(chapter): \(cells.first ?? "")" }

    /// Names in the fact that Apple spells, such as `.push-type.controls` and `apns-unique-id`.
    var spelled: [String] {
        (cells.first ?? "").split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            .filter { text in
                text.contains { $0 == "-" || $0 == "." } && text.allSatisfy { $0.isASCII && $0.isLowercase || "-.".contains($0) }
            }
    }

    /// `Suite/function` of each test that the row names.
    var tests: [String] {
        guard let last = cells.last else { return [] }
        return last.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            .filter { text in
                let sides = text.split(separator: "/", maxSplits: 1)
                return sides.count == 2 && sides[0].first?.isUppercase == true && sides[1].first?.isLetter == true
                    && sides[0].allSatisfy { $0.isLetter || $0.isNumber }
            }
    }
}

/// A page, chapter by chapter.
private struct Page: Sendable {
    let chapters: [(name: String, rows: [Row])]
    var rows: [Row] { chapters.flatMap(\.rows) }

    static let apns = Page("docs/apns.md")
    static let devices = Page("docs/devices.md")
    static let fcm = Page("docs/fcm.md")

    init(_ path: String) {
        var chapters: [(name: String, rows: [Row])] = []
        for line in Repository.read(path).split(separator: "\n") {
            if line.hasPrefix("## ") { chapters.append((String(line.dropFirst(3)), [])) }
            guard line.hasPrefix("|"), !chapters.isEmpty else { continue }
            let cells = Self.cells(of: line)
            let isRule = cells.allSatisfy { !$0.isEmpty && $0.allSatisfy { "-: ".contains($0) } }
            if isRule || cells.first?.lowercased() == "fact" { continue }
            chapters[chapters.count - 1].rows.append(Row(chapter: chapters[chapters.count - 1].name, cells: cells))
        }
        self.chapters = chapters
    }

    /// Between bars that no backslash stands before.
    private static func cells(of line: Substring) -> [String] {
        var cells = [""]
        var previous: Character = " "
        for character in line.dropFirst() {
            if character == "|", previous != "\\" { cells.append("") } else { cells[cells.count - 1].append(character) }
            previous = character
        }
        if cells.last?.allSatisfy({ $0 == " " }) == true { cells.removeLast() }
        return cells.map { cell in
            String(cell.trimmingPrefix(" ").reversed().drop { $0 == " " }.reversed())
        }
    }
}

/// `Suite/function` of every function in the tests and the file that it is in, by the type that is open around it. Functions whose names are
/// sentences stand between backticks.
private let knownTests: [String: String] = {
    var known: [String: String] = [:]
    for path in Repository.tests {
        var suite = ""
        for line in Repository.read(path).split(separator: "\n") {
            let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }.map(String.init)
            if let place = words.firstIndex(where: { ["struct", "class", "extension", "enum", "actor"].contains($0) }),
                place + 1 < words.count, line.first?.isWhitespace == false
            {
                suite = words[place + 1]
            }
            if let place = words.firstIndex(of: "func"), place + 1 < words.count, !suite.isEmpty {
                let sentence = line.split(separator: "`", omittingEmptySubsequences: false)
                let isSentence = sentence.count > 2 && sentence[0].hasSuffix("func ")
                known[suite + "/" + (isSentence ? String(sentence[1]) : words[place + 1])] = path
            }
        }
    }
    return known
}()

@Suite("The page on faithfulness")
struct FaithfulnessTests {
    /// Chapters that must be there and have rows.
    private static let filled = ["0", "1", "2.1", "2.2", "2.3", "2.4"] + (3...13).map(String.init)

    @Test("has a chapter for each chapter of the facts, and rows where they must be")
    func chapters() {
        let numbers = Page.apns.chapters.map { $0.name.prefix { $0 != " " } }
        for number in Self.filled {
            #expect(numbers.contains { $0 == number }, "docs/apns.md has no chapter \(number)")
            let chapter = Page.apns.chapters.first { $0.name.hasPrefix(number + " ") }
            #expect(chapter?.rows.isEmpty == false, "chapter \(number) of docs/apns.md is empty")
        }
    }

    @Test("has a fact, a status and a test or a deviation in each row", arguments: Page.apns.rows)
    fileprivate func row(row: Row) {
        guard Page.apns.chapters.prefix(17).contains(where: { $0.name == row.chapter }) else { return }
        #expect(row.cells.count == 3, "\(row.cells.count) cells: \(row.cells)")
        for cell in row.cells { #expect(!cell.isEmpty, "an empty cell in: \(row.cells)") }
        let isDeviation = row.cells.last?.lowercased().contains("deviation") == true
        #expect(isDeviation || !row.tests.isEmpty, "neither a test nor a deviation: \(row.cells)")
    }

    @Test("names tests that there are", arguments: Page.apns.rows)
    fileprivate func names(row: Row) {
        for test in row.tests { #expect(knownTests[test] != nil, "there is no test \(test)") }
    }

    /// A test that takes a name from the code under test holds that to nothing.
    @Test("names a test whose file spells what the fact spells", arguments: Page.apns.rows.filter { !$0.spelled.isEmpty })
    fileprivate func spelling(row: Row) {
        guard row.cells.last?.lowercased().contains("deviation") == false else { return }
        let files = row.tests.compactMap { knownTests[$0] }.map(Repository.read)
        for name in row.spelled {
            #expect(files.isEmpty || files.contains { $0.contains(name) }, "no test of the row spells \(name)")
        }
    }
}

@Suite("The page on virtual phones")
struct PhonePageTests {
    @Test("has the three chapters of the facts that speak of devices, each with rows")
    func chapters() {
        for (number, least) in [("10", 30), ("12", 8), ("13", 6)] {
            let chapter = Page.devices.chapters.first { $0.name.hasPrefix(number + " ") }
            #expect((chapter?.rows.count ?? 0) >= least, "chapter \(number) of docs/devices.md")
        }
    }

    @Test("has a fact, a status and a test that there is or a deviation in each row", arguments: Page.devices.rows)
    fileprivate func row(row: Row) {
        guard row.chapter.first?.isNumber == true else { return }
        #expect(row.cells.count == 3 && row.cells.allSatisfy { !$0.isEmpty }, "\(row.cells)")
        let isDeviation = row.cells.last?.lowercased().contains("deviation") == true
        #expect(isDeviation || !row.tests.isEmpty, "neither a test nor a deviation: \(row.cells)")
        for test in row.tests { #expect(knownTests[test] != nil, "there is no test \(test)") }
    }

    @Test("names every test of what a phone does")
    func complete() {
        let page = Repository.read("docs/devices.md")
        let suites = ["PhoneTests", "PhoneVerdictTests", "PhoneStorageTests"]
        let there = knownTests.filter { entry in
            entry.value.hasPrefix("Tests/DevicesTests/Phones/") && suites.contains { entry.key.hasPrefix($0 + "/") }
        }.map(\.key).filter { !["words", "late"].contains($0.split(separator: "/")[1]) }
        let unnamed = there.filter { !page.contains("`\($0)`") }
        #expect(there.count > 30 && unnamed.isEmpty, "\(unnamed.sorted())")
    }
}

@Suite("The page on FCM")
struct FCMPageTests {
    @Test("has a fact, a status and a test that there is or a deviation in each row", arguments: Page.fcm.rows)
    fileprivate func row(row: Row) {
        guard row.chapter.first?.isNumber == true else { return }
        #expect(row.cells.count == 3 && row.cells.allSatisfy { !$0.isEmpty }, "\(row.cells)")
        let isDeviation = row.cells.last?.lowercased().contains("deviation") == true
        #expect(isDeviation || !row.tests.isEmpty, "neither a test nor a deviation: \(row.cells)")
        for test in row.tests { #expect(knownTests[test] != nil, "there is no test \(test)") }
    }

    @Test("has the chapters of the facts that are about what the mock does")
    func chapters() {
        for number in ["1", "1.3", "1.4", "2", "3", "5"] {
            let chapter = Page.fcm.chapters.first { $0.name.hasPrefix(number + " ") }
            #expect(chapter?.rows.isEmpty == false, "chapter \(number) of docs/fcm.md")
        }
    }

    @Test("names every test of the rules and of the mock")
    func complete() {
        let page = Repository.read("docs/fcm.md")
        let suites = ["SendTests", "ErrorBodyTests", "TopicConditionTests", "TokenEndpointTests", "TopicSubscriptionTests"]
        let there = knownTests.keys.filter { name in suites.contains { name.hasPrefix($0 + "/") } }
        let helpers = ["ErrorBodyTests/types", "TokenEndpointTests/said"]
        let unnamed = there.filter { !page.contains("`\($0)`") && !helpers.contains($0) }
        #expect(there.count > 20 && unnamed.isEmpty, "\(unnamed.sorted())")
    }
}

// A check in each form: terminal, page, JUnit, Markdown, annotations, JSON.

import Basics
import Conformance
import Testing

@testable import Reports
@testable import Verdicts

@Suite("A check's report")
struct CheckReportTests {
    private let record = CheckSample.mixed

    @Test("ends the terminal's text with the worst, its evidence told once, and the verdict")
    func terminal() {
        var mixed = record
        mixed.cases.append(CheckSample.item("wrong-too", [CheckSample.broken("dead-token-dropped")], code: 4))
        let text = CheckText.text(mixed, directory: "/tmp/x", color: false)
        let order = ["not exercised  idle", "known broken   known", "warning        warned", "inconclusive   untested", "broken         wrong"]
        let places = order.compactMap { text.firstRange(of: $0)?.lowerBound }
        #expect(places.count == order.count && places == places.sorted(), "\(text)")
        #expect(!text.contains("kept           fine"))
        #expect(text.split(separator: "\n").count { $0.contains("norm    Apple says so") } == 3, "each rule's once")
        #expect(text.contains("    by the same alone 1 more case: wrong-too\n"))
        #expect(text.contains("the profile has no call that ends a session"))
        #expect(text.contains("replay: pushrig run '/tmp/a check/cases/wrong.yaml'"))
        #expect(text.contains("CONFORMANCE BROKEN  7 cases: 1 not exercised, 1 kept, 1 known broken, 1 warning, 1 inconclusive, 2 broken;"))
        #expect(text.hasSuffix("report: /tmp/x/report.html\n"))
    }

    @Test("has a page with each case, a matrix whose broken cells lead to their evidence, and nothing unescaped")
    func page() {
        let page = CheckPage(record: record, directory: CheckSample.directory).text
        for name in record.cases.map(\.name) { #expect(page.contains("id=\"case-\(name)\"")) }
        #expect(page.contains("<a href=\"#wrong--dead-token-dropped\">") && page.contains("id=\"wrong--dead-token-dropped\""))
        #expect(page.contains("href=\"wrong/report.html\"") && page.contains("href=\"cases/wrong.yaml\""))
        #expect(page.contains("Scenarios/&lt;mine&gt;.yaml") && !page.contains("<mine>") && !page.contains("again <b>"))
        #expect(page.contains("<span class=\"off\">kept</span>") && page.contains("<span class=\"off\">broken</span>"))
        let untested = page.split(separator: "id=\"untested\"").last ?? ""
        #expect(!untested.contains("one-start"), "another case has put it to the test")
    }

    @Test("is JUnit with a suite for each case, in which each verdict has its element")
    func junit() throws {
        let text = CheckJUnit(record: record).text
        #expect(text.contains("<testsuite name=\"wrong\" tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\""))
        #expect(text.contains("<testsuite name=\"untested\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""))
        #expect(text.contains("<testsuite name=\"idle\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""))
        #expect(text.contains("<testsuite name=\"known\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"2\""))
        #expect(text.contains("<testsuite name=\"warned\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"0\""))
        #expect(text.contains("tests=\"12\" failures=\"2\" errors=\"1\" skipped=\"3\" time=\"42.000\""))
        let healed = CheckSample.record([CheckSample.item("known", [CheckSample.rule("one-start", known: true)], code: 4)])
        let told = CheckJUnit(record: healed).text
        #expect(told.contains("<testsuite name=\"known\" tests=\"2\" failures=\"0\""), "told of the check as a whole")
        #expect(told.contains("<testsuite name=\"all cases\" tests=\"1\" failures=\"1\" errors=\"0\""))
        #expect(told.contains("message=\"one-start is kept again: strike it from the list of known breaks\""))
    }

    @Test("leads from each cell of the matrix to what is behind it")
    func cells() {
        let page = CheckPage(record: record, directory: CheckSample.directory).text
        #expect(page.contains("<a href=\"fine/report.html#conformance\">"), "what is kept, to its run")
    }

    @Test("is GitLab's code quality: an entry for each broken rule of a case, the same from run to run")
    func codeQuality() throws {
        let entries = try #require(CheckCodeQuality(record: record).json.array)
        let names = entries.compactMap { $0["fingerprint"]?.string }
        #expect(names == ["pushrig/mine/wrong/dead-token-dropped", "pushrig/mine/warned/urgent-states-at-10"], "\(names)")
        #expect(entries.compactMap { $0["severity"]?.string } == ["major", "minor"])
        let first = entries[0]
        #expect(first["check_name"]?.string == "dead-token-dropped" && first["location"]?["lines"]?["begin"] == 1)
        #expect(first["location"]?["path"]?.string == record.subject)
        #expect(first["description"]?.string?.contains("Change: delete the row") == true)
    }

    @Test("is no green JUnit where the exit code is not 0, and no red one where it is")
    func junitAndExit() {
        let fine = CheckSample.item("fine", [CheckSample.rule("one-start")])
        let healed = CheckSample.item("known", [CheckSample.rule("one-start", known: true)], code: 4)
        let unsure = CheckSample.item("unsure", [], code: 5, reasons: ["why"])
        let idle = CheckSample.idle("idle")
        for (cases, isInterrupted) in [
            ([fine, idle], false), ([idle], false), ([], false), ([healed], false), ([healed, fine], true), ([fine], true),
            ([fine, unsure], false), ([CheckSample.item("down", [], code: 1)], false), (record.cases, false),
        ] {
            var record = CheckSample.record(cases)
            record.isInterrupted = isInterrupted
            let head = CheckJUnit(record: record).text.split(separator: "\n")[1]
            let isGreen = head.contains("failures=\"0\" errors=\"0\"")
            #expect(isGreen == (record.exit.code == 0), "\(record.exit.word): \(head)")
        }
        #expect(CheckJUnit(record: CheckSample.record([idle])).text.contains("<error type=\"error\" message=\"no case could be run\""))
    }

    @Test("is Markdown that names what is broken, and why a case could not be run")
    func markdown() {
        let text = CheckMarkdown(record: record).text
        #expect(text.hasPrefix("## ❌ mine: conformance broken\n"))
        #expect(text.contains("| wrong | **broken** | dead-token-dropped (R0.22) |"))
        #expect(text.contains("| untested | **inconclusive** | one-start was not put to the test |"))
        #expect(text.contains("Not exercised: idle (") && !text.contains("| fine |"))
        #expect(text.contains("pushrig check 'Scenarios/<mine>.yaml'"), "in a block of code")
    }

    @Test("annotates a workflow with breaks and warnings, and not with known ones")
    func annotations() {
        let lines = CheckText.annotations(record).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("::error title=wrong%3A dead-token-dropped::pushed again <b>: expected no push, seen a push, 100 %25%0Alater"))
        #expect(lines[1].hasPrefix("::warning title=warned%3A urgent-states-at-10::"))
    }

    @Test("is JSON with each case, each rule over all cases, and the exit")
    func json() throws {
        let json = try JSONValue(parsing: record.json.text)
        #expect(json["format"]?.string == "pushrig.check" && json["version"]?.int == 1)
        #expect(json["exit"]?["code"]?.int == 4 && json["seed"]?.string == "18446744073709551615")
        let cases = try #require(json["cases"]?.array)
        #expect(cases.compactMap { $0["verdict"]?.string } == ["kept", "broken", "warning", "known broken", "inconclusive", "not exercised"])
        #expect(cases[1]["findings"]?.array?.first?["id"]?.string == "dead-token-dropped")
        #expect(cases[4]["rules"]?.array?.isEmpty == true)
        let dead = json["rules"]?.array?.first { $0["id"]?.string == "dead-token-dropped" }
        #expect(dead?["standing"]?.string == "broken")
        #expect(dead?["keptIn"]?.array?.compactMap(\.string) == ["fine"])
        #expect(dead?["brokenIn"]?.array?.compactMap(\.string) == ["wrong"])
    }
}

@Suite("What a check comes to")
struct CheckExitTests {
    private func code(_ cases: [CaseResult], interrupted: Bool = false) -> Int32 {
        var record = CheckSample.record(cases)
        record.isInterrupted = interrupted
        return record.exit.code
    }

    private let fine = CheckSample.item("fine", [CheckSample.rule("one-start")])
    private let wrong = CheckSample.item("wrong", [CheckSample.broken("one-start")], code: 4)
    private let unsure = CheckSample.item("unsure", [CheckSample.rule("one-start")], code: 5, reasons: ["why"])

    @Test("is the first of: could not run, interrupted, broken, inconclusive, passed")
    func order() {
        let down = CheckSample.item("down", [], code: 1, reasons: ["never ready"])
        #expect(code([fine, wrong, unsure, down], interrupted: true) == 1)
        #expect(code([fine, wrong, unsure], interrupted: true) == 130)
        #expect(code([fine, wrong, unsure]) == 4)
        #expect(code([fine, unsure]) == 5)
        #expect(code([fine, CheckSample.idle("idle")]) == 0)
        #expect(code([CheckSample.idle("idle")]) == 5, "no data is no pass")
        #expect(code([]) == 5)
        #expect(CheckSample.record([down]).exit.reasons == ["down: never ready"])
        #expect(CheckSample.record([unsure]).exit.reasons == ["not proven: unsure"])
    }

    @Test("is broken where a known break is kept in every case, and not where one case breaks it")
    func healed() {
        let kept = CheckSample.item("kept", [CheckSample.rule("one-start", known: true)], code: 4, exercises: ["one-start"])
        let broken = CheckSample.item("known", [CheckSample.broken("one-start", known: true)])
        #expect(kept.verdict == .kept && broken.verdict == .knownBroken)
        #expect(code([kept, fine]) == 4 && code([kept, broken]) == 0)
        #expect(CheckSample.record([kept]).exit.reasons == ["one-start is kept again: strike it from the list of known breaks"])
    }

    @Test("A case that healed something and did not come to its own test has proven nothing")
    func untested() {
        let item = CheckSample.item("kept", [CheckSample.rule("one-start", known: true)], code: 4, exercises: ["state-order"])
        #expect(item.verdict == .inconclusive && item.reasons == ["state-order was not put to the test"])
    }

    /// Where the break is in a case that nobody asked, or that came to nothing, it has not healed by the others.
    @Test("is of a known break healed only where all cases about it were asked, and came to an end that proves something")
    func healedByAll() {
        let kept = CheckSample.item("kept", [CheckSample.rule("one-start", known: true)], code: 4)
        var record = CheckSample.record([kept])
        #expect(record.exit.code == 4)
        record.unasked = ["state-order"]
        #expect(record.exit.code == 4)
        record.unasked = ["one-start"]
        #expect(record.exit.code == 0 && record.rules[0].standing == .kept)
        var idle = CheckSample.idle("idle")
        #expect(code([kept, idle]) == 4)
        idle.touches = ["one-start"]
        #expect(code([kept, idle]) == 0)
        let open = CheckSample.item("open", [], code: 5, reasons: ["why"], exercises: ["one-start"])
        #expect(CheckSample.record([kept, open]).exit.reasons == ["not proven: open"])
    }

    @Test("A known break that is kept in a case hides none of its doubts, and proves none of what it may have broken")
    func healedAndUnsound() {
        let known = CheckSample.rule("one-start", known: true)
        let late = CheckSample.broken("throttle-respected")
        let doubts = ["our own measuring is not sound: our queues: 12 planned events were dropped"]
        let unsound = CheckSample.item("unsound", [known], code: 4, proof: .init(doubts: doubts))
        #expect(unsound.verdict == .inconclusive && unsound.reasons == doubts)
        let doubtful = CheckSample.item("late", [known, late], code: 4, proof: .init(doubts: doubts))
        #expect(doubtful.verdict == .inconclusive && doubtful.toMend.isEmpty && doubtful.proven.isEmpty)
        let proven = CheckSample.item("late", [known, late], code: 4, proof: .init(broken: [late.id], doubts: doubts))
        #expect(proven.verdict == .broken && proven.toMend.map(\.id) == [late.id])
        #expect(CheckSample.item("sound", [known], code: 4).verdict == .kept)
        // What one case leaves in doubt is no reason for what another has proven.
        let wrong = CheckSample.item("wrong", [CheckSample.broken("dead-token-dropped")], code: 4)
        #expect(CheckSample.record([doubtful, wrong]).exit.reasons == ["dead-token-dropped (R0.22) is broken: Dead tokens are <dropped>."])
    }

    @Test("A relay that runs already, has answered cases, and is not there for the next, has broken what it is to keep")
    func gone() {
        func down(neverReady: Bool, known: Bool = false) -> CaseResult {
            var item = CheckSample.item(
                "down", [CheckSample.rule("relay-serves", .must, .notExercised, known: known)], code: 1, reasons: ["no answer"],
                proof: .init(wasNeverReady: neverReady))
            item.relayWasGone(isConvicted: false)
            return item
        }
        let gone = down(neverReady: true)
        #expect(gone.verdict == .broken && gone.proven == ["relay-serves"] && gone.reasons == ["the relay had been there, and is gone: no answer"])
        #expect(code([fine, gone]) == 4 && gone.toMend.count == 1)
        #expect(down(neverReady: true, known: true).verdict == .knownBroken)
        #expect(down(neverReady: false).verdict == .notExercised, "it may be something of ours")
    }

    @Test("A case that was ended for its length is judged by what it is proven to have broken")
    func overdue() {
        let proof = RunRecord.Proof(broken: ["relay-serves"])
        var item = CheckSample.item("long", [CheckSample.broken("relay-serves")], code: 130, proof: proof)
        #expect(item.verdict == .inconclusive)
        item.wasOverdue()
        #expect(item.verdict == .broken && item.reasons.first?.contains("far longer") == true)
        var doubtful = CheckSample.item("long", [CheckSample.broken("states-delivered")], code: 130)
        doubtful.wasOverdue()
        #expect(doubtful.verdict == .inconclusive, "what did not come may have been cut off")
        var quiet = CheckSample.item("long", [CheckSample.rule("relay-serves")], code: 130)
        quiet.wasOverdue()
        #expect(quiet.verdict == .inconclusive)
        var done = CheckSample.item("long", [CheckSample.broken("relay-serves", .should)], code: 0)
        done.wasOverdue()
        #expect(done.verdict == .warning, "it was over just then")
    }

    @Test("A run without a record could not run; one that a bad file ended could not either", arguments: [1, 2] as [Int32])
    func failed(code: Int32) {
        #expect(CheckSample.item("down", [], code: code, reasons: ["why"]).verdict == .couldNotRun)
    }
}

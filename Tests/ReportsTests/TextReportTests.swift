// JUnit, Markdown and the terminal: the same run in other languages.

import Basics
import Conformance
import Metrics
import Testing
@testable import Verdicts

@testable import Reports

@Suite struct `The JUnit report` {
    private func parse(_ record: RunRecord) throws -> XML.Element { try XML.parse(JUnitReport(record: record).text) }

    @Test func `has a case for the verdict, each gate, each rule and each condition on ourselves`() throws {
        let record = Sample.record()
        let root = try parse(record)
        #expect(root.name == "testsuites")
        #expect(root.attributes["tests"] == "13")
        #expect(root.attributes["failures"] == "0")
        #expect(root.all("testcase").count == 1 + 3 + 4 + 5)
        #expect(root.all("property").first { $0.attributes["name"] == "seed" }?.attributes["value"] == "\(UInt64.max)")
    }

    @Test func `tells breaches and breaks as failures with their evidence`() throws {
        let root = try parse(
            Sample.record { record in
                record.gates[0].passed = false
                record.verdicts[2].verdict = .broken([Sample.finding], count: 1)
                record.exit = .init(code: 4, word: "conformance broken", reasons: ["x"])
            })
        let failures = root.all("failure")
        #expect(failures.count == 3)
        #expect(root.attributes["failures"] == "3")
        #expect(failures[1].attributes["message"] == "measured 9.8 s, threshold 12 s")
        #expect(failures[2].text.contains("[entries 118, 204]"))
        #expect(failures[2].text.contains("What to change: delete the token's row"))
        #expect(failures[2].text.contains("pushrig journal Reports/latest --session 17 --around 204"))
        #expect(failures[2].text.contains("pushrig replay Reports/latest --session 17"))
    }

    @Test func `tells what was not measured, not sound or inconclusive as errors, never as passed`() throws {
        let root = try parse(Sample.empty)
        #expect(root.attributes["errors"] == "3")
        #expect(root.all("skipped").count == 5)
        let unsound = try parse(Sample.record { $0.soundness[0].passed = false })
        #expect(unsound.all("error").count == 1)
    }

    @Test func `tells a healed break as a failure and a warning as output`() throws {
        let root = try parse(
            Sample.record { record in
                record.verdicts[0].isKnownFailing = true
                record.verdicts[3].verdict = .broken([Sample.finding], count: 1)
            })
        #expect(root.all("failure").count == 1)
        #expect(root.all("system-out").contains { $0.text.hasPrefix("warning: ") })
    }

    @Test func `stays well-formed whatever it is told`() throws {
        let root = try parse(Sample.hostile)
        #expect(root.attributes["name"]?.contains("</script><img src=x") == true)
    }
}

@Suite struct `The Markdown summary` {
    @Test func `begins with the verdict and ends with the command that replays the run`() {
        let text = MarkdownSummary(record: Sample.record()).text
        #expect(text.hasPrefix("## ✅ quickstart: passed\n"))
        #expect(text.hasSuffix("```sh\npushrig run Scenarios/quickstart.yaml --seed 18446744073709551615\n```\n"))
        #expect(text.contains("| delivery, complete | 2,400 |"))
        #expect(text.contains("| delivery.p99 &lt; 12s | 9.8 s | passed |"))
        #expect(text.split(separator: "\n").count < 60)
    }

    @Test func `names what is broken and why`() {
        let text = MarkdownSummary(
            record: Sample.record { record in
                record.verdicts[2].verdict = .broken([Sample.finding], count: 1)
                record.exit = .init(code: 4, word: "conformance broken", reasons: ["dead-token-dropped is broken"])
            }
        ).text
        #expect(text.hasPrefix("## ❌ quickstart: conformance broken\n"))
        #expect(text.contains("- dead-token-dropped is broken\n"))
        #expect(text.contains("| dead-token-dropped | R0.22, P9, G2 | **broken** | pushed again"))
    }

    @Test func `gives every row of a table as many cells as its head`() {
        for record in [Sample.record(), Sample.hostile, Sample.empty] {
            var cells: Int?
            for line in MarkdownSummary(record: record).text.split(separator: "\n", omittingEmptySubsequences: false) {
                guard line.hasPrefix("|") else {
                    cells = nil
                    continue
                }
                let count = line.replacing("\\|", with: "").count { $0 == "|" }
                #expect(cells == nil || cells == count, "\(line)")
                cells = count
            }
        }
    }

    @Test func `lets no foreign text act`() {
        let text = MarkdownSummary(record: Sample.hostile).text
        #expect(!text.split(separator: "```")[0].contains("<img"))
    }
}

@Suite struct `The summary on the terminal` {
    @Test func `says what happened, the verdict and how to replay it`() {
        let text = TerminalSummary.renderText(Sample.record(), color: false, directory: "Reports/latest")
        #expect(text.contains("23,990 events sent, 23,800 answered, 190 failed"))
        #expect(text.contains("gate  passed     delivery.p99 < 12s  measured 9.8 s"))
        #expect(text.contains("PASSED  4 of 4 gates held; 4 of 5 rules were kept, 1 not exercised."))
        #expect(text.contains("report  Reports/latest/report.html\n"))
        #expect(text.hasSuffix("replay  pushrig run Scenarios/quickstart.yaml --seed 18446744073709551615\n"))
        #expect(!text.contains("\u{1B}"))
    }

    @Test func `counts each rule once, a known break too`() {
        let text = TerminalSummary.renderText(
            Sample.record { record in
                record.verdicts.append(Sample.rule("one-start", .broken([Sample.finding], count: 1), known: true))
            }, color: false)
        #expect(text.contains("4 of 6 rules were kept, 1 known broken, 1 not exercised."))
    }

    @Test func `begins with the relay's wrong answers, grouped`() {
        let text = TerminalSummary.renderText(
            Sample.record { record in
                record.correlation.wrongAnswers = (0..<5).map { WrongAnswer(status: 500 + $0, body: "no", count: 90 - Int($0)) }
            }, color: false)
        #expect(text.hasPrefix("the relay answered 90 of 23,990 calls with 500: no\n"))
        #expect(text.contains("and 2 other wrong answers\n"))
    }

    @Test func `tells each expected push once, and what else pushes were beside it`() throws {
        let c = Sample.record().correlation
        let text = TerminalSummary.renderText(Sample.record(), color: false)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("deliveries  ") })
        let numbers = line.dropFirst("deliveries  ".count).split { !($0.isNumber || $0 == ",") }
            .compactMap { Int($0.filter(\.isNumber)) }
        #expect(numbers.first == c.expected && numbers.dropFirst().reduce(0, +) == c.expected, "\(line)")
        #expect(text.contains("beside      3 duplicated, 1 reordered, 2 unexpected\n"))
        #expect(
            text.contains(
                "lost        e.g. session 17 step 40, progress, entry 118, 204, at +61.200 s: "
                    + "pushrig journal Reports/latest --session 17 --around 204\n"))
        #expect(!text.contains("pushes of"))
    }

    @Test func `shows what a person needs to check a broken rule`() {
        let record = Sample.record { $0.verdicts[2].verdict = .broken([Sample.finding], count: 5) }
        let text = TerminalSummary.renderText(record.withShortTokens, color: false)
        for part in [
            "rule  broken       dead-token-dropped (R0.22, P9, G2)\n        pushed again to token a1b2c3d4…",
            "event   session 17 step 40, progress planned at +63.500 s (10:01:03.000Z) → 204 in 2 ms\n",
            "push    204 at +63.600 s (10:01:03.000Z) → 410 Unregistered\n",
            ":path: /3/device/a1b2c3d4…; apns-push-type: liveactivity", #"{"aps":{"timestamp""#,
            "norm    Apple, Handling notification responses", "change  delete the token's row with its first 410", "                  … 41 more\n                ▸ +63.600 s  push live", "found   5 times",
            "more    pushrig journal Reports/latest --session 17 --around 204\n",
            "replay  pushrig replay Reports/latest --session 17\n",
        ] { #expect(text.contains(part), "\(part)\n\(text)") }
    }

    @Test func `says in one line first why nothing could run`() {
        let text = TerminalSummary.renderText(
            Sample.record { record in
                record.correlation = Correlation()
                for index in record.gates.indices { record.gates[index].passed = nil }
                record.exit = .init(code: 1, word: "could not run", reasons: ["the relay was never ready: no answer in 5 s"])
            }, color: false)
        #expect(text.hasPrefix("COULD NOT RUN  the relay was never ready: no answer in 5 s\n"))
        #expect(!text.contains("no data") && !text.contains("gate"))
    }

    @Test func `sets figures in columns`() {
        let lines = TerminalSummary.renderText(Sample.record(), color: false).split(separator: "\n")
        let table = lines.drop { !$0.hasPrefix("latency") }.prefix(7)
        #expect(Set(table.map(\.count)).count == 1)
    }

    @Test func `colours only when asked, and never by foreign escape sequences`() {
        #expect(TerminalSummary.renderText(Sample.record(), color: true).contains("\u{1B}[32m"))
        #expect(!TerminalSummary.renderText(Sample.hostile, color: false).contains("\u{1B}"))
    }

    @Test func `says that nothing was measured`() {
        let text = TerminalSummary.renderText(Sample.empty, color: false)
        #expect(text.contains("No latency was measured."))
        #expect(text.contains("INCONCLUSIVE"))
    }
}

@Suite struct `The live panel` {
    private func frame(_ seconds: Double, _ turn: (inout LiveFrame) -> Void = { _ in }) -> LiveFrame {
        var frame = LiveFrame(
            phase: "measure", elapsed: .seconds(seconds), total: .seconds(150), planned: 24_000,
            sent: Int64(seconds * 100), answered: Int64(seconds * 99), activeSessions: 120, pushes: Int64(seconds * 90),
            answerP50: .milliseconds(12), answerP99: .milliseconds(80), latenessP99: .microseconds(210))
        turn(&frame)
        return frame
    }

    @Test func `is redrawn in place and wiped at the end`() {
        var panel = LivePanel(title: "quickstart", style: .panel(columns: 80, color: false))
        let first = panel.text(for: frame(10))
        let rows = first.count { $0 == "\n" }
        #expect(first.hasPrefix("\u{1B}[?25l"))
        #expect(panel.text(for: frame(11)).hasPrefix("\r\u{1B}[\(rows)A"))
        #expect(panel.finish() == "\r\u{1B}[\(rows)A\u{1B}[J\u{1B}[?25h")
        #expect(panel.finish() == "")
    }

    @Test(arguments: [40, 60, 80, 200])
    func `is never wider than the terminal`(columns: Int) {
        var panel = LivePanel(
            title: String(repeating: "long ", count: 40), style: .panel(columns: columns, color: false))
        let text = panel.text(for: frame(10) { $0.faultsActive = [String(repeating: "x", count: 300)] })
        for line in text.split(separator: "\n") {
            #expect(line.replacing(/\u{1B}\[[?0-9]*[A-Za-z]/, with: "").count < columns, "\(line)")
        }
    }

    @Test func `tells rates since the frame before`() {
        var panel = LivePanel(title: "quickstart", style: .lines)
        _ = panel.text(for: frame(10))
        let line = panel.text(for: frame(12) { $0.dropped = 3 })
        #expect(
            line
                == "12 s/2:30 measure, sent 1,200 (100/s), answered 1,188, pushes 1,080 (90/s), sessions 120, "
                + "answer p99 80 ms, dropped 3\n")
    }

    @Test func `keeps colours to terminals that want them`() {
        var plain = LivePanel(title: "t", style: .panel(columns: 80, color: false))
        #expect(!plain.text(for: frame(1) { $0.failed = 2 }).contains("\u{1B}[31m"))
        var colored = LivePanel(title: "t", style: .panel(columns: 80, color: true))
        #expect(colored.text(for: frame(1) { $0.failed = 2 }).contains("\u{1B}[31m"))
    }

    @Test func `fits itself to what it is shown on`() {
        func style(_ isTerminal: Bool, columns: Int = 80, noColor: Bool = false, plain: Bool = false) -> LivePanel.Style
        {
            .fitting(isTerminal: isTerminal, columns: columns, noColor: noColor, plain: plain, quiet: false)
        }
        #expect(style(true) == .panel(columns: 80, color: true))
        #expect(style(true, noColor: true) == .panel(columns: 80, color: false))
        #expect(style(true, plain: true) == .lines)
        #expect(style(true, columns: 30) == .lines)
        #expect(style(false) == .lines)
        #expect(
            LivePanel.Style.fitting(isTerminal: true, columns: 80, noColor: false, plain: false, quiet: true) == .quiet)
    }

    @Test func `says nothing when quiet`() {
        var panel = LivePanel(title: "t", style: .quiet)
        #expect(panel.text(for: frame(1)) == "")
        #expect(panel.finish() == "")
    }
}

@Suite struct `A closed load` {
    @Test func `is called so wherever latencies are shown`() throws {
        let record = Sample.record { $0.closedUsers = 50 }
        let words = "50 users waited for the relay before each next session"
        #expect(TerminalSummary.renderText(record, color: false).contains("closed      " + words))
        #expect(MarkdownSummary(record: record).text.contains("Closed load: " + words))
        #expect(ReportPage(record: record).latency.text.contains("Closed load: " + words))
        #expect(try RunRecord(json: record.json).closedUsers == 50)
        let open = Sample.record()
        #expect(!TerminalSummary.renderText(open, color: false).contains("\nclosed "))
        #expect(open.json["closedUsers"] == .null)
        #expect(try RunRecord(json: open.json).closedUsers == nil)
    }
}

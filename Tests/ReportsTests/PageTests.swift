// The page: what stands on it, in which order, and that nothing foreign can act in it.

import Basics
import Conformance
import Foundation
import Metrics
import Testing
import Verdicts

@testable import Reports

@Suite struct `The report page` {
    private func page(_ record: RunRecord) -> String { ReportPage(record: record).text }

    @Test func `begins with the verdict, then ourselves, then the relay`() throws {
        let text = page(Sample.record())
        let order = [
            "id=\"verdict\"", "id=\"own\"", "id=\"latency\"", "id=\"time\"", "id=\"errors\"", "id=\"classes\"",
            "id=\"gates\"", "id=\"conformance\"", "id=\"tokens\"", "id=\"lateness\"", "id=\"environment\"",
        ]
        var from = text.startIndex
        for mark in order {
            let range = try #require(text.range(of: mark, range: from..<text.endIndex), "\(mark) is missing or early")
            from = range.upperBound
        }
    }

    @Test func `asks the network for nothing`() {
        let text = page(Sample.record())
        #expect(!text.contains("http:"))
        #expect(!text.contains("https:"))
        #expect(!text.contains("url("))
        #expect(!text.contains("@import"))
        #expect(!text.contains(" src="))
    }

    @Test func `draws each chart for wide and narrow screens, with words for those who cannot see it`() {
        let text = page(Sample.record())
        let charts = text.count(of: "<svg class=\"wide\"")
        #expect(charts == 4)
        #expect(text.count(of: "<svg class=\"narrow\"") == charts)
        #expect(text.count(of: "role=\"img\"") == 2 * charts)
        #expect(text.count(of: "<desc id=") == 2 * charts)
    }

    @Test func `is well-formed, with ids used once`() throws {
        for record in [Sample.record(), Sample.empty, Sample.hostile] {
            let text = page(record)
            try XML.check(XML.fromHTML(text))
            let ids = text.matches(of: /\bid="([^"]+)"/).map { String($0.1) }
            #expect(Set(ids).count == ids.count)
        }
    }

    @Test func `shows hostile text as text`() {
        let text = page(Sample.hostile)
        #expect(text.count(of: "</script>") == 1)
        #expect(!text.contains("<img"))
        #expect(!text.contains("onerror='"))
        #expect(text.contains("&lt;/script&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;"))
        #expect(!text.unicodeScalars.contains("\u{1B}"))
    }

    @Test func `shows no markup as text`() {
        let text = page(Sample.record { $0.verdicts[2].verdict = .broken([Sample.finding], count: 1) })
        #expect(!text.contains("&lt;/"))
        #expect(!text.contains("Markup("))
    }

    @Test func `says that an empty run is inconclusive and draws nothing`() {
        let text = page(Sample.empty)
        #expect(text.contains("<h2>Inconclusive</h2>"))
        #expect(text.contains("no event was sent to the relay"))
        #expect(!text.contains("<svg class=\"wide\""))
        #expect(text.count(of: ">No data.<") >= 5)
        #expect(!text.contains("nan"))
        #expect(!text.contains("inf"))
    }

    @Test func `shows a broken rule with its evidence before the kept ones`() throws {
        let record = Sample.record { record in
            record.verdicts[2].verdict = .broken(Array(repeating: Sample.finding, count: 5), count: 5)
        }
        let text = page(record)
        let broken = try #require(text.range(of: "<h3>After 410, or 400 BadDeviceToken"))
        let kept = try #require(text.range(of: "<caption>Kept</caption>"))
        #expect(broken.lowerBound < kept.lowerBound)
        #expect(text.contains("entries 118, 204"))
        #expect(text.contains("<dt>event</dt><dd>session 17, step 40</dd>"))
        #expect(text.contains("<summary>entry 118 at 61.2 s: 410 Unregistered</summary>"))
        #expect(text.contains("<summary>2 more</summary>"))
    }

    @Test func `draws a fault and a restart as bands, named and in a table`() {
        let text = page(Sample.record())
        #expect(text.contains("class=\"band fault\""))
        #expect(text.contains("class=\"band restart\""))
        #expect(text.contains("Relay restart: relay KILL, 90 s to 96 s"))
        #expect(text.contains("<summary>Faults and restarts as a table</summary>"))
    }

    @Test func `marks a latency gate in the chart it belongs to`() {
        let text = page(Sample.record { $0.gates[0].passed = false })
        #expect(text.contains("class=\"limit bad\""))
        #expect(text.contains("class=\"limit ok\""))
        #expect(text.contains(">delivery.p99 &lt; 12s</text>"))
    }

    @Test func `stays small when a run is long`() {
        let day = Sample.record(seconds: 86_400)
        #expect(page(day).utf8.count < 600_000)
    }

    @Test func `draws a run of one second and one sample`() throws {
        let record = Sample.record(seconds: 1) { record in
            var one = Histogram()
            one.record(5_000_000)
            record.correlation.deliveryByKind = ["start": one]
            record.correlation.delivery = one
            record.correlation.answer = one
            record.correlation.answerUncorrected = one
            record.correlation.lateness = one
        }
        try XML.check(XML.fromHTML(page(record)))
    }

    @Test func `gathers the kinds beyond seven in one curve`() {
        let record = Sample.record { record in
            for index in 0..<12 {
                record.correlation.deliveryByKind["kind-\(index)"] =
                    Sample.histogram(median: 0.1, p95: 0.5, count: 100 + index, seed: UInt64(index))
            }
        }
        #expect(page(record).contains(">9 others</text>"))
    }
}

extension Sample {
    /// Foreign text that tries to act, wherever foreign text can stand.
    static var hostile: RunRecord {
        let evil = "</script><img src=x onerror='alert(1)'>\u{1B}[31m\u{0}&\"]]>--> |`*"
        return record { record in
            record.name = evil
            record.scenarioText = evil
            record.profile = evil
            record.replayCommand = evil
            record.machine.processor = evil
            record.bands[0].label = evil
            record.phases[1].name = evil
            record.gates[0].text = evil
            record.soundness[0].detail = evil
            var finding = Finding(message: evil, expected: evil, seen: evil, entries: [1])
            finding.exchanges = [
                Exchange(entry: 1, at: .zero, request: [evil], payload: evil, answer: evil, device: evil)
            ]
            record.verdicts[0].claims = [evil]
            record.verdicts[0].verdict = .broken([finding], count: 1)
            record.correlation.reasons[evil] = 3
            record.correlation.outcomes[evil] = 3
            record.correlation.classes[evil] = [.lost: 1]
            record.correlation.deliveryByKind[evil] = histogram(median: 1, p95: 2, count: 50, seed: 1)
            record.correlation.excuses[evil] = 62
            record.correlation.wrongAnswers = [WrongAnswer(status: 500, body: evil, count: 3)]
            record.exit = .init(code: 4, word: evil, reasons: [evil])
        }
    }
}

extension String {
    func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}

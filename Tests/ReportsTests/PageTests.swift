// The page: what stands on it, in which order, and that nothing foreign can act in it.

import Basics
import Conformance
import Foundation
import Metrics
import Testing
@testable import Verdicts

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
        #expect(charts == 5)
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
        #expect(
            text.contains(
                "<dt>event</dt><dd>session 17, step 40: progress, planned at +63.500 s (10:01:03.000Z), answered 204 in 2 ms</dd>"))
        #expect(text.contains("<summary>entry 118 at +61.200 s (10:01:01.000Z): 410 Unregistered</summary>"))
        #expect(text.contains("<b>What to change:</b> delete the token&#39;s row"))
        #expect(text.contains("<dt>more</dt><dd><code>pushrig journal Reports/latest --session 17 --around 204</code></dd>"))
        #expect(text.contains("<dt>replay</dt><dd><code>pushrig replay Reports/latest --session 17</code></dd>"))
        #expect(text.contains("<summary>2 more</summary>"))
    }

    @Test func `lets its own script run and nothing else`() throws {
        let text = page(Sample.record())
        let script = try #require(text.components(separatedBy: "<script>").last?.components(separatedBy: "</script>").first)
        #expect(text.contains("default-src &#39;none&#39;") || text.contains("default-src 'none'"))
        #expect(text.contains("script-src '\(Script.digest)'") && text.contains("form-action 'none'"))
        #expect(try digest(of: script) == Script.digest, "write this digest into Script.swift")
    }

    private func digest(of text: String) throws -> String {
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/env")
        openssl.arguments = ["openssl", "dgst", "-sha256", "-binary"]
        let (input, output) = (Pipe(), Pipe())
        openssl.standardInput = input
        openssl.standardOutput = output
        try openssl.run()
        input.fileHandleForWriting.write(Data(text.utf8))
        try input.fileHandleForWriting.close()
        return "sha256-" + (try output.fileHandleForReading.readToEnd() ?? Data()).base64EncodedString()
    }

    @Test func `links each reason of the verdict to where more is told of it`() {
        let text = page(
            Sample.record { record in
                record.verdicts[2].verdict = .broken([Sample.finding], count: 1)
                record.gates[0].passed = false
                record.soundness[0].passed = false
                record.exit = .init(
                    code: 4, word: "conformance broken",
                    reasons: [
                        "the relay answered 190 of 23,990 calls with nothing",
                        "dead-token-dropped (R0.22, P9, G2) is broken: x", "gate breached: delivery.p99 < 12s, measured 13 s",
                        "our own measuring is not sound: lateness: p99 410 µs", "nothing was delivered",
                    ])
            })
        for place in ["errors", "rule-dead-token-dropped", "gates", "own"] {
            #expect(text.contains("<li><a href=\"#\(place)\">"), "\(place)")
            #expect(text.contains(" id=\"\(place)\""), "\(place)")
        }
        #expect(text.contains("<li>nothing was delivered</li>"))
    }

    @Test func `groups the relay's wrong answers, and names examples of what it has to answer for`() throws {
        let text = page(
            Sample.record { record in
                record.correlation.wrongAnswers.insert(WrongAnswer(status: 500, body: "out of <memory>", count: 200), at: 0)
                for word in DeliveryClass.ofPushes { record.correlation.examples[word] = [Sample.example] }
            })
        #expect(text.contains("<h3>Wrong answers of the relay</h3>"))
        #expect(text.contains("500</th><td class=\"n\">200</td><td><code>out of &lt;memory&gt;</code></td>"))
        for word in [.lost] + DeliveryClass.ofPushes {
            #expect(
                text.contains(
                    "\(word.rawValue)</th><td>session 17 step 40, progress, entry 118, 204, at +61.200 s</td>"
                        + "<td><code>pushrig journal Reports/latest --session 17 --around 204</code></td>"), "\(word)")
        }
    }

    @Test func `puts causes before symptoms, and what fails before what warns`() throws {
        let rules = ["urgent-states-at-10", "last-state-delivered", "goaway-obeyed", "dead-token-dropped", "relay-serves"]
        let text = page(
            Sample.record { record in
                record.verdicts = RuleBook.all.map { rule in
                    Sample.rule(rule.id, rules.contains(rule.id) ? .broken([Sample.finding], count: 1) : .notExercised)
                }
            })
        let order = text.matches(of: /<article class="rule" id="rule-([a-z0-9-]+)">/).map { String($0.1) }
        #expect(order.first == "relay-serves" && Set(order) == Set(rules), "\(order)")
        let symptom = try #require(order.firstIndex(of: "last-state-delivered"))
        for cause in ["dead-token-dropped", "goaway-obeyed"] { #expect(try #require(order.firstIndex(of: cause)) < symptom) }
        // A warning stands behind what fails, whatever its place in the book.
        #expect(order.last == "urgent-states-at-10")
    }

    @Test func `draws how latency and staleness went over time, and how stale cards were`() {
        let text = page(Sample.record())
        for title in ["Delivery latency", "Answer latency", "Our own lateness"] {
            #expect(text.contains(">\(title), by the instant of the event</text>"), "\(title)")
        }
        #expect(text.contains("<th scope=\"col\" class=\"n\">push p99</th>") && text.contains(">2.4 s</td>"))
        // Of older records only means are known.
        let older = page(Sample.record { $0.correlation.course = LatencyCourse() })
        #expect(older.contains(">Delivery latency, by the second of the event</text>") && !older.contains("push p99</th>"))
        #expect(text.contains(">Age of what cards show, mean</text>"))
        #expect(text.contains("<h3>Staleness: how old a card is</h3>"))
        #expect(text.contains("<th scope=\"col\" class=\"n\">slowest</th>"))
    }

    @Test func `averages no percentile: a place shows the highest of the intervals it has a part of`() {
        let rows = (0..<8).map { LatencyCourse.Row(count: $0 == 5 ? 0 : 1, p50: Int64($0), p99: 10 * Int64($0)) }
        let places = Buckets(seconds: 16, most: 4)
        #expect(places.greatest(rows, each: 2) { $0.p99 } == [10, 30, 40, 70])
        #expect(places.greatest(rows, each: 1) { $0.p50 }.prefix(2) == [3, 7] && places.greatest(rows, each: 1) { $0.p50 }[2].isNaN)
        let fine = Buckets(seconds: 4, most: 4)
        #expect(fine.greatest(rows, each: 2) { $0.p50 } == [0, 0, 1, 1])
    }

    @Test func `draws shares as parts of the whole, and all that became of an expected push`() {
        let text = page(
            Sample.record { record in
                record.correlation.reasons = ["200": 450, "410 Unregistered": 550]
                record.correlation.pushes = 1_000
                record.correlation.classes = ["progress": [.delivered: 50, .excused: 50]]
            })
        #expect(text.contains("<i style=\"width:45%\">") && text.contains("<i style=\"width:55%\">"))
        #expect(text.contains("<i class=\"k-excused\" style=\"width:50%\" title=\"excused 50\">"))
    }

    @Test func `cuts no label of a band within a word`() {
        let text = page(
            Sample.record { record in
                record.bands = [
                    .init(kind: .fault, label: "429 TooManyRequests", start: .seconds(40), end: .seconds(50)),
                    .init(kind: .fault, label: "503 ServiceUnavailable", start: .seconds(51), end: .seconds(150)),
                ]
            })
        #expect(text.contains(">429</text>") && !text.contains(/429 T[A-Za-z]*…/))
    }

    @Test func `draws gate labels over the curves, and hints that a table goes on`() throws {
        let text = page(Sample.record())
        let wide = try #require(text.components(separatedBy: "<svg class=\"wide\"").dropFirst().first)
        let chart = try #require(wide.components(separatedBy: "</svg>").first)
        let label = try #require(chart.range(of: ">delivery.p99 &lt; 12s</text>"))
        let curve = try #require(chart.range(of: "class=\"line ", options: .backwards))
        #expect(curve.lowerBound < label.lowerBound)
        #expect(text.contains("<div class=\"scroll\" role=\"region\" aria-label=\"Delivery latency\" tabindex=\"0\">"))
        #expect(Style.sheet.contains("background-attachment:local,local,scroll,scroll"))
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
                Exchange(entry: 1, at: .zero, time: WallTime(seconds: 0), request: [evil], payload: evil, answer: evil, device: evil)
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

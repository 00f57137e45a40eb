// All it takes to run this again, and where it was run.

import Basics
import Verdicts

extension ReportPage {
    var environment: Markup {
        let machine = record.machine
        let facts: [(String, Markup)] = [
            ("Command", "<code>\(record.command)</code>"),
            ("Scenario", "\(record.scenarioPath)"),
            ("Seed", "\(String(record.seed))"),
            ("Run", "\(String(record.run, radix: 16))"),
            ("Plan", "<code>\(record.planDigest)</code>"),
            ("PushRig", "\(record.toolVersion)\(record.commit.isEmpty ? "" : ", commit \(record.commit)" as Markup)"),
            ("Machine", "\(machine.host)"),
            ("System", "\(machine.system)"),
            ("Processor", "\(machine.processor), \(machine.cores) cores"),
            ("Memory", "\(Numbers.bytes(machine.memoryBytes))"),
            (
                "Load generator",
                """
                \(Numbers.count(record.load.sessions)) sessions, \(Numbers.count(record.load.planned)) events planned, \
                \(Numbers.count(record.load.connections)) connections to the relay
                """
            ),
            (
                "Mock",
                """
                \(Numbers.count(record.mock.connections)) connections, \(Numbers.count(record.mock.tokens)) tokens, \
                \(Numbers.count(record.mock.faultsFired)) faults fired, \
                journal of \(Numbers.bytes(record.mock.journalBytes))
                """
            ),
        ]
        let isShort = record.scenarioText.split(separator: "\n", omittingEmptySubsequences: false).count <= 60
        return """
            <div class="card"><h3>Run it again</h3><pre class="command"><code>\(record.replayCommand)</code></pre></div>
            <div class="card"><dl class="facts">
            \(facts.markup { "<dt>\($0.0)</dt><dd>\($0.1)</dd>\n" })</dl></div>
            <details class="card" \(isShort ? "open" : "")><summary>Scenario text</summary>\
            <pre><code>\(record.scenarioText)</code></pre></details>

            """
    }
}

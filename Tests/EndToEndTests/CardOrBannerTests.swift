// A relay of somebody else's make whose banner takes the place of a card that has died (Tests/CardOrBanner).

import Basics
import Testing

private let hasHTTPX = (try? Rig.run("/usr/bin/python3", ["-c", "import httpx, h2"], seconds: 20).code) == 0

@Suite("pushrig run with a relay whose banner stands in for a card", .serialized, .enabled(if: hasHTTPX))
struct CardOrBannerTests {
    private func run(_ words: [String] = []) throws -> (record: JSONValue, lost: [String]) {
        try Rig.withFolder { folder in
            let launch = JSONValue.array((["/usr/bin/python3", "Tests/CardOrBanner/relay.py"] + words).map { .string($0) })
            let setting = "relay.launch=" + launch.text
            _ = try Rig.run(
                Rig.pushrig, ["run", "Tests/CardOrBanner/scenario.yaml", "--quiet", "--out", folder + "/run", "--set", setting])
            let record = try Rig.json(folder + "/run/run.json")
            let lost = record["correlation"]?["examples"]?["lost"]?.array ?? []
            return (record, lost.compactMap { $0["kind"]?.string })
        }
    }

    private func verdict(_ record: JSONValue, _ id: String) -> String? {
        record["verdicts"]?.array?.first { $0["id"]?.string == id }?["verdict"]?.string
    }

    @Test("is not blamed for the banner")
    func honest() throws {
        let (record, lost) = try run()
        #expect(lost.isEmpty)
        for rule in ["alerts-only-where-due", "nothing-unexpected", "states-delivered"] {
            #expect(verdict(record, rule) != "broken", "\(rule)")
        }
        #expect(record["correlation"]?["totals"]?["delivered"]?.int == 2, "one before the card was there, one behind its death")
    }

    @Test("is broken where it says nothing more")
    func silent() throws {
        let (record, lost) = try run(["--silent"])
        #expect(lost == ["say"] && verdict(record, "states-delivered") == "broken")
    }
}

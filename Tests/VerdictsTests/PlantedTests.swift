// What is planted in an honest history is found: as many as there are, of the kind they are, at the place where they are.

import Basics
import Conformance
import Glibc
import Journal
import Metrics
import Pushes
import Scenarios
import Testing
import Verdicts

/// Every so-many-th push that may not be coalesced is spoilt in one of the ways.
private struct Planter {
    enum Kind: CaseIterable { case loss, duplicate, reordering, wrongToken, wrongContent }

    var every: Int
    private(set) var planted: [Kind: Int] = [:]
    private var seen = 0

    init(every: Int) { self.every = every }

    mutating func spoil(_ sendings: inout [Sending]) {
        var output: [Sending] = []
        for (index, sending) in sendings.enumerated() {
            let isFirm = sending.row.type == .liveactivity && !sending.row.mayBeSuperseded && sending.event == .update
            guard isFirm else {
                output.append(sending)
                continue
            }
            seen += 1
            guard seen % every == 0 else {
                output.append(sending)
                continue
            }
            let kind = Kind.allCases[seen / every % Kind.allCases.count]
            switch kind {
            case .loss: break
            case .duplicate:
                var again = sending
                again.at = sending.at + .milliseconds(40)
                output += [sending, again]
            case .reordering:
                // Behind the next state of the activity, which has been accepted by then.
                guard
                    let next = sendings[(index + 1)...].first(where: {
                        $0.row.lane == sending.row.lane && $0.row.session == sending.row.session
                    }), next.event == .update
                else {
                    output.append(sending)
                    continue
                }
                var late = sending
                late.at = next.at + .milliseconds(60)
                late.outcome = .ignoredOlder
                output.append(late)
            case .wrongToken:
                var astray = sending
                astray.token = String(repeating: "0f", count: 80)
                output.append(astray)
            case .wrongContent:
                var altered = sending
                altered.payload = sending.payload.replacing(#""status":"permission""#, with: #""status":"working""#)
                output.append(altered)
            }
            planted[kind, default: 0] += 1
        }
        sendings = output.sorted { $0.at < $1.at }
    }
}

/// 2,000 sessions where the environment asks for them.
private let isLarge = getenv("PUSHRIG_LARGE") != nil

private let busyScenario = """
    name: planted
    relay: { profile: relays/opencode.yaml, url: "http://127.0.0.1:1" }
    workload:
      arrivals: [{ rate: 100, for: \(isLarge ? 20 : 2)s }]
      maxSessions: \(isLarge ? 2000 : 120)
      pace: 4
      scripts:
        - { script: sessions/S0-happy.yaml }
    """

@Suite("What is planted")
struct PlantedTests {
    @Test("is found, as many as there are, and nothing besides", arguments: [UInt64(11), 12, 13])
    func planted(seed: UInt64) throws {
        var planter = Planter(every: 5)
        let record = try judge(busyScenario, seed: seed, spoil: { sendings, _ in planter.spoil(&sendings) })
        let c = record.correlation
        #expect(c.pushes > (isLarge ? 10_000 : 600))
        for kind in Planter.Kind.allCases { #expect(planter.planted[kind] ?? 0 >= (isLarge ? 50 : 3), "\(kind)") }
        #expect(c.count(.duplicated) == planter.planted[.duplicate])
        #expect(c.count(.reordered) == planter.planted[.reordering])
        #expect(c.count(.misdirected) == planter.planted[.wrongToken])
        #expect(c.count(.altered) == planter.planted[.wrongContent])
        let lost = [.loss, .wrongToken, .wrongContent].reduce(0) { $0 + (planter.planted[$1] ?? 0) }
        // States before a lost one that waited for the throttle are lost with it; these may not coalesce.
        #expect(c.classes["permission"]?[.lost] == lost)
        #expect(c.count(.unexpected) == 0)
        #expect(record.exit.code == 4)
    }
}

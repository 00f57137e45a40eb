// Writes a journal of any size, as an honest relay would have made it, for script/bench to have it judged. It is written
// as it goes, in memory that does not grow with it.
//
//     judgebench DIR SESSIONS RATE
//
// RATE sessions begin in each second and take about three minutes each, so some 200 times as many are open at once. A
// session comes to about 20 pushes: its start, updates, questions with their alerts, answers and the end. One push in a
// hundred is refused by a fault, and sent again.

import Basics
import Journal
import Metrics
import Planning
import Scenarios

func scenario(sessions: Int, rate: Int) -> String {
    """
    name: judging
    relay: { profile: relays/opencode.yaml, url: "http://127.0.0.1:1" }
    workload:
      arrivals: [{ rate: \(rate), for: \((sessions + rate - 1) / rate)s }]
      maxSessions: \(sessions)
      scripts:
        - { script: sessions/S0-happy.yaml, weight: 8, with: { progressEvery: { uniform: [8s, 10s] } } }
        - { script: sessions/S0-retry.yaml, weight: 1, with: { progressEvery: { uniform: [8s, 10s] } } }
    faults: [{ match: { fraction: 0.01 }, action: { respond: { reason: ServiceUnavailable } } }]
    """
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let sessions = Int(arguments[2]), let rate = Int(arguments[3]), sessions > 0, rate > 0 else {
    fatalError("judgebench DIR SESSIONS RATE")
}
let written = try SyntheticRun(scenario(sessions: sessions, rate: rate), directory: arguments[1]).writeStream()
print(#"{"pushes":\#(written.pushes),"events":\#(written.events)}"#)

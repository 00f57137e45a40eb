// What judging costs: writes a journal of any size as an honest relay would have made it, and judges one. Each of the two
// is a process of its own, so that script/bench can tell what it took.
//
//     judgebench write DIR SESSIONS
//     judgebench judge DIR

import Basics
import Journal
import Verdicts

func scenario(sessions: Int) -> String {
    """
    name: judging
    relay: { profile: relays/opencode.yaml, url: "http://127.0.0.1:1" }
    workload:
      arrivals: [{ rate: 100, for: \((sessions + 99) / 100)s }]
      maxSessions: \(sessions)
      scripts: [{ script: sessions/S0-happy.yaml }]
    """
}

let arguments = CommandLine.arguments
switch (arguments.dropFirst().first, arguments.count) {
case ("write", 4):
    guard let sessions = Int(arguments[3]), sessions > 0 else { fatalError("write DIR SESSIONS") }
    let run = try SyntheticRun(scenario(sessions: sessions), directory: arguments[2])
    let written = try run.writeStream()
    print(#"{"pushes":\#(written.pushes),"events":\#(written.events)}"#)
case ("judge", 3):
    let record = try Verdicts.judge(arguments[2])
    print(#"{"pushes":\#(record.correlation.pushes),"exit":\#(record.exit.code)}"#)
    for reason in record.exit.reasons { print(reason) }
default: fatalError("judgebench write DIR SESSIONS | judge DIR")
}

// Mistakes in what is done to the relay: the workload, faults and gates.

import Testing

extension MistakeTests {
    @Test(
        "in the workload",
        arguments: [
            Row(
                "{ rate: 10, for: 5s }", "{ rate: -10, for: 5s }",
                "tiny.yaml:21:15: `rate` must be a number from 0 to 1000000, not the number `-10` (such as `rate: 10`)"
            ),
            Row(
                "{ rate: 10, for: 5s }", "{ rate: fast, for: 5s }",
                "tiny.yaml:21:15: `rate` must be a number from 0 to 1000000, not the text `fast` (such as `rate: 10`)"
            ),
            Row(
                "{ rate: 10, for: 5s }", "{ rate: 10, for: 5 }",
                "tiny.yaml:21:24: `for` must be a duration with its unit, not the number `5` (such as `for: 30s`)"),
            Row(
                "{ rate: 10, for: 5s }", "{ rate: 10, for: 5 seconds }",
                "tiny.yaml:21:24: `for` must be a duration with its unit, not the text `5 seconds` (such as `for: 30s`)"
            ),
            Row("{ rate: 10, for: 5s }", "{ rate: 10 }", "tiny.yaml:21:7: `arrival` lacks `for` (add `for: 30s`)"),
            Row(
                "{ rate: 10, for: 5s }", "{ from: 10, for: 5s }",
                "tiny.yaml:21:7: an arrival stage has either `rate`, or `from` and `to`, or `burst`, or `file`, or `users`"
                    + " (such as `{ rate: 10, for: 30s }` or `{ from: 10, to: 100, for: 30s }`)"),
            Row(
                "{ rate: 10, for: 5s }", "{ rate: 0, for: 5s }",
                "tiny.yaml:21:5: no session ever begins (raise a rate or a duration of `arrivals`)"),
            Row(
                "  arrivals:", "  pace: 0\n  arrivals:",
                "tiny.yaml:20:9: `pace` must be a number greater than 0 and at most 100000, not the number `0`"
                    + " (such as `pace: 1`)"),
            Row(
                "  arrivals:", "  maxSessions: 1.5\n  arrivals:",
                "tiny.yaml:20:16: `maxSessions` must be a whole number from 1 to 10000000, not the number `1.5`"
                    + " (such as `maxSessions: 1000`)"),
            Row(
                "  arrivals:", "  loops: 17\n  arrivals:",
                "tiny.yaml:20:10: `loops` must be a whole number from 1 to 16, not the number `17` (such as `loops: 2`)"),
            Row(
                "  arrivals:", "  sources: [localhost]\n  arrivals:",
                "tiny.yaml:20:13: `sources` must be a list of IP addresses, such as 127.0.0.2, not the text `localhost`"
                    + " (such as `sources: [127.0.0.2, 127.0.0.3]`)"),
            Row(
                "  arrivals:", "  users: { sessionsPerUser: 0 }\n  arrivals:",
                "tiny.yaml:20:29: `sessionsPerUser` must be a whole number from 1 to 1000, not the number `0`"
                    + " (such as `sessionsPerUser: 1`)"),
            Row(
                "    - script:", "    - weight: 0\n      script:",
                "tiny.yaml:23:15: `weight` must be a number greater than 0 and at most 1000000, not the number `0`"
                    + " (such as `weight: 1`)"),
            Row(
                "    - script:", "    - script: sessions/S9.yaml\n    - script:",
                "tiny.yaml:23:15: there is no file `sessions/S9.yaml` (looked in: .)"),
            Row(
                "    - script:", "    - script: 7\n    - script:",
                "tiny.yaml:23:15: there is no file `7` (looked in: .)"),
            Row(
                "    - script:", "    - with: { puase: 3s }\n      script:",
                "tiny.yaml:23:15: the script has no parameter `puase` (did you mean `pause`?)"),
            Row(
                "call: update", "call: updat",
                "tiny.yaml:27:19: the profile `profile` has no call `updat` (did you mean `update`?)"),
            Row(
                "call: update", "call: update\n            at: 3s",
                "tiny.yaml:28:17: a step has `at` or `after`, not both (strike one)"),
            Row("$pause", "$puase", "tiny.yaml:28:20: unknown parameter `$puase` (did you mean `$pause`?)"),
            Row(
                "$pause", "3s",
                "tiny.yaml:24:23: the parameter `pause` is never used (write `$pause` in a step or strike it)"),
            Row(
                "pause: 2s", "pause: { uniform: [3s, 1s] }",
                "tiny.yaml:24:41: the first end of `uniform` must not exceed the second (swap them)"),
            Row(
                "pause: 2s", "pause: { uniform: 3s }",
                "tiny.yaml:24:41: `uniform` must be a list of two, not the text `3s` (such as `uniform: [1s, 2s]`)"),
            Row(
                "pause: 2s", "pause: { normal: 3s }",
                "tiny.yaml:24:32: unknown key `normal` in `distribution` (did you mean `logNormal`?)"),
            Row(
                "pause: 2s", "pause: { uniform: [1s, 3s], exponential: 1s }",
                "tiny.yaml:24:30: `after` must name one distribution (one of uniform, exponential, logNormal, file)"),
            Row(
                "pause: 2s", "pause: { exponential: 0s }",
                "tiny.yaml:24:45: `exponential` must be a duration greater than 0, not the text `0s`"
                    + " (write a duration such as `5s`, or `{ uniform: [4s, 6s] }`)"),
            Row(
                "pause: 2s", "pause: { logNormal: { median: 5s, p95: 1s } }",
                "tiny.yaml:24:62: `p95` must not be less than `median` (such as `{ median: 3m, p95: 25m }`)"),
            Row(
                "after: $pause", "after: $pause\n            probability: 2",
                "tiny.yaml:29:26: `probability` must be a number from 0 to 1, not the number `2`"
                    + " (such as `probability: 0.5`)"),
            Row(
                "after: $pause", "after: $pause\n            count: 3",
                "tiny.yaml:29:20: `count` and `until` go with `every` (add `every: 10s`)"),
            Row(
                "after: $pause", "after: $pause\n            every: 1s",
                "tiny.yaml:29:20: a step with `every` has either `count` or `until` (add `count: 5`)"),
            Row(
                "after: $pause", "after: $pause\n            every: 0s\n            count: 3",
                "tiny.yaml:29:20: `every` must be 1ms or more (such as `every: 10s`)"),
            Row(
                "after: $pause", "at: $pause\n          - call: update\n            at: 1s",
                "tiny.yaml:30:17: this step is at 1s, earlier than the one of line 27 (put the steps in order of time)"
            ),
            Row(
                "with: { text: hello }", "with: { txt: hello }",
                "tiny.yaml:29:21: the call `update` has no variable `txt` (did you mean `text`?)"),
            Row(
                "with: { text: hello }", "with: { text: [] }",
                "tiny.yaml:29:27: a choice has 1 to 1000 values, not 0 (such as `[one, two]`)"),
        ])
    func workload(row: Row) { check(row) }

    @Test(
        "in the faults and gates",
        arguments: [
            Row(
                "at: 5s", "at: 5",
                "tiny.yaml:31:9: `at` must be a duration with its unit, not the number `5` (such as `at: 20s`)"),
            Row("at: 5s", "fore: 5s", "tiny.yaml:31:5: unknown key `fore` in `fault` (did you mean `for`?)"),
            Row(
                "reason: Unregistered", "reason: Unregisterd",
                "tiny.yaml:33:34: unknown reason \"Unregisterd\" (did you mean `Unregistered`?)"),
            Row(
                "pushType: liveactivity }", "pushTyp: liveactivity }",
                "tiny.yaml:32:14: unknown member \"pushTyp\" (did you mean `pushType`?)"),
            Row(
                "pushType: liveactivity }", "pushType: liveactvity }",
                "tiny.yaml:32:24: unknown pushType \"liveactvity\" (did you mean `liveactivity`?)"),
            Row(
                "pushType: liveactivity }", "fraction: 2 }",
                "tiny.yaml:32:24: a share is greater than 0 and at most 1 (0.1 is every tenth)"),
            Row(
                "respond: { reason: Unregistered }", "goaway: { last: befor }",
                "tiny.yaml:33:31: this is no stream of a client (this, before, none, or an odd number)"),
            Row(
                "respond: { reason: Unregistered }", "close: rst",
                "tiny.yaml:33:22: unknown how \"rst\" (known: clean, fin, reset)"),
            Row(
                "respond: { reason: Unregistered }", "raw: bad-hpak",
                "tiny.yaml:33:20: unknown frames \"bad-hpak\" (did you mean `bad-hpack`?)"),
            Row(
                "action: { respond: { reason: Unregistered } }", "action: { silence: true }\n    per: token",
                "tiny.yaml:34:10: this says how `times` and `after` are counted, and neither is there"
                    + " (such as \"times\": 3)"),
            Row(
                "action: { respond: { reason: Unregistered } }", "action: { refuse-tls: alert }",
                "tiny.yaml:32:24: pushType is of a push, and this rule meets connections"
                    + " (it may ask for provider, environment, connection, connectionFraction)"),
            Row("lost == 0", "lost >= 0", "tiny.yaml:35:5: bad gate `lost >= 0`: it can never fail (turn the comparison, or strike the gate)"),
            Row("lost == 0", "late.rate <= 100%", "tiny.yaml:35:5: bad gate `late.rate <= 100%`: it can never fail (turn the comparison, or strike the gate)"),
            Row("lost == 0", "staleness.p99 >= 0ms", "tiny.yaml:35:5: bad gate `staleness.p99 >= 0ms`: it can never fail (turn the comparison, or strike the gate)"),
            Row("- lost == 0", "- [lost == 0]", "tiny.yaml:35:5: `gates` must be a list of gates, each a text or a mapping such as `{ gate: lost == 0 }`, not a list (such as `gates: [lost == 0]`)"),
            Row("- lost == 0", "- { abort: true }", "tiny.yaml:35:5: `gate` lacks `gate` (add `gate: delivery.p99 < 1s`)"),
            Row("- lost == 0", "- { gate: lost == 0, abort: perhaps }", "tiny.yaml:35:31: `abort` must be true or false, not the text `perhaps` (such as `abort: true`)"),
            Row("lost == 0", "lost = 0", "tiny.yaml:35:5: bad gate `lost = 0`: `=` is no comparison (write `==`)"),
            Row(
                "lost == 0", "lost",
                "tiny.yaml:35:5: bad gate `lost`: it has no comparison (such as `delivery.p99 < 2s` or `lost == 0`)"),
            Row(
                "lost == 0", "lsot == 0",
                "tiny.yaml:35:5: bad gate `lsot == 0`: unknown metric `lsot` (did you mean `lost`?)"),
            Row(
                "lost == 0", "lost.p99 == 0",
                "tiny.yaml:35:5: bad gate `lost.p99 == 0`: `lost` is a count (`lost` or `lost.rate`)"),
            Row(
                "lost == 0", "lost == 1%",
                "tiny.yaml:35:5: bad gate `lost == 1%`: `1%` is not a whole number"
                    + " (such as `delivery.p99 < 2s` or `lost == 0`)"),
            Row(
                "lost == 0", "delivery.p99 < 5",
                "tiny.yaml:35:5: bad gate `delivery.p99 < 5`: `5` is not a duration with its unit"
                    + " (such as `delivery.p99 < 2s` or `lost == 0`)"),
            Row(
                "lost == 0", "delivery < 5s",
                "tiny.yaml:35:5: bad gate `delivery < 5s`: `delivery` needs a statistic"
                    + " (such as `delivery.p99`; known: p50, p90, p95, p99, p999, max, mean, count)"),
            Row(
                "lost == 0", "delivery.updat.p99 < 5s",
                "tiny.yaml:35:5: bad gate `delivery.updat.p99 < 5s`: there is no call `updat` with pushes"
                    + " (did you mean `update`?)"),
            Row(
                "lost == 0", "answer.update.p99 < 5s",
                "tiny.yaml:35:5: bad gate `answer.update.p99 < 5s`: `answer` is not known by call (only `delivery` is)"
            ),
            Row(
                "lost == 0", "late.rate <= 200%",
                "tiny.yaml:35:5: bad gate `late.rate <= 200%`: `200%` is not a percentage such as 1%, "
                    + "or a number from 0 to 1 (such as `delivery.p99 < 2s` or `lost == 0`)"),
            Row(
                "lost == 0", "{ lost: 0, gate: lost == 0 }", "tiny.yaml:35:7: unknown key `lost` in `gate` (known: gate, abort)"),
        ])
    func faultsAndGates(row: Row) { check(row) }
}

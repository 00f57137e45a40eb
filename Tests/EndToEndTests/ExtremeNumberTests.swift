// No number from outside may stop the mock: the real program is given extreme ones through its flags and its admin API, in
// pushes and in faults, and must refuse them or live with them.

import Basics
import Foundation
import Journal
import Testing

@Suite("Extreme numbers do not stop the mock", .serialized)
struct ExtremeNumberTests {
    private static let durations = [
        "0s", "1ns", "-1ns", "292y", "106000d", "106751d", "200000d", "9e18s", "9223372036854775807ns", "36500d", "36501d",
        "8760h", "8761h", "nan", "inf", "",
    ]
    private static let times = [
        "1678-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2250-01-01T00:00:00Z", "2255-03-14T00:00:00Z",
        "2261-12-31T23:59:59.999999999Z", "2262-04-11T23:47:16Z", "9999-12-31T23:59:59Z", "0000-00-00T00:00:00Z",
    ]
    private static let numbers = [
        "0", "-1", "1", "4294967295", "4294967296", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "1e300", "-1e300", "1e-300", "1e400", "0.0000001", "1000000", "1000001",
    ]

    /// Bodies for a path of the admin API, each with one number that is out of the ordinary.
    private static var changes: [(method: String, path: String, body: String)] {
        var all: [(String, String, String)] = []
        let token = String(repeating: "c3", count: 32)
        for duration in durations {
            all.append(("PUT", "/v1/clock", #"{"now":"2250-01-01T00:00:00Z","advance":"\#(duration)"}"#))
            all.append(("PUT", "/v1/clock", #"{"advance":"-\#(duration)"}"#))
            for member in ["for", "at", "renew", "ttl"] {
                all.append(
                    ("POST", "/v1/faults", #"{"action":{"delay":"1ms"},"times":1,"\#(member)":"\#(duration)"}"#))
            }
            for action in [
                #"{"delay":"\#(duration)"}"#, #"{"delay":{"exponential":"\#(duration)"}}"#,
                #"{"delay":{"normal":{"mean":"\#(duration)","deviation":"\#(duration)"}}}"#,
                #"{"delay":{"logNormal":{"median":"1ns","p95":"\#(duration)"}}}"#,
                #"{"window":{"withhold":"\#(duration)"}}"#,
            ] { all.append(("POST", "/v1/faults", #"{"action":\#(action),"times":1}"#)) }
            all.append(
                ("POST", "/v1/faults", #"{"meets":"connection","action":{"goaway":{"wait":"\#(duration)"}},"ttl":"1s"}"#))
            all.append(
                (
                    "POST", "/v1/faults",
                    #"{"action":{"delay":"1ms"},"windows":{"every":"\#(duration)","for":"\#(duration)"},"ttl":"1s"}"#
                ))
            all.append(
                ("POST", "/v1/faults", #"{"action":{"delay":"1ms"},"until-heals":{"quiet":"\#(duration)"},"ttl":"1s"}"#))
            all.append(("GET", "/v1/pushes?limit=1&wait=\(duration)", ""))
        }
        for time in times {
            all.append(("PUT", "/v1/clock", #"{"now":"\#(time)"}"#))
            all.append(("PUT", "/v1/tokens/" + token, #"{"kind":"device","state":"unregistered","since":"\#(time)"}"#))
        }
        for number in numbers {
            all.append(("PUT", "/v1/clock", #"{"scale":\#(number)}"#))
            for member in ["times", "after"] {
                all.append(("POST", "/v1/faults", #"{"action":{"delay":"1ms"},"ttl":"1s","\#(member)":\#(number)}"#))
            }
            for action in [
                #"{"max-streams":\#(number)}"#, #"{"window":{"initial":\#(number)}}"#, #"{"goaway":{"last":\#(number)}}"#,
                #"{"goaway":{"code":\#(number)}}"#, #"{"reset-stream":{"code":\#(number)}}"#,
                #"{"respond":{"status":\#(number)}}"#,
                #"{"respond":{"reason":"Unregistered","timestamp":\#(number)}}"#,
            ] { all.append(("POST", "/v1/faults", #"{"action":\#(action),"times":1}"#)) }
            all.append(
                ("POST", "/v1/faults", #"{"action":{"delay":"1ms"},"times":1,"match":{"nth":{"every":\#(number)}}}"#))
            all.append(("GET", "/v1/activities?limit=\(number)", ""))
        }
        return all
    }

    private func pushes() -> [(fields: [(String, String)], body: String)] {
        var all: [([(String, String)], String)] = []
        for number in Self.numbers {
            for event in ["start", "update", "end"] {
                let aps =
                    #"{"aps":{"timestamp":\#(number),"event":"\#(event)","stale-date":\#(number),"dismissal-date":\#(number),"#
                    + #""content-state":{},"attributes":{},"attributes-type":"A","alert":{"title":"t"}}}"#
                all.append(([("apns-expiration", number), ("apns-priority", "5")], aps))
            }
        }
        return all
    }

    @Test("through the admin API, with pushes between")
    func admin() throws {
        try Rig.withFolder { folder in
            let mock = try MockProcess(
                folder: folder + "/state",
                arguments: ["pastLimit=1s", "storageLimit=36500d", "lowPriorityBatch=36500d", "activityTokenExpiry=36500d"]
                    .flatMap { ["--setting", $0] })
            let admin = try #require(mock.ready["admin"]?.string)
            let topic = mock.topic + ".push-type.liveactivity"
            var script: [String] = []
            func quote(_ text: String) -> String { "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'" }
            let pushes = pushes()
            for (index, change) in Self.changes.enumerated() {
                script.append(
                    "ask -X \(change.method) \(quote(admin + change.path))"
                        + (change.body.isEmpty ? "" : " -d \(quote(change.body))"))
                let push = pushes[index % pushes.count]
                let token = String(repeating: index % 2 == 0 ? "d4" : "e5", count: 32)
                var words = ["push", "--http2", "--cacert", quote(mock.ca), quote("https://\(mock.address)/3/device/" + token)]
                for (name, value) in mock.headers where name != "apns-topic" && name != "apns-push-type" {
                    words.append("-H \(quote(name + ": " + value))")
                }
                for (name, value) in [("apns-topic", topic), ("apns-push-type", "liveactivity")] + push.fields {
                    words.append("-H \(quote(name + ": " + value))")
                }
                script.append(words.joined(separator: " ") + " -d \(quote(push.body))")
                // The clock goes back, or every push would have a provider token that is too old.
                if index % 10 == 9 {
                    let now = WallTime(seconds: Int64(Date.now.timeIntervalSince1970)).iso8601
                    script.append("ask -X PUT \(quote(admin + "/v1/clock")) -d \(quote(#"{"now":"\#(now)","scale":1}"#))")
                    script.append("ask -X DELETE \(quote(admin + "/v1/faults"))")
                }
            }
            let helpers = """
                ask() { curl -s -m 2 -o /dev/null -w '%{http_code}\\n' "$@"; }
                push() { curl -s -m 2 -o /dev/null "$@"; true; }

                """
            let file = folder + "/script"
            try (helpers + script.joined(separator: "\n")).write(toFile: file, atomically: true, encoding: .utf8)
            let output = try Rig.run("bash", [file], seconds: 400)
            let statuses = output.out.split(separator: "\n").compactMap { Int($0) }
            // 000: a question that waits longer than we do.
            #expect(statuses.allSatisfy { $0 == 0 || 200..<500 ~= $0 }, "\(Set(statuses))")
            #expect(statuses.filter { $0 == 400 }.count > 100 && statuses.filter { $0 == 200 || $0 == 201 }.count > 100)
            #expect(mock.process.isRunning)
            #expect(try mock.admin("/v1/health")["status"] == "ok")
            #expect(try mock.journaled().values.reduce(0, +) > 100)
            mock.process.terminate()
            mock.process.waitUntilExit()
            #expect(mock.process.terminationReason == .exit && mock.process.terminationStatus == 0)
        }
    }

    @Test(
        "flags are refused in one line that names the bound",
        arguments: [
            ["--clock-skew", "100000d"], ["--clock-skew", "-36501d"], ["--clock-scale", "1e300"], ["--clock-scale", "0"],
            ["--clock-scale", "nan"], ["--clock-scale", "-1"], ["--clock-scale", "3600.1"],
            ["--setting", "storageLimit=106000d"], ["--setting", "pastLimit=36501d"],
            ["--setting", "activityTokenExpiry=200000d"], ["--setting", "activityBudget=9223372036854775807"],
            ["--loops", "9223372036854775808"],
        ])
    func flags(words: [String]) throws {
        try Rig.withFolder { folder in
            let output = try Rig.run(
                Rig.pushrig, ["mock", "--state", folder + "/state", "--apns", "127.0.0.1:0", "--admin", "127.0.0.1:0"] + words,
                seconds: 10)
            #expect(output.code == 2 && output.out.isEmpty)
            #expect(output.error.split(separator: "\n").count <= 2, "\(output.error)")
            #expect(output.error.contains { $0.isNumber })
        }
    }

    @Test("the largest that are accepted let it start and push", arguments: [["36500d", "3600"], ["-36500d", "3600"]])
    func largest(words: [String]) throws {
        try Rig.withFolder { folder in
            let mock = try MockProcess(
                folder: folder + "/state", arguments: ["--clock-skew", words[0], "--clock-scale", words[1]])
            _ = try Rig.run(
                "curl",
                ["-s", "--http2", "--cacert", mock.ca, "-m", "5", "-d", #"{"aps":{"alert":"x"}}"#, mock.url]
                    + mock.headers.flatMap { ["-H", "\($0): \($1)"] })
            #expect(try mock.journaled().values.reduce(0, +) == 1)
            #expect(try mock.admin("/v1/health")["status"] == "ok")
        }
    }

    @Test("with too few descriptors it says so in a line, or runs", arguments: [4, 8, 10, 12, 14, 16, 18, 20, 24, 32])
    func descriptors(count: Int) throws {
        try Rig.withFolder { folder in
            let command =
                "ulimit -n \(count); exec timeout -s TERM 2 '\(Rig.pushrig)' mock --state '\(folder)/state' "
                + "--apns 127.0.0.1:0 --admin 127.0.0.1:0"
            let output = try Rig.run("bash", ["-c", command], seconds: 20)
            // 127: the loader itself found none. 124: it ran until its time was up.
            #expect([0, 1, 124, 126, 127].contains(output.code), "\(output.code): \(output.error)")
            #expect(output.error.split(separator: "\n").count <= 2, "\(output.error)")
            #expect(!output.error.contains("Fatal error"))
        }
    }
}

// Files of rows: what they may say, and where a call may use it.

import Basics
import Foundation
import Testing

@testable import Scenarios

@Suite("Feeders")
struct FeederTests {
    private static let feeders = "workload:\n  feeders: [{ file: users.csv }]\n"

    /// The sample with a feeder, and a file of that name at hand.
    static func scenario(
        _ file: String, named name: String = "users.csv", take: String? = nil, with value: String = "\"{{feed.user}}\""
    ) throws -> Scenario {
        let feeder = "{ file: \(name)\(take.map { ", take: \($0)" } ?? "") }"
        let text = Sample.with("with: { text: hello }", "with: { text: \(value) }")
            .replacingOccurrences(of: "workload:\n", with: "workload:\n  feeders: [\(feeder)]\n")
        return try Scenario.parse(text: text, path: "tiny.yaml", planned: [SourceText(path: name, text: file)])
    }

    private static func complaint(_ make: () throws -> Scenario) -> String {
        do {
            _ = try make()
            return ""
        } catch { return "\(error)" }
    }

    private func raw(_ rows: FeedRows, _ row: Int, _ column: Int, _ encoding: TemplateEncoding = .raw) -> String {
        let buffer = ByteBuffer()
        rows.append(row: row, column: column, encoding, into: buffer)
        return buffer.text
    }

    @Test("CSV has quotes, doubled quotes, commas and line ends in them, CRLF, and no byte order mark")
    func csv() throws {
        let text = "\u{FEFF}user,text\r\nada,\"a \"\"b\"\", c\r\nd\"\r\nbob,\r\nčab,é"
        let rows = try Self.scenario(text).workload.feeders[0].rows
        #expect(rows.columns == ["user", "text"] && rows.count == 3)
        #expect(raw(rows, 0, 1) == "a \"b\", c\r\nd" && raw(rows, 0, 0) == "ada")
        #expect(raw(rows, 1, 1) == "" && !rows.isNull(row: 1, column: 1))
        #expect(raw(rows, 2, 0) == "čab" && raw(rows, 2, 1, .url) == "%C3%A9")
        #expect(raw(rows, 0, 1, .jsonValue) == #""a \"b\", c\r\nd""#)
    }

    @Test("JSON lines have text, numbers, true, false and null")
    func jsonLines() throws {
        let text = #"{"user":"ada","n":3,"on":true,"x":null}"# + "\r\n" + #"{"x":"é\n","on":false,"n":2.5,"user":"bob"}"# + "\n"
        let rows = try Self.scenario(text, named: "users.jsonl").workload.feeders[0].rows
        #expect(rows.columns == ["user", "n", "on", "x"] && rows.count == 2)
        #expect((0..<4).map { raw(rows, 0, $0, .jsonValue) } == ["\"ada\"", "3", "true", "null"])
        #expect((0..<4).map { raw(rows, 1, $0) } == ["bob", "2.5", "false", "é\n"])
        #expect(rows.isNull(row: 0, column: 3) && raw(rows, 0, 3) == "" && raw(rows, 0, 1, .jsonString) == "3")
    }

    @Test(
        "What is wrong with a file is told with line, column and fix",
        arguments: [
            ("", "users.csv:1:1: the file is empty (the first line names the columns)"),
            ("user\n", "users.csv:2:1: the file has a header and no rows (write a row for each session)"),
            ("user,user\na,b\n", "users.csv:1:6: two columns are named `user` (give each a name of its own)"),
            (
                "user,\na,b\n",
                "users.csv:1:6: a column cannot be named `` (one line of 1 to 128 bytes without braces and bars)"
            ),
            ("user;x\na;b\n", "users.csv:1:1: the columns are not parted by commas (save it as CSV with commas (RFC 4180))"),
            (
                "user,x\na,b\néa\n",
                "users.csv:3:1: this row has 1 field, and the header 2 (write an empty field for what it lacks)"
            ),
            (
                "user\né,b\n",
                "users.csv:2:3: this row has more than the header's 1 field (put quotes around a value with a comma)"
            ),
            ("user\na\n\nb\n", "users.csv:3:1: the line is empty (strike it, or write `\"\"` for an empty value)"),
            ("user,x\n\"a\nb\",\"c\nd", "users.csv:3:4: this quote is never closed"),
            ("user\na\"b\n", "users.csv:2:2: a quote stands within a field"),
            ("user\n\"a\"b\n", "users.csv:2:4: something stands behind the quote that closes the field"),
            ("user\na\rb\n", "users.csv:2:2: a carriage return stands alone (end lines with LF or CRLF)"),
            ("user\na\u{1}\n", "users.csv:2:2: a control character stands here (strike it)"),
        ])
    func wrongCSV(text: String, words: String) {
        let complaint = Self.complaint { try Self.scenario(text) }
        #expect(complaint.hasPrefix(words) && !complaint.contains("\n"), "\(complaint)")
    }

    @Test(
        "and so it is of JSON lines",
        arguments: [
            ("\n", "users.jsonl:1:1: the line is empty (strike it)"),
            ("[1]", "users.jsonl:1:1: the line is no object with members"),
            ("{\"user\":1}\n{\"user\":}\n", "users.jsonl:2:9: the line is no JSON"),
            (
                "{\"user\":1}\n{\"x\":1}\n",
                "users.jsonl:2:1: this line lacks `user`, which the first has (write `\"user\": null`)"),
            ("{\"user\":1}\n{\"user\":2,\"x\":1}", "users.jsonl:2:1: this line has `x`, which the first has not"),
            ("{\"user\":{}}", "users.jsonl:1:1: `user` is no text, number, true, false or null"),
            ("{\"user\":1,\"user\":2}", "users.jsonl:1:11: the line is no JSON"),
        ])
    func wrongLines(text: String, words: String) {
        let complaint = Self.complaint { try Self.scenario(text, named: "users.jsonl") }
        #expect(complaint.hasPrefix(words) && !complaint.contains("\n"), "\(complaint)")
    }

    @Test("Too many rows, another ending, and a file that is not there")
    func bounds() {
        let file = DataText(SourceText(path: "users.csv", text: "user\na\nb\n"))
        let many = #expect(throws: Failure.self) { try FeedReader.checkCount(FeedRows.mostRows, file, at: 7) }
        #expect(
            many?.description == "users.csv:3:1: there are more than 1000000 rows (leave out what no session takes)")
        let other = Self.complaint { try Self.scenario("user\na\n", named: "users.txt") }
        #expect(other.hasPrefix("users.txt: a file of rows ends in"))
        let gone = Self.complaint {
            try Scenario.parse(text: Sample.with("workload:\n", Self.feeders), path: "tiny.yaml")
        }
        #expect(gone.hasPrefix("tiny.yaml:20:21: there is no file `users.csv`"))
    }

    @Test("A file that is not UTF-8 or too long is told with its place")
    func bytes() throws {
        let folder = NSTemporaryDirectory() + "pushrig-feeders-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let text = Sample.with("workload:\n", Self.feeders)
        try Data("user\nx\u{E9}".utf8.dropLast()).write(to: URL(fileURLWithPath: folder + "/users.csv"))
        func complaint() -> String { Self.complaint { try Scenario.parse(text: text, path: folder + "/tiny.yaml") } }
        #expect(complaint() == "\(folder)/users.csv:2:2: the file is not UTF-8 text (save it as UTF-8)")
        let long = "user\n" + String(repeating: "é", count: FileFinder.mostDataBytes / 2)
        try Data(long.utf8).write(to: URL(fileURLWithPath: folder + "/users.csv"))
        #expect(complaint().hasPrefix("\(folder)/users.csv: the data files of a scenario have at most 64 MiB in all"))
    }

    @Test("A step's value may be a column, or text with columns in it; what has no meaning there is refused")
    func values() throws {
        let values = try Self.scenario("user,x\na,b\n", with: "[\"{{feed.x}}\", \"to {{ feed.user }}!\", plain]")
            .workload.scripts[0].script.steps[1].values[0].choices
        #expect(values.map(\.fed) == [[.column(1)], [.text(Array("to ".utf8)), .column(0), .text(Array("!".utf8))], []])
        func told(_ value: String) -> String { Self.complaint { try Self.scenario("user\na\n", with: value) } }
        #expect(told("\"{{feed.usr}}\"").hasSuffix("unknown variable `feed.usr` (did you mean `feed.user`?)"))
        #expect(
            Sample.complaint(Sample.with("with: { text: hello }", "with: { text: \"{{feed.user}}\" }"))
                == "tiny.yaml:29:27: `{{feed.user}}` names a column, and the workload has no feeder"
                + " (add `feeders: [{ file: users.csv }]` to the `workload`)")
        #expect(told("\"{{marker}} {{feed.user}}\"").contains("only columns of feeders have a meaning here"))
        #expect(told("\"{{feed.user|upper}}\"").contains("a filter has no meaning here"))
        #expect(told("\"{{marker}}\"").contains("`{{…}}` has no meaning here"))
    }

    @Test("A profile's template may name a column, and a workload that makes the call has to have it")
    func templates() throws {
        let call = Sample.with("path: /update/{{sessionID}}", "path: \"/update/{{feed.user}}\"")
        #expect(
            Sample.complaint(call)
                == "tiny.yaml:27:19: `update` needs {{feed.user}}, and no feeder of the workload has that column ("
                + "add `feeders: [{ file: users.csv }]` to the `workload`)")
        let text = call.replacingOccurrences(of: "workload:\n", with: Self.feeders)
        let file = SourceText(path: "users.csv", text: "id,user\n1,a\n")
        let scenario = try Scenario.parse(text: text, path: "tiny.yaml", planned: [file])
        #expect(scenario.relay.profile.feeds == ["user"] && scenario.relay.profile.calls[1].neededFeeds == [0])
        let other = SourceText(path: "users.csv", text: "usr\na\n")
        let told = Self.complaint { try Scenario.parse(text: text, path: "tiny.yaml", planned: [other]) }
        #expect(told.hasSuffix("no feeder of the workload has that column (did you mean `usr`?)"))
        // What is left out when it is null can do without.
        let optional = Sample.with("extra: \"{{extra|json}}\"", "extra: \"{{extra|json}}\", who: \"{{feed.user|optional}}\"")
        #expect(Sample.complaint(optional) == "")
    }

    @Test("Feeders share no column, and are taken over from a scenario that is extended")
    func several() throws {
        let text = Sample.with("workload:\n", "workload:\n  feeders: [{ file: a.csv }, { file: b.csv }]\n")
        let files = [SourceText(path: "a.csv", text: "x,y\n1,2\n"), SourceText(path: "b.csv", text: "z,y\n1,2\n")]
        let told = Self.complaint { try Scenario.parse(text: text, path: "tiny.yaml", planned: files) }
        #expect(told == "tiny.yaml:20:38: both `a.csv` and `b.csv` have a column `y` (rename one)")
        let base = SourceText(path: "base.yaml", text: Sample.with("workload:\n", "workload:\n  feeders: [{ file: a.csv }]\n"))
        let own = """
            extends: base.yaml
            workload:
              arrivals: [{ rate: 1, for: 2s }]
              scripts: [{ script: { steps: [{ call: register }, { call: update, with: { text: "{{feed.x}}" } }] } }]
            """
        let extended = try Scenario.parse(text: own, path: "own.yaml", planned: files + [base])
        #expect(extended.workload.feeders.map(\.file) == ["a.csv"] && extended.workload.arrivals.count == 1)
        #expect(extended.sources.map(\.path) == ["own.yaml", "base.yaml", "a.csv"])
        // The files at hand are enough to read it again.
        #expect(try Scenario.load(extended.sources).workload.feeders[0].rows.count == 1)
    }

    @Test("Which row a session takes")
    func rows() throws {
        let text = "user\n" + (0..<10).map { "u\($0)\n" }.joined()
        let seed = Seed(3)
        for take in FeederSpec.Take.allCases {
            let feeder = try Self.scenario(text, take: take.rawValue).workload.feeders[0]
            let taken = (0..<1_000).map { feeder.row(ofSession: $0, seed: seed) }
            #expect(feeder.take == take && taken == (0..<1_000).map { feeder.row(ofSession: $0, seed: seed) })
            if take != .atRandom { #expect(taken.prefix(12) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]) } else {
                #expect((0..<10).allSatisfy { row in 70...130 ~= taken.count { $0 == row } })
                #expect(taken != (0..<1_000).map { feeder.row(ofSession: $0, seed: Seed(4)) })
            }
        }
        #expect(Self.complaint { try Self.scenario(text, take: "random") }.contains("`random` is no value of `take`"))
    }
}

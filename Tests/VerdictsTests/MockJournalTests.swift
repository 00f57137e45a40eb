// A mock's own journal, without a plan: what pushes show by themselves is judged, and it is said that nothing was expected.

import Basics
import Conformance
import HTTP
import Journal
import Metrics
import Pushes
import Testing

@testable import Verdicts

@Suite("A mock's own journal")
struct MockJournalTests {
    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9) + 1_000_000_000) }

    /// Judges what `write` puts into the journal of a mock's state directory.
    private func judge(
        _ options: JudgeOptions = JudgeOptions(), _ write: (JournalWriter) -> Void
    ) throws -> RunRecord {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory + "/journal", name: "apns-0", time: ManualTime())
            writer.append(note: .server, text: "{}", at: at(0))
            write(writer)
            guard writer.commit() else { throw Failure(.run, "cannot write") }
            return try Verdicts.judge(directory, options)
        }
    }

    private func push(
        _ token: Character, at seconds: Double, _ status: UInt16 = 200, _ reason: StaticString? = nil, connection: UInt64 = 1,
        died: Int64 = 0, fields: [(String, String)] = [], environment: PushEnvironment = .production,
        authorization: String = SyntheticRun.credential, to writer: JournalWriter
    ) {
        let head = HeaderBlock()
        head.append(":method", "POST")
        head.append(":path", "/3/device/" + String(repeating: token, count: 64))
        head.append(name: "authorization", value: authorization)
        head.append("apns-topic", "com.example.app.push-type.liveactivity")
        head.append("apns-push-type", "liveactivity")
        for field in fields { head.append(name: field.0, value: field.1) }
        var draft = PushDraft(
            arrivedAt: at(seconds), connection: connection, status: status, reason: reason,
            timestampMilliseconds: died, outcome: status == 200 ? .updated : nil)
        draft.environment = environment
        if let id = fields.first(where: { $0.0 == "apns-id" })?.1, let bytes = UUIDBytes(id.utf8.span) { draft.apnsID = bytes }
        draft.event = .update
        draft.stamp = 1_760_000_000 + Int64(seconds)
        let body = Array(#"{"aps":{"event":"update","timestamp":\#(draft.stamp!),"content-state":{}}}"#.utf8)
        _ = writer.append(push: draft, head: head, body: body.span)
    }

    @Test("that shows nothing wrong passes, and says that nothing was expected")
    func good() throws {
        let record = try judge { writer in
            for second in 0..<60 { push("a", at: Double(second), to: writer) }
            push("b", at: 61, 410, "Unregistered", to: writer)
        }
        #expect(record.exit.code == 0, "\(record.exit.reasons)")
        #expect(record.exit.reasons.last?.hasPrefix("no plan: nothing was expected, so nothing can be lost; 61 pushes") == true)
        #expect(record.correlation.pushes == 61 && record.correlation.expected == 0 && record.mock.byStatus == [200: 60, 410: 1])
        #expect(record.verdicts.contains { $0.id == "connections-reused" && $0.verdict == .kept(evidenceCount: 1) })
        #expect(Set(record.verdicts.map(\.id)) == MockJudgement.rules)
    }

    @Test("of which nothing was accepted never passes, and says why; of one that was refused among ten it says that", arguments: [
        (403, "InvalidProviderToken", 5, 0), (400, "BadDeviceToken", 5, 0), (400, "DeviceTokenNotForTopic", 5, 0),
        (400, "BadPriority", 4, 4), (404, "BadPath", 4, 4), (413, "PayloadTooLarge", 4, 4),
        (503, "ServiceUnavailable", 5, 0), (410, "Unregistered", 5, 0),
    ] as [(UInt16, StaticString, Int32, Int32)])
    func refused(status: UInt16, reason: StaticString, all: Int32, one: Int32) throws {
        func record(accepted: Int) throws -> RunRecord {
            try judge { writer in
                for number in 0..<accepted { push("a", at: Double(number) * 5, to: writer) }
                push("b", at: 60, status, reason, to: writer)
            }
        }
        let refused = try record(accepted: 0)
        #expect(refused.exit.code == all, "\(refused.exit.reasons)")
        #expect(refused.exit.reasons.contains { $0.contains("\(status) \(reason)") }, "\(refused.exit.reasons)")
        let among = try record(accepted: 9)
        #expect(among.exit.code == one, "\(among.exit.reasons)")
        guard status < 410 || status == 413 else { return }
        let findings = among.verdicts.flatMap(\.verdict.findings)
        #expect(findings.contains { $0.seen.contains("\(reason)") }, "\(findings)")
    }

    @Test("has a Live Activity by way of FCM go with its own token, whatever the mock has answered", arguments: [
        (#""live_activity_token":"ab01","payload":{"aps":{"event":"update","timestamp":1760000000,"content-state":{}}}"#, true),
        (#""payload":{"live_activity_token":"ab01","aps":{"event":"update","timestamp":1760000000,"content-state":{}}}"#, false),
        (#""live_activity_token":"","payload":{"aps":{"event":"update","timestamp":1760000000,"content-state":{}}}"#, false),
        (#""payload":{"aps":{"event":"end","timestamp":1760000000}}"#, false),
        (#""headers":{"apns-push-type":"liveactivity"},"payload":{"aps":{"timestamp":1760000000}}"#, false),
    ])
    func activityOfFCM(apns: String, isRight: Bool) throws {
        for status in [200, 400] as [UInt16] {
            let record = try judge { writer in
                let head = HeaderBlock()
                head.append(":method", "POST")
                head.append(":path", "/v1/projects/p/messages:send")
                head.append(":target", "rig:APA91b")
                var draft = PushDraft(
                    arrivedAt: at(1), connection: 1, provider: .fcm, status: status,
                    reason: status == 200 ? nil : "INVALID_ARGUMENT", outcome: status == 200 ? .handedOver : nil)
                draft.apnsID = UUIDBytes(high: 1, low: 1)
                let body = Array(#"{"message":{"token":"rig:APA91b","apns":{\#(apns)}}}"#.utf8)
                _ = writer.append(push: draft, head: head, body: body.span)
            }
            let verdict = try result("live-activity-messages-fit", record).verdict
            #expect(verdict.isBroken == !isRight, "\(status)")
            if !isRight {
                #expect(verdict.findings.first?.seen.contains("no live_activity_token") == true)
                #expect(record.exit.code == 4)
            }
        }
    }

    @Test("in which one host accepted nothing is no pass, whatever another accepted, unless a token was asked for there first")
    func oneHost() throws {
        func code(_ reason: StaticString, status: UInt16, _ environment: PushEnvironment) throws -> Int32 {
            try judge { writer in
                for number in 0..<6 { push("a", at: Double(number) * 5, to: writer) }
                push("b", at: 60, status, reason, environment: environment, to: writer)
            }.exit.code
        }
        #expect(try code("InvalidProviderToken", status: 403, .production) == 0, "that host accepted others")
        #expect(try code("InvalidProviderToken", status: 403, .sandbox) == 5)
        #expect(try code("BadDeviceToken", status: 400, .sandbox) == 0)
    }

    @Test("knows one provider token by whatever letters its scheme is written in")
    func scheme() throws {
        let record = try judge { writer in
            let token = SyntheticRun.credential.split(separator: " ").last!
            for number in 0..<6 {
                let text = (number % 2 == 0 ? "Bearer " : "bearer  ") + token
                push("a", at: Double(number) * 5, authorization: text, to: writer)
            }
        }
        #expect(record.exit.code == 0, "\(record.exit.reasons)")
    }

    @Test("is judged token by token: a push to a dead one is a break, one to another is none")
    func dead() throws {
        let record = try judge { writer in
            push("a", at: 1, 410, "Unregistered", to: writer)
            push("b", at: 5, to: writer)
            push("a", at: 9, 410, "Unregistered", to: writer)
        }
        #expect(record.exit.code == 4 && record.exit.word == "conformance broken")
        let finding = try #require(try result("dead-token-dropped", record).verdict.findings.first)
        #expect(finding.exchanges.count == 2 && finding.exchanges[1].at == .seconds(9))
        #expect(finding.more(in: record.directory).contains("pushrig journal \(record.directory) --around \(finding.entries[1])"))
        #expect(finding.replay(in: record.directory) == nil, "nothing was driven that could be driven again")
        #expect(record.exit.reasons.first?.hasPrefix("dead-token-dropped (R0.22, P9, G2) is broken") == true)
        var known = JudgeOptions()
        known.knownFailing = ["P9"]
        let mended = try judge(known) { writer in
            push("a", at: 1, 410, "Unregistered", to: writer)
            push("b", at: 5, to: writer)
            push("a", at: 9, 410, "Unregistered", to: writer)
        }
        #expect(mended.exit.code == 0, "\(mended.exit.reasons)")
    }

    @Test("begins anew where whoever drives the mock says so, and holds no 410 of the past against anybody")
    func anew() throws {
        func isBroken(died: Int64 = 0, act: String? = nil) throws -> Bool {
            let record = try judge { writer in
                push("a", at: 1, 410, "Unregistered", died: died, to: writer)
                if let act { writer.append(note: .admin, text: act, at: at(4)) }
                push("a", at: 9, to: writer)
            }
            return try result("dead-token-dropped", record).verdict.isBroken
        }
        let token = String(repeating: "a", count: 64)
        #expect(try isBroken())
        #expect(try isBroken(act: #"{"act":"add fault","id":"x"}"#))
        #expect(try !isBroken(act: #"{"act":"reset"}"#))
        #expect(try !isBroken(act: #"{"act":"set token","token":"\#(token)","state":"active"}"#))
        #expect(try isBroken(act: #"{"act":"set token","token":"\#(token.replacing("a", with: "b"))","state":"active"}"#))
        // The mock was there from 1970 on, by this clock.
        #expect(try !isBroken(died: 1))
        #expect(try isBroken(died: 4_000_000_000_000))
    }

    @Test("tells pushes of one text apart by the ids that the relay gave them")
    func sameText() throws {
        func isStorm(_ id: (Int) -> String) throws -> Bool {
            let record = try judge { writer in
                for number in 0..<6 {
                    let fields = [("apns-id", id(number))]
                    push("a", at: 5 + 0.01 * Double(number), 429, "TooManyRequests", fields: fields, to: writer)
                }
            }
            return try result("retry-storm", record).verdict.isBroken
        }
        #expect(try isStorm { _ in "00000000-0000-0000-0000-000000000001" })
        #expect(try !isStorm { "00000000-0000-0000-0000-00000000000\($0)" })
    }

    @Test("tells of an expiration that is not in Unix seconds, and of what it looks like; one that has passed is in seconds", arguments: [
        (1_900_000_000, nil), (99_999_999_999, nil), (100_000_000_000, "milliseconds since 1970"), (0, nil), (-1, nil),
        (86_400, "seconds from now"), (-60, "minutes since 1970"), (-86_400, nil),
    ] as [(Int64, String?)])
    func expiration(value: Int64, unit: String?) throws {
        let now = ManualTime().wall().seconds
        let text = value == -60 ? "\(now / 60 + 60)" : value < -1 ? "\(now + value)" : "\(value)"
        let record = try judge { push("a", at: 1, fields: [("apns-expiration", text)], to: $0) }
        let verdict = try result("requests-well-formed", record).verdict
        #expect(verdict.isBroken == (unit != nil), "\(text)")
        #expect(verdict.findings.first?.seen == unit.map { "what looks like \($0)" })
    }

    @Test("of which only a run's calls are there is no mock's: without the plan it is not judged")
    func noPlan() {
        #expect {
            try judge { writer in
                push("a", at: 1, to: writer)
                writer.append(event: EventDraft(session: 1, step: 1, kind: 0, plannedAt: at(1), sentAt: at(1), status: 200))
            }
        } throws: { "\($0)".contains("holds calls to a relay, but not their plan") }
    }

    @Test("with a gate on what was expected is inconclusive, with one on what came it is not")
    func gates() throws {
        func code(_ gate: String) throws -> Int32 {
            var options = JudgeOptions()
            options.gates = [gate]
            return try judge(options) { writer in
                push("a", at: 1, 410, "Unregistered", to: writer)
                push("b", at: 3, to: writer)
                push("b", at: 5, to: writer)
            }.exit.code
        }
        for gate in ["lost == 0", "delivery.p99 < 1s", "laststate.missing == 0", "errors.rate < 1%"] {
            #expect(try code(gate) == 5, "\(gate)")
        }
        #expect(try code("dead.pushesafter == 0") == 0)
        #expect(try code("pushes.rate > 100") == 3)
    }

    @Test("in which nothing was put to the test is inconclusive")
    func empty() throws {
        let record = try judge { _ in }
        #expect(record.exit.code == 5 && record.exit.reasons.contains("no rule was put to the test"))
    }

    @Test("excuses a connection that a fault of ours ended, whoever gave it")
    func faults() throws {
        func record(_ firings: Int) throws -> RunRecord {
            try judge { writer in
                for second in 0..<100 {
                    if second < firings {
                        writer.append(note: .fault, text: #"{"rule":1,"connection":\#(second)}"#, at: at(Double(second)))
                    }
                    push("a", at: Double(second) + 0.5, connection: UInt64(second), to: writer)
                }
            }
        }
        #expect(try result("connections-reused", record(0)).verdict.isBroken)
        #expect(try !result("connections-reused", record(99)).verdict.isBroken)
    }

    @Test("is judged by rules that there are")
    func rules() {
        for id in MockJudgement.rules { #expect(RuleBook.all.contains { $0.id == id }, "\(id)") }
    }
}

@Suite("A mock's own journal of alerts")
struct MockAlertTests {
    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9) + 1_000_000_000) }

    private func judge(_ write: (JournalWriter) -> Void) throws -> RunRecord {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory + "/journal", name: "apns-0", time: ManualTime())
            writer.append(note: .server, text: "{}", at: at(0))
            write(writer)
            guard writer.commit() else { throw Failure(.run, "cannot write") }
            return try Verdicts.judge(directory, JudgeOptions())
        }
    }

    private func push(
        at seconds: Double, _ status: UInt16 = 200, _ reason: StaticString? = nil, outcome: Outcome = .shown,
        connection: UInt64 = 1, id: Int? = nil, hasType: Bool = true, body: String = #"{"aps":{"alert":"Hello"}}"#,
        to writer: JournalWriter
    ) {
        let head = HeaderBlock()
        head.append(":method", "POST")
        head.append(":path", "/3/device/" + String(repeating: "a", count: 64))
        head.append("authorization", SyntheticRun.credential)
        head.append("apns-topic", "com.example.app")
        if hasType { head.append("apns-push-type", "alert") }
        var draft = PushDraft(
            arrivedAt: at(seconds), connection: connection, status: status, reason: reason, timestampMilliseconds: 0,
            outcome: status == 200 ? outcome : nil)
        if let id {
            let text = "00000000-0000-0000-0000-00000000000\(id)"
            head.append(name: "apns-id", value: text)
            if let bytes = UUIDBytes(text.utf8.span) { draft.apnsID = bytes }
        }
        _ = writer.append(push: draft, head: head, body: Array(body.utf8).span)
    }

    private func standing(_ id: String, _ write: (JournalWriter) -> Void) throws -> RuleResult.Standing {
        try result(id, try judge(write)).standing
    }

    @Test("warns of what was accepted three times under one apns-id")
    func repeated() throws {
        #expect(try standing("accepted-not-repeated") { for second in 1...3 { push(at: Double(second), id: 1, to: $0) } } == .warning)
        #expect(try standing("accepted-not-repeated") { for second in 1...3 { push(at: Double(second), id: second, to: $0) } } == .kept)
    }

    @Test("breaks for a body that is no JSON, and warns where apns-push-type is missing")
    func form() throws {
        #expect(try standing("content-decodes") { push(at: 1, outcome: .undecodable, body: "Hello", to: $0) } == .broken)
        #expect(try standing("push-type-given") { push(at: 1, hasType: false, to: $0) } == .warning)
        #expect(try standing("push-type-given") { push(at: 1, to: $0) } == .kept)
    }

    @Test("warns of a connection for each push, one after the other, and breaks where they are side by side", arguments: [
        (1, RuleResult.Standing.warning), (30, .broken),
    ])
    func connections(open: Int, expected: RuleResult.Standing) throws {
        let seen = try standing("connections-reused") { writer in
            for number in 0..<40 {
                let time = 1 + Double(number)
                writer.append(note: .connectionOpened, text: "{}", at: at(time))
                push(at: time + 0.1, connection: UInt64(number + 1), to: writer)
                if number >= open - 1 { writer.append(note: .connectionClosed, text: "{}", at: at(time + 0.2)) }
            }
        }
        #expect(seen == expected)
    }

    @Test("leaves connections to FCM out of those to APNs", arguments: [("fcm", RuleResult.Standing.kept), ("apns", .broken)])
    func connectionsToFCM(provider: String, expected: RuleResult.Standing) throws {
        let seen = try standing("connections-reused") { writer in
            // Two at a time.
            for number in 0..<2 { writer.append(note: .connectionOpened, text: #"{"connection":\#(number)}"#, at: at(0.5)) }
            for number in 0..<40 {
                let time = 1 + Double(number) / 10
                let id = number + 10
                writer.append(note: .connectionOpened, text: #"{"connection":\#(id),"provider":"\#(provider)"}"#, at: at(time))
                push(at: time + 0.01, connection: 1, to: writer)
                writer.append(note: .connectionClosed, text: #"{"connection":\#(id)}"#, at: at(time + 0.05))
            }
        }
        #expect(seen == expected)
    }

    @Test("breaks where what was refused for good comes again with another time in it, and not where it says something new")
    func refused() throws {
        func repeats(_ second: (stamp: Int, word: String)) throws -> RuleResult.Standing {
            try standing("refusal-not-repeated") { writer in
                for (time, stamp, word) in [(1.0, 1_760_000_001, "a"), (3.0, second.stamp, second.word)] {
                    let body = #"{"aps":{"timestamp":\#(stamp),"event":"update","content-state":{"word":"\#(word)"}}}"#
                    push(at: time, 400, "BadTopic", id: 1, body: body, to: writer)
                }
            }
        }
        #expect(try repeats((1_760_000_001, "a")) == .broken)
        #expect(try repeats((1_760_000_003, "a")) == .broken)
        #expect(try repeats((1_760_000_003, "b")) == .kept)
    }
}

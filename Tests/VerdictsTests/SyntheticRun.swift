// A run as an honest relay would have made it, written straight into a journal, and knobs to spoil it with: so that the
// judge meets histories of any size without a process being started.

import Basics
import HTTP
import Journal
import Metrics
import Planning
import Pushes
import Scenarios
import Verdicts

/// One push to come, and what the mock says to it.
struct Sending {
    var at: Instant
    var row: Expectation
    var token: String
    var payload: String
    var status: UInt16 = 200
    var reason: StaticString?
    var outcome: Outcome?
    var connection: UInt64 = 1
    var priority = "5"
    /// Of its request, beside those that each has.
    var fields: [(name: String, value: String)] = []
    var stamp: Int64
    var event: ActivityEvent?
    var faultRule: UInt32 = 0
    /// From the push to its answer.
    var delay = Interval.zero
    /// The answer never reached the relay.
    var isUndelivered = false
    /// What became of a push that was stored for its device.
    var late: Outcome?
}

struct SyntheticRun {
    static let root: String = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    static let origin = Instant(nanoseconds: 1_000_000_000_000)
    /// Unix seconds at the origin.
    static let wall: Int64 = 1_760_001_000
    static let window = Interval.seconds(10)

    let scenario: Scenario
    let plan: Plan
    let directory: String
    private let seed: Seed
    private let journey = Interval.milliseconds(5)

    init(_ text: String, seed: UInt64 = 1, directory: String) throws {
        scenario = try Scenario.parse(
            text: text, path: Self.root + "/Scenarios/synthetic.yaml", searchPath: [Self.root + "/Scenarios"])
        self.seed = Seed(seed)
        plan = Plan(scenario: scenario, seed: self.seed, run: 0x1a2b_3c4d)
        self.directory = directory
    }

    /// What an honest relay sends for one account, in order of time.
    func sendings(of account: Account) -> [Sending] {
        var sendings: [Sending] = []
        var lastPassed: [String: Instant] = [:]
        var texts: [TokenHash: String] = [:]
        for session in Set(account.calls.map(\.session)) {
            for variable in SessionVariable.tokens {
                let text = plan.token(variable, session: session)
                texts[TokenHash(text)] = text
            }
        }
        let renderer = CallRenderer(plan)
        for (index, row) in account.rows.enumerated() {
            var at = row.plannedAt + journey
            if row.flags.contains(.wasHeld) {
                at = row.plannedAt + row.deadline - deadline(of: row) + journey
                if row.mayBeSuperseded, account.rows[(index + 1)...].contains(where: { isNext($0, row) && $0.flags.contains(.wasHeld) }) {
                    continue
                }
            }
            if row.flags.contains(.isThrottled) {
                let lane = "\(row.session) \(row.lane)"
                let earliest = lastPassed[lane].map { max(at, $0 + Self.window) } ?? at
                // The newest state that waits for the window's end takes its place.
                let isOvertaken = account.rows[(index + 1)...].contains {
                    isNext($0, row) && $0.plannedAt + journey <= earliest
                }
                if isOvertaken { continue }
                at = earliest
                lastPassed[lane] = at
            }
            sendings.append(sending(row, at: at, token: texts[row.token] ?? "", renderer))
        }
        return sendings.sorted { $0.at < $1.at }
    }

    private func isNext(_ newer: Expectation, _ row: Expectation) -> Bool {
        newer.session == row.session && newer.lane == row.lane && newer.type == row.type && newer.step > row.step
    }

    private func deadline(of row: Expectation) -> Interval {
        let call = scenario.relay.profile.calls[Int(row.kind)]
        return call.pushes.first { $0.channel == row.type && $0.event == row.event }?.deadline ?? row.deadline
    }

    private func sending(_ row: Expectation, at: Instant, token: String, _ renderer: CallRenderer) -> Sending {
        let body = renderer.call(session: row.session, step: row.step)?.body ?? []
        let call = (try? JSONValue(parsing: body.span)) ?? .null
        let stamp = Int64(1_760_000_000) + (at - Self.origin).nanoseconds / 1_000_000_000
        var aps = JSONObject()
        if row.type == .liveactivity {
            aps["timestamp"] = .integer(stamp)
            aps["event"] = .string("\(row.event!.word)")
            aps["content-state"] = call["contentState"] ?? .null
            if row.event == .start {
                aps["attributes-type"] = "SessionActivityAttributes"
                aps["attributes"] = ["sessionId": call["sessionID"] ?? .null]
                aps["alert"] = ["title": "Session", "body": "started"]
                aps["input-push-token"] = 1
            }
        } else {
            aps["alert"] = ["title": call["title"] ?? .null, "body": call["body"] ?? .null]
            aps["sound"] = "alert.wav"
        }
        let outcome: Outcome =
            switch row.event {
            case .start: .started
            case .update: .updated
            case .end: .ended
            case nil: .shown
            }
        var payload: JSONObject = ["aps": .object(aps)]
        if row.type == .alert {
            for key in ["serverID", "eventType", "sessionID"] { payload[key] = call[key] ?? .null }
        }
        return Sending(
            at: at, row: row, token: token, payload: JSONValue.object(payload).text, outcome: outcome,
            priority: row.flags.contains(.isThrottled) ? "5" : "10", stamp: stamp, event: row.event)
    }

    /// What a test may say of the run beside pushes and events.
    struct Extras {
        /// Beside those that every run has; in order of time.
        var notes: [(at: Instant, note: RunNote)] = []
        /// Nothing later is written, and no end, as if the run had been killed.
        var killedAt = Instant.distantFuture
        /// False leaves out the end.
        var isWhole = true
        var finish = FinishNote()
        var totals: (inout TotalsNote) -> Void = { _ in }
        var plan: (inout PlanNote) -> Void = { _ in }

        init() {}
    }

    /// Writes the run; `spoil` may change what was sent for an account. `isWhole` false leaves out the end.
    @discardableResult
    func write(
        isWhole: Bool = true, extras: Extras = Extras(), call change: (inout EventDraft) -> Void = { _ in },
        spoil: (inout [Sending], Int) -> Void = { _, _ in }
    ) throws -> (pushes: Int, events: Int) {
        let time = ManualTime()
        time.advance(by: Self.origin - Instant(nanoseconds: 0) - .seconds(2))
        let journal = directory + "/journal"
        let run = try JournalWriter(directory: journal, name: "run", time: time)
        let mock = try JournalWriter(directory: journal, name: "apns-0", time: time)
        let load = try JournalWriter(directory: journal, name: "load-0", time: time)
        let files = scenario.sources.map { PlanNote.File(path: $0.path, text: $0.text) }
        var note = PlanNote(files: files, seed: seed.value, run: plan.run, digest: plan.digest())
        extras.plan(&note)
        var notes: [(at: Instant, note: RunNote)] = [
            (at: Self.origin - .seconds(1), note: .plan(note)),
            (at: Self.origin - .milliseconds(900), note: .relayStarted(restart: 0, arguments: ["relay"])),
            (at: Self.origin - .milliseconds(500), note: .relayReady(restart: 0)),
            (at: Self.origin, note: .phase("measure")),
        ]
        var events: [EventDraft] = []
        var pushes: [Sending] = []
        for index in 0..<plan.accountCount {
            let account = plan.account(index, origin: Self.origin)
            for call in account.calls {
                var draft = EventDraft(
                    session: call.session, step: call.step, kind: call.kind, plannedAt: call.plannedAt,
                    sentAt: call.plannedAt + .microseconds(100), answeredAt: call.plannedAt + .milliseconds(2),
                    status: UInt16(scenario.relay.profile.calls[Int(call.kind)].expectedStatus.min() ?? 200))
                change(&draft)
                events.append(draft)
            }
            var sent = sendings(of: account)
            spoil(&sent, index)
            pushes += sent
        }
        func instant(_ event: EventDraft) -> Instant { max(event.plannedAt, event.sentAt, event.answeredAt) }
        pushes.sort { $0.at < $1.at }
        events.sort { instant($0) < instant($1) }
        let last = max(pushes.last?.at ?? Self.origin, events.last?.answeredAt ?? Self.origin)
        pushes.removeAll { $0.at > extras.killedAt }
        events.removeAll { instant($0) > extras.killedAt }
        for event in events { load.append(event: event) }
        for push in pushes { append(push, to: mock) }
        notes += extras.notes
        if isWhole, extras.isWhole {
            notes += end(at: last, pushes: pushes.count, events: events.count, extras)
        }
        for (at, note) in notes.sorted(by: { $0.at < $1.at }) where at <= extras.killedAt { run.append(note, at: at) }
        guard run.commit(), mock.commit(), load.commit() else { throw Failure(.run, "the journal cannot be written") }
        return (pushes.count, events.count)
    }

    /// Refuses one push in `share` with the scenario's first fault, a 503. The relay sends it again, unless a newer state
    /// of the same activity comes before that.
    private func refused(_ sendings: [Sending], oneIn share: Int, _ firings: inout Int) -> [Sending] {
        let pause = Interval.milliseconds(1200)
        var all: [Sending] = []
        for (index, sending) in sendings.enumerated() {
            let draw = Int(sending.row.session) * 31 + Int(sending.row.step) * 7 + Int(sending.row.type.rawValue)
            guard draw % share == 0 else {
                all.append(sending)
                continue
            }
            firings += 1
            var attempt = sending
            (attempt.status, attempt.reason, attempt.outcome, attempt.faultRule) = (503, "ServiceUnavailable", nil, 1)
            all.append(attempt)
            attempt = sending
            attempt.at = sending.at + pause
            let isOvertaken = sendings[(index + 1)...].contains {
                sending.row.type == .liveactivity && isNext($0.row, sending.row) && $0.at <= attempt.at
            }
            if !isOvertaken { all.append(attempt) }
        }
        return all
    }

    /// The same without knobs, and in memory that does not grow with the run. Where the scenario has a fault, it is a 503,
    /// and one push in `share` meets it.
    func writeStream(refusedOneIn share: Int = 100) throws -> (pushes: Int, events: Int) {
        let time = ManualTime()
        time.advance(by: Self.origin - Instant(nanoseconds: 0) - .seconds(2))
        let journal = directory + "/journal"
        let run = try JournalWriter(directory: journal, name: "run", time: time)
        let mock = try JournalWriter(directory: journal, name: "apns-0", time: time)
        let load = try JournalWriter(directory: journal, name: "load-0", time: time)
        let files = scenario.sources.map { PlanNote.File(path: $0.path, text: $0.text) }
        let note = PlanNote(files: files, seed: seed.value, run: plan.run, digest: plan.digest())
        run.append(.plan(note), at: Self.origin - .seconds(1))
        run.append(.relayReady(restart: 0), at: Self.origin - .milliseconds(500))
        run.append(.phase("measure"), at: Self.origin)
        let hasFault = !scenario.faults.isEmpty
        if hasFault {
            run.append(.faultGiven(FaultNote(number: 0, rule: 1, label: "503 ServiceUnavailable")), at: Self.origin)
        }
        var firings = 0
        var events: [EventDraft] = []
        var pushes: [Sending] = []
        var counts = (pushes: 0, events: 0)
        var last = Self.origin
        func flush(before instant: Instant) {
            pushes.sort { $0.at < $1.at }
            events.sort { $0.answeredAt < $1.answeredAt }
            let due = (pushes: pushes.prefix { $0.at < instant }, events: events.prefix { $0.answeredAt < instant })
            for push in due.pushes { append(push, to: mock) }
            for event in due.events { load.append(event: event) }
            last = max(last, due.pushes.last?.at ?? last, due.events.last?.answeredAt ?? last)
            counts.pushes += due.pushes.count
            counts.events += due.events.count
            pushes.removeFirst(due.pushes.count)
            events.removeFirst(due.events.count)
        }
        for index in 0..<plan.accountCount {
            let account = plan.account(index, origin: Self.origin)
            for call in account.calls {
                events.append(
                    EventDraft(
                        session: call.session, step: call.step, kind: call.kind, plannedAt: call.plannedAt,
                        sentAt: call.plannedAt + .microseconds(100), answeredAt: call.plannedAt + .milliseconds(2), status: 200))
            }
            let sent = sendings(of: account)
            pushes += hasFault ? refused(sent, oneIn: share, &firings) : sent
            if index % 2_000 == 0 { flush(before: Self.origin + plan.start(ofAccount: index)) }
        }
        flush(before: .distantFuture)
        var extras = Extras()
        extras.totals = { if hasFault { $0.firings = [firings] } }
        for (at, note) in end(at: last, pushes: counts.pushes, events: counts.events, extras) { run.append(note, at: at) }
        guard run.commit(), mock.commit(), load.commit() else { throw Failure(.run, "the journal cannot be written") }
        return counts
    }

    private func end(at last: Instant, pushes: Int, events: Int, _ extras: Extras) -> [(at: Instant, note: RunNote)] {
        var totals = TotalsNote()
        totals.sessionsBegun = plan.sessionCount
        (totals.planned, totals.sent, totals.answered, totals.pushes) = (events, events, events, pushes)
        extras.totals(&totals)
        let end = last + .seconds(60)
        return [
            (last + .seconds(1), .phase("drain")), (end, .phase("stop")), (end + .milliseconds(1), .totals(totals)),
            (end + .milliseconds(2), .finished(extras.finish)),
        ]
    }

    static let credential = bearer(issuedAt: 1_760_000_000)

    static func bearer(issuedAt: Int64) -> String {
        let header = withBytes(of: #"{"alg":"ES256","kid":"KEY1234567"}"#) { Base64URL.encode($0) }
        let claims = withBytes(of: #"{"iss":"TEAM123456","iat":\#(issuedAt)}"#) { Base64URL.encode($0) }
        return "bearer \(header).\(claims).c2lnbmF0dXJl"
    }

    private func append(_ push: Sending, to journal: JournalWriter) {
        let head = HeaderBlock()
        head.append(":method", "POST")
        head.append(":path", "/3/device/" + push.token)
        // Signed anew each half hour.
        let age = (push.at - Self.origin).nanoseconds / 1_000_000_000
        head.append("authorization", age < 1_800 ? Self.credential : Self.bearer(issuedAt: 1_760_000_000 + age / 1_800 * 1_800))
        let suffix = push.row.type == .liveactivity ? ".push-type.liveactivity" : ""
        head.append("apns-topic", scenario.relay.profile.topic + suffix)
        head.append("apns-push-type", "\(push.row.type.word)")
        head.append("apns-priority", push.priority)
        for field in push.fields { head.append(name: field.name, value: field.value) }
        var draft = PushDraft(arrivedAt: push.at, connection: push.connection, status: push.status, outcome: push.outcome)
        draft.reason = push.reason
        draft.faultRule = push.faultRule
        draft.delay = push.delay
        draft.event = push.event
        draft.stamp = push.row.type == .liveactivity ? push.stamp : nil
        let body = Array(push.payload.utf8)
        draft.marker = Marker.find(in: body.span)
        let id = journal.append(push: draft, head: head, body: body.span)
        if push.isUndelivered { journal.append(undelivered: id, at: push.at + .milliseconds(1)) }
        if let late = push.late { journal.append(lateOutcome: late, of: id, at: push.at + .milliseconds(1)) }
    }
}

// Histories to judge: one honest session as the house knows it, and knobs to spoil it with.

import Basics
import Conformance
import Journal
import Metrics
import Pushes

let run: UInt32 = 0x1a2b_3c4d

/// Seconds since the run began, as an instant.
func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 1_000_000_000_000) + .seconds(seconds) }

/// `bearer <JWT>` of a team and key; `serial` makes distinct tokens of one signer. The signature is not judged.
func bearer(team: String = "TEAM123456", key: String = "KEY1234567", serial: Int = 0) -> String {
    let header = withBytes(of: #"{"alg":"ES256","kid":"\#(key)"}"#) { Base64URL.encode($0) }
    let claims = withBytes(of: #"{"iss":"\#(team)","iat":\#(1_760_000_000 + serial)}"#) { Base64URL.encode($0) }
    return "bearer \(header).\(claims).c2lnbmF0dXJl"
}

/// One push of a history, as a test writes it down.
struct Sent {
    var seconds: Double
    var session: UInt32 = 1
    var step: UInt32 = 1
    var type = "liveactivity"
    var event: String? = "update"
    /// Nil for none; else `aps.timestamp`.
    var timestamp: Int64?
    var token = String(repeating: "a1", count: 32)
    var status: UInt16 = 200
    var reason: String?
    var died: Int64 = 0
    var outcome = "updated"
    var connection: UInt64 = 1
    var authorization = bearer()
    var apnsID: UUIDBytes?
    var priority = "5"
    var fault: UInt32 = 0
    var delay: Interval = .zero
    var filler = 0
    var hasMarker = true
    var environment = PushEnvironment.production

    init(_ seconds: Double, session: UInt32 = 1, step: UInt32) {
        self.seconds = seconds
        self.session = session
        self.step = step
        timestamp = 1_760_000_000 + Int64(seconds)
    }

    func with(_ turn: (inout Sent) -> Void) -> Sent {
        var copy = self
        turn(&copy)
        return copy
    }

    func entry(id: UInt64) -> PushEntry {
        var aps: [String] = []
        if let event { aps.append(#""event":"\#(event)""#) }
        if let timestamp { aps.append(#""timestamp":\#(timestamp)"#) }
        let marker = hasMarker ? Marker(run: run, session: session, step: step).text : ""
        let text =
            #"{"aps":{\#(aps.joined(separator: ","))},"text":"\#(marker)\#(String(repeating: "x", count: filler))"}"#
        var headers = [(name: "authorization", value: authorization), (name: "apns-push-type", value: type)]
        if let apnsID { headers.append((name: "apns-id", value: apnsID.text())) }
        return PushEntry(
            id: id, arrivedAt: at(seconds), arrivedWall: WallTime(seconds: 1_760_000_000) + .seconds(seconds),
            connection: connection, environment: environment, status: status, reason: reason,
            timestampMilliseconds: died, outcome: Outcome(word: outcome),
            faultRule: fault, apnsID: apnsID ?? UUIDBytes(high: id, low: id), delay: delay, headers: headers,
            token: token, pushType: type, priority: priority,
            event: event.flatMap { ActivityEvent(word: $0) }, stamp: timestamp,
            marker: hasMarker ? Marker(run: run, session: session, step: step) : nil, payload: Array(text.utf8))
    }
}

/// A plan, what arrived, and what is known besides.
struct History {
    var plan: [Expectation] = []
    var pushes: [Sent] = []
    var events: [EventEntry] = []
    var registrations: [(token: String, at: Instant)] = []
    var correlation = Correlation()
    var facts = RunFacts(
        throttle: .init(window: .seconds(10), kinds: ["progress"]), startedAt: WallTime(seconds: 1_760_000_000))

    static let token = String(repeating: "a1", count: 32)
    static let deviceToken = String(repeating: "d1", count: 32)

    /// One session that progresses, asks once with an alert, and completes with an alert.
    static var honest: History {
        var history = History()
        for (step, seconds) in [(1, 0.0), (2, 10.1), (3, 20.3)] {
            history.plan.append(expectation(step: UInt32(step), at: seconds))
            history.pushes.append(Sent(seconds + 0.02, step: UInt32(step)))
        }
        history.plan.append(expectation(step: 4, at: 25, kind: "complete", channel: .alert))
        history.plan.append(expectation(step: 4, at: 25, kind: "complete", event: .end, isFinal: true))
        history.pushes.append(
            Sent(25.01, step: 4).with {
                $0.type = "alert"
                $0.event = nil
                $0.timestamp = nil
                $0.token = deviceToken
                $0.outcome = "shown"
                $0.priority = "10"
            })
        history.pushes.append(
            Sent(25.03, step: 4).with {
                $0.event = "end"
                $0.outcome = "ended"
                $0.priority = "10"
            })
        history.events = history.plan.map {
            EventEntry(id: 0, session: $0.session, step: $0.step, plannedAt: $0.plannedAt, status: 200)
        }
        history.correlation.lastState.sessions = 1
        history.correlation.lastState.delivered = 1
        return history
    }

    static func expectation(
        session: UInt32 = 1, step: UInt32, at seconds: Double, kind: String = "progress",
        channel: PushType = .liveactivity, event: ActivityEvent? = .update, isFinal: Bool = false, token: String? = nil
    ) -> Expectation {
        Expectation(
            session: session, step: step, kind: kind, channel: channel,
            event: channel == .liveactivity ? event : nil, plannedAt: at(seconds), coalesceKey: kind == "progress",
            deadline: .seconds(10), isFinal: isFinal,
            token: token ?? (channel == .alert ? deviceToken : Self.token))
    }

    func with(_ turn: (inout History) -> Void) -> History {
        var copy = self
        turn(&copy)
        return copy
    }

    var evidence: Evidence {
        var collector = EvidenceCollector(run: run)
        for expectation in plan { collector.expect(expectation) }
        for (index, push) in pushes.sorted(by: { $0.seconds < $1.seconds }).enumerated() {
            collector.observe(push.entry(id: UInt64(index + 1)))
        }
        for event in events { collector.observe(event) }
        for (token, instant) in registrations { collector.registered(token: token, at: instant) }
        return collector.finish(correlation: correlation, facts: facts)
    }

    func verdict(of id: String) -> Verdict { RuleBook.rule(named: id)!.judge(evidence) }
}

extension Verdict {
    var isKept: Bool { if case .kept = self { true } else { false } }
    var isBroken: Bool { if case .broken = self { true } else { false } }
}

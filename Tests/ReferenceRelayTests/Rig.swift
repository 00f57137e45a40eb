// A core with a clock turned by hand and an APNs that answers as it is told.

import Basics
import Net
import Pushes
import Testing

@testable import ReferenceRelay

final class Rig {
    static let secret = SecretHash(digest: [UInt8](repeating: 1, count: 32))
    static let otherSecret = SecretHash(digest: [UInt8](repeating: 2, count: 32))
    static let accepted = PushOutcome.answered(status: 200, reason: nil, timestamp: nil)

    let time: ManualTime
    let core: RelayCore
    /// What APNs says; nil leaves the push open, to be answered by hand.
    var answer: (Push) -> PushOutcome? = { _ in Rig.accepted }
    /// Every attempt that left, in order.
    private(set) var attempts: [Push] = []
    private(set) var hosts: [PushEnvironment] = []
    private(set) var open: [Push] = []
    private(set) var replies: [EventTicket] = []
    private(set) var renewals: [PushEnvironment] = []
    private(set) var authorizations: [String] = []
    private(set) var hasDied = false
    private(set) var told: [String] = []
    var signatures: Int { counter.count }
    private(set) var writes: [RowChange] = []
    private let counter: Counter

    private final class Counter { var count = 0 }

    init(hosts: Int = 2, time: ManualTime = ManualTime(), _ change: (inout RelayOptions) -> Void = { _ in }) {
        self.time = time
        let production = Origin(isTLS: true, host: "127.0.0.1", port: 2197)
        let sandbox = hosts == 2 ? Origin(isTLS: true, host: "127.0.0.1", port: 2198) : production
        var options = RelayOptions(
            listen: SocketAddress(host: "127.0.0.1", port: 0), production: production, sandbox: sandbox, keyFile: "",
            keyID: "KEYKEYKEY1", teamID: "TEAMTEAM12", topic: "com.example.app", storage: ":memory:")
        options.retryDelay = .milliseconds(500)
        change(&options)
        let counter = Counter()
        self.counter = counter
        core = RelayCore(options: options, chance: Seed(5)) { _ in
            counter.count += 1
            return [UInt8](repeating: 7, count: 64)
        }
    }

    var now: Moment { Moment(now: time.now(), wall: time.wall()) }

    /// Carries out what the core wants until it is still.
    func settle() {
        while !core.actions.isEmpty {
            let actions = core.actions
            core.actions = []
            for action in actions {
                switch action {
                case .push(let push):
                    authorizations.append(core.authorization(for: push, at: time.wall()))
                    attempts.append(push)
                    hosts.append(push.environment)
                    if let outcome = answer(push) {
                        core.answered(push, outcome, now: now)
                    } else {
                        open.append(push)
                    }
                case .renewConnection(let environment): renewals.append(environment)
                case .answer(let ticket): replies.append(ticket)
                case .die: hasDied = true
                case .tell(let words): told.append(words)
                }
            }
        }
        writes += core.writes
        core.writes = []
    }

    /// Answers the oldest open push.
    func answerOldest(_ outcome: PushOutcome = Rig.accepted) {
        guard !open.isEmpty else {
            Issue.record("no push is open")
            return
        }
        core.answered(open.removeFirst(), outcome, now: now)
        settle()
    }

    /// Lets time pass, stopping at each deadline.
    func pass(_ interval: Interval) {
        let end = time.now() + interval
        while let next = core.nextDeadline, next <= end {
            if next > time.now() { time.advance(by: next - time.now()) }
            core.advance(to: now)
            settle()
        }
        if end > time.now() { time.advance(by: end - time.now()) }
    }

    // MARK: - Calls

    func device(
        _ token: String = "d1", start: String? = nil, environment: PushEnvironment = .production,
        secret: SecretHash = Rig.secret
    ) {
        #expect(
            core.register(
                DeviceRegistration(secret: secret, token: token, environment: environment, startToken: start), now: now)
                == nil)
        settle()
    }

    func activity(
        _ token: String = "a1", session: String = "s1", phone: String? = nil, secret: SecretHash = Rig.secret
    ) {
        #expect(
            core.register(
                ActivityRegistration(secret: secret, sessionID: session, token: token, deviceToken: phone), now: now)
                == nil)
        settle()
    }

    func unregister(session: String = "s1", token: String? = nil) {
        core.unregisterActivity(session, token: token, of: Rig.secret, now: now)
        settle()
    }

    /// The ticket tells what the caller of `/v1/event` is told, once it is in `replies`.
    @discardableResult
    func event(
        _ type: EventType, _ message: String = "working on it", session: String = "s1", status: ActivityStatus? = nil,
        retryInfo: String? = nil, title: String = "Fix the roof", secret: SecretHash = Rig.secret
    ) -> EventTicket {
        let ticket = EventTicket()
        let content = OpenCodeEvent(
            type: type, sessionID: session, serverID: "0123456789abcdef", title: title, body: message, status: status,
            retryInfo: retryInfo)
        let event = RelayEvent(secret: secret, type: type, sessionID: session, content: content)
        core.handle(event, ticket: ticket, now: now)
        settle()
        return ticket
    }

    func isAnswered(_ ticket: EventTicket) -> Bool { replies.contains { $0 === ticket } }

    // MARK: - What was seen

    /// Each attempt in a few words: `alert d1`, `start p1`, `update a1 working`, `end a1 complete`.
    var seen: [String] { attempts.map(Self.describe) }

    static func describe(_ push: Push) -> String {
        let aps = payload(push)["aps"]
        guard let event = aps?["event"]?.string else { return "alert \(push.token)" }
        if event == "start" { return "start \(push.token)" }
        return "\(event) \(push.token) \(aps?["content-state"]?["status"]?.string ?? "?")"
    }

    static func payload(_ push: Push) -> JSONValue {
        let payload = push.payload
        return (try? JSONValue(parsing: payload.span)) ?? .null
    }

    func message(_ index: Int) -> String? {
        Self.payload(attempts[index]).at(pointer: "/aps/content-state/lastMessage")?.string
    }

    func stamp(_ index: Int) -> Int64? { Self.payload(attempts[index]).at(pointer: "/aps/timestamp")?.int }

    func forgetSeen() {
        attempts = []
        hosts = []
        writes = []
        replies = []
    }

    var logged: [DeliveryRow] {
        writes.compactMap { if case .log(let row) = $0 { row } else { nil } }
    }

    /// The rows as they would be on disk after all writes so far.
    var rows: StoredRows {
        var devices: [Int64: DeviceRow] = [:]
        var activities: [Int64: ActivityRow] = [:]
        var starts: [StartRow] = []
        var replaced: [ReplacedRow] = []
        var dead: [DeadRow] = []
        var held: [HeldRow] = []
        var waiting: [WaitingRow] = []
        for write in writes {
            switch write {
            case .saveDevice(let row): devices[row.id] = row
            case .deleteDevice(let id): devices[id] = nil
            case .saveActivity(let row): activities[row.id] = row
            case .deleteActivity(let id): activities[id] = nil
            case .saveStart(let row):
                starts.removeAll {
                    $0.secret == row.secret && $0.sessionID == row.sessionID && $0.deviceID == row.deviceID
                }
                starts.append(row)
            case .deleteStarts(let secret, let session, let device):
                starts.removeAll {
                    $0.secret == secret && $0.sessionID == session && (device == nil || $0.deviceID == device)
                }
            case .saveReplaced(let row): replaced.append(row)
            case .deleteReplaced(let secret, let session):
                replaced.removeAll { $0.secret == secret && $0.sessionID == session }
            case .saveDead(let row): dead.append(row)
            case .deleteDead(let secret, let session, let token):
                dead.removeAll { $0.secret == secret && $0.sessionID == session && $0.token == token }
            case .saveHeld(let row):
                held.removeAll { $0.secret == row.secret && $0.sessionID == row.sessionID }
                held.append(row)
            case .deleteHeld(let secret, let session):
                held.removeAll { $0.secret == secret && $0.sessionID == session }
            case .saveWaiting(let row):
                waiting.removeAll { $0.apnsID == row.apnsID }
                waiting.append(row)
            case .deleteWaiting(let id): waiting.removeAll { $0.apnsID == id }
            case .log: break
            }
        }
        return StoredRows(
            devices: devices.values.sorted { $0.id < $1.id }, activities: activities.values.sorted { $0.id < $1.id },
            starts: starts, replaced: replaced, dead: dead, held: held, waiting: waiting)
    }

    /// The payload's `aps` of an attempt.
    func aps(_ index: Int) -> JSONValue { Self.payload(attempts[index])["aps"] ?? .null }

    func state(_ index: Int) -> JSONValue { aps(index)["content-state"] ?? .null }

    static func refusal(_ status: Int, _ reason: String, timestamp: Int64? = nil) -> PushOutcome {
        .answered(status: status, reason: reason, timestamp: timestamp)
    }
}

extension Rig {
    /// One that was asked something in each of these sessions.
    static func told(_ sessions: [String]) -> Rig {
        let rig = Rig()
        rig.device()
        for id in sessions { rig.event(.permission, session: id) }
        return rig
    }
}

/// The same story told to an honest relay and to one with a defect, with one phone, `d1`, registered in both.
func pair(
    hosts: Int = 1, start: String? = "p1", _ defect: Defect, _ change: (inout RelayOptions) -> Void = { _ in },
    _ run: (Rig) -> Void
) -> (honest: Rig, broken: Rig) {
    let honest = Rig(hosts: hosts, change)
    let broken = Rig(hosts: hosts) {
        change(&$0)
        $0.defects = [defect]
    }
    for rig in [honest, broken] {
        rig.device(start: start)
        run(rig)
    }
    return (honest, broken)
}

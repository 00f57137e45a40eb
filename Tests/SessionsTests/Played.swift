// Runs as they could have been, written into a journal instant by instant, so that their figures can be worked out by hand.

import Basics
import Glibc
import HTTP
import Journal
import Metrics
import Planning
import Pushes
import Scenarios

@testable import Sessions

let origin = Instant(nanoseconds: 1_000_000_000_000)
func at(_ seconds: Double) -> Instant { origin + .milliseconds(Int64((seconds * 1_000).rounded())) }

/// A run of which tests say what was called and pushed, and when. Each journal file is written in order of time.
struct Played {
    static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    static let run: UInt32 = 0x1a2b_3c4d

    let directory: String
    let plan: Plan
    private let load: JournalWriter
    private let mock: JournalWriter
    private let notes: JournalWriter

    static func scenario(_ turn: String = "") throws -> Scenario {
        try Scenario.parse(
            text: """
                name: played
                relay: { profile: relays/opencode.yaml, url: "http://127.0.0.1:1", with: { passes: [] } }
                workload:
                  arrivals: [{ rate: 10, for: 1s }]
                  maxSessions: 7
                  scripts: [{ script: sessions/S0-happy.yaml, with: { progressEvery: { uniform: [8s, 10s] } } }]
                \(turn)
                """, path: root + "/Scenarios/played.yaml", searchPath: [root + "/Scenarios"])
    }

    init(_ folder: String, _ scenario: Scenario? = nil) throws {
        directory = folder
        let scenario = try scenario ?? Self.scenario()
        plan = Plan(scenario: scenario, seed: Seed(5), run: Self.run)
        let time = ManualTime()
        time.advance(by: origin - Instant(nanoseconds: 0) - .seconds(2))
        notes = try JournalWriter(directory: folder + "/journal", name: "run", time: time)
        load = try JournalWriter(directory: folder + "/journal", name: "load-0", time: time)
        mock = try JournalWriter(directory: folder + "/journal", name: "apns-0", time: time)
        let files = scenario.sources.map { PlanNote.File(path: $0.path, text: $0.text) }
        notes.append(.plan(PlanNote(files: files, seed: 5, run: Self.run, digest: plan.digest())), at: at(-1))
        notes.append(.relayReady(restart: 0), at: at(-0.5))
        notes.append(.phase("measure"), at: at(0))
    }

    /// Steps that the plan owes the session's card, in order: the start, updates, the end.
    func steps(_ session: UInt32) -> [UInt32] {
        plan.account(number: plan.account(ofSession: session), origin: origin, reactions: []).rows
            .filter { $0.session == session && $0.type == .liveactivity }
            .map(\.step).sorted { EventNumber.order($0) < EventNumber.order($1) }
    }

    /// Without it the relay knows no token for the session's card.
    func register(_ session: UInt32, _ sent: Double) {
        let account = plan.account(number: plan.account(ofSession: session), origin: origin, reactions: [])
        let call = account.tokenCalls.first { $0.isRegistration && $0.lane.role == .activity && $0.place >> 32 == session }!
        self.call(session, account.call(at: call.place)!.step, sent)
    }

    func call(
        _ session: UInt32, _ step: UInt32, _ sent: Double, answered: Double? = nil,
        _ turn: (inout EventDraft) -> Void = { _ in }
    ) {
        let account = plan.account(number: plan.account(ofSession: session), origin: origin, reactions: [])
        let kind = account.call(at: EventNumber.place(session: session, step: step))!.kind
        var draft = EventDraft(
            session: session, step: step, kind: kind, plannedAt: at(sent), sentAt: at(sent),
            answeredAt: at(answered ?? sent + 0.002),
            status: UInt16(plan.scenario.relay.profile.calls[Int(kind)].expectedStatus.min() ?? 200))
        turn(&draft)
        load.append(event: draft)
    }

    /// With `message` a state of our own; else what the plan's call gave the relay.
    @discardableResult
    func push(
        _ session: UInt32, _ step: UInt32, _ seconds: Double, _ event: ActivityEvent, _ outcome: Outcome? = nil,
        message: String? = nil, title: String = "Parser", status: UInt16 = 200, token: String? = nil,
        run: UInt32 = Played.run
    ) throws -> UInt64 {
        let variable: SessionVariable = event == .start ? .startToken : .activityToken
        let head = HeaderBlock()
        head.append(":path", "/3/device/" + (token ?? plan.token(variable, session: session)))
        head.append("apns-push-type", "liveactivity")
        let marker = Marker(run: run, session: session, step: step)
        let given = try CallRenderer(plan).call(session: session, step: step).map { try JSONValue(parsing: $0.body.span) }
        let own: JSONValue = [
            "status": .string(event == .end ? "complete" : "working"), "sessionTitle": .string(title),
            "lastMessage": .string(marker.text + " " + (message ?? "")), "retryInfo": .null,
        ]
        let aps: JSONValue = [
            "event": .string("\(event.word)"), "timestamp": .integer(1_760_000_000 + Int64(seconds)),
            "content-state": message == nil ? given?["contentState"] ?? .null : own,
            "attributes-type": "SessionActivityAttributes", "attributes": ["sessionId": given?["sessionID"] ?? "s"],
        ]
        let usual: Outcome =
            switch event {
            case .start: .started
            case .update: .updated
            case .end: .ended
            }
        var draft = PushDraft(arrivedAt: at(seconds), status: status, outcome: status == 200 ? outcome ?? usual : nil)
        draft.marker = marker
        draft.event = event
        if status != 200 { draft.faultRule = 1 }
        if status != 200 { draft.reason = "ServiceUnavailable" }
        let body: JSONValue = ["aps": aps]
        return mock.append(push: draft, head: head, body: body.encoded().span)
    }

    func note(late outcome: Outcome, of push: UInt64, _ seconds: Double) {
        mock.append(lateOutcome: outcome, of: push, at: at(seconds))
    }

    /// Told by the first phone of the session's user.
    func phone(_ kind: PhoneEvent.Kind, _ session: UInt32, activity: UInt32 = 1, hasToken: Bool = false, _ seconds: Double) {
        let user = plan.account(ofSession: session)
        let text: JSONValue = [
            "event": 1, "kind": .string("\(kind.word)"), "at": "2026-11-20T10:00:00Z",
            "phone": .string(PhoneName(user: user, phone: 0).text), "app": .string(plan.scenario.relay.profile.topic),
            "activity": .integer(Int64(activity)),
            "token": hasToken ? .string(plan.token(.activityToken, session: session)) : .null,
            "marker": .string(Marker(run: Self.run, session: session, step: 1).text),
        ]
        mock.append(note: .phone, text: text.text, at: at(seconds))
    }

    func note(_ note: RunNote, _ seconds: Double) { notes.append(note, at: at(seconds)) }

    /// Ends the run.
    func close(_ seconds: Double) throws {
        note(.phase("stop"), seconds)
        note(.finished(FinishNote()), seconds + 0.001)
        guard notes.commit(), load.commit(), mock.commit() else { throw Failure(.run, "cannot write") }
    }
}

func withFolder(_ body: (String) throws -> Void) throws {
    var name = Array("/tmp/pushrig-sessions-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw Failure(.run, "no folder") }
    let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { remove(folder) }
    try body(folder)
}

/// The folder and all in it; files of our own making only.
private func remove(_ path: String) {
    if let folder = opendir(path) {
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { remove(path + "/" + name) }
        }
        closedir(folder)
        rmdir(path)
    } else {
        unlink(path)
    }
}

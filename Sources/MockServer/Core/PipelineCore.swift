// What a provider's pipeline has of the core on its loop: journal, counters, and what all threads share.

import Basics
import EventLoop
import Faults
import Journal
import Net
import Pushes

/// Confined to its loop. Each environment of a provider has one of its own on each loop, with its own journal.
final class PipelineCore {
    let loop: EventLoop
    let shared: MockShared
    let provider: Pushes.Provider
    let environment: PushEnvironment
    let journal: TurnJournal
    private let published: PublishedTotals
    var totals: LoopTotals

    /// `name` is the journal's; `place` that of the counters among `MockShared.totals`.
    init(
        loop: EventLoop, shared: MockShared, reasons: ReasonList, environment: PushEnvironment, name: String, place: Int
    ) throws(Failure) {
        self.loop = loop
        self.shared = shared
        provider = reasons.provider
        self.environment = environment
        journal = try TurnJournal(loop: loop, shared: shared, name: name)
        published = shared.totals[place]
        totals = LoopTotals(reasons)
        totals.journalBytes = journal.writer.byteCount
        published.name(journal: journal.writer.path)
        published.publish(totals)
    }

    /// A request has come.
    @inline(__always)
    func begin() {
        totals.openStreams += 1
        if loop.isStepped { shared.time.pushes.begin() }
        journal.markDirty()
    }

    /// An exchange is over: nobody waits for it any more.
    @inline(__always)
    func finish() {
        totals.openStreams -= 1
        if loop.isStepped { shared.time.pushes.end() }
        journal.markDirty()
    }

    /// The end of a turn; see `TurnJournal.commitTurn`.
    func commitTurn() -> Bool {
        journal.commitTurn { [self] in
            totals.journalBytes = journal.writer.byteCount
            published.publish(totals)
        }
    }

    private func commitSoon() { journal.commitSoon { [self] in _ = commitTurn() } }

    // MARK: On record

    /// The provider cannot know what became of that push.
    func undelivered(_ push: UInt64) {
        guard !journal.hasFailed else { return }
        totals.undelivered += 1
        journal.writer.append(undelivered: push, at: loop.noted)
        commitSoon()
    }

    func overran(_ connection: ServerConnection, streams: Int) {
        guard !journal.hasFailed else { return }
        journal.writer.append(overrunOn: connection.id, streams: streams, at: loop.noted)
        commitSoon()
    }

    func unread(_ note: UnreadNote) {
        guard !journal.hasFailed else { return }
        journal.writer.append(note, at: loop.noted)
        commitSoon()
    }

    func note(_ kind: NoteKind, _ connection: ServerConnection, _ facts: JSONObject = JSONObject()) {
        var object: JSONObject = ["connection": .integer(Int64(connection.id)), "peer": .string(connection.peer)]
        for (key, value) in facts { object[key] = value }
        note(kind, object)
    }

    func note(_ kind: NoteKind, _ facts: JSONObject) {
        journal.writer.append(note: kind, text: JSONValue.object(facts).text, at: loop.noted)
        commitSoon()
    }

    /// Puts a rule's definition on record, outside a turn that handles requests.
    func note(rule status: FaultRuleStatus) {
        journal.writer.append(rule: status)
        journal.markDirty()
        _ = commitTurn()
    }

    // MARK: Faults

    func caller(_ number: UInt64, acceptedAt: Instant) -> FaultCaller {
        FaultCaller(number: number, acceptedAt: acceptedAt, provider: provider, environment: environment)
    }

    func count(_ firing: Firing) {
        totals.faultsFired += 1
        if firing.action.endsConnection { totals.connectionsEndedByFaults += 1 }
    }

    /// A rule has met a connection, or a request to another endpoint than that of pushes.
    func note(_ firing: Firing, connection: UInt64, number: UInt64, peer: String, at endpoint: FaultEndpoint? = nil) {
        count(firing)
        var facts: JSONObject = [
            "rule": .integer(Int64(firing.ruleID)), "fault": .string(shared.faults.id(of: firing.ruleID) ?? ""),
            "action": .string(firing.action.word), "connection": .integer(Int64(connection)),
            "number": .integer(Int64(number)), "peer": .string(peer),
        ]
        facts["endpoint"] = endpoint.map { .string($0.rawValue) }
        note(.fault, facts)
    }
}

extension JournalWriter {
    /// A rule's definition, by the number that pushes which met it carry.
    func append(rule status: FaultRuleStatus) {
        let facts: JSONObject = [
            "number": .integer(Int64(status.number)), "id": .string(status.rule.id), "rule": status.rule.json,
        ]
        append(note: .rule, text: JSONValue.object(facts).text, at: status.addedAt)
    }
}

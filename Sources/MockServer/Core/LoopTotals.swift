// What one loop has counted. Its own thread raises plain numbers; at the end of a turn a copy is put where other
// threads may read it, without heap.

import Devices
import Pushes
import Synchronization

struct LoopTotals: Sendable {
    var connectionsOpened = 0
    var connectionsOpen = 0
    var openStreams = 0
    var pushes = 0
    var accepted = 0
    var silenced = 0
    /// Answers that did not reach the provider, or may not have.
    var undelivered = 0
    var faultsFired = 0
    var connectionsEndedByFaults = 0
    var journalBytes = 0
    private let reasons: ReasonList
    /// By the row of `reasons`.
    private(set) var rejections: [Int]
    /// By the raw value of `Outcome`.
    private(set) var outcomes = [Int](repeating: 0, count: Outcome.tableSize)

    init(_ reasons: ReasonList) {
        self.reasons = reasons
        rejections = [Int](repeating: 0, count: reasons.rows.count)
    }

    mutating func count(_ reason: NamedReason) { rejections[Int(reason.index)] += 1 }
    mutating func count(_ outcome: Outcome) { outcomes[Int(outcome.rawValue)] += 1 }

    /// Takes over the numbers of another one and keeps its own memory.
    mutating func copy(_ other: borrowing LoopTotals) {
        connectionsOpened = other.connectionsOpened
        connectionsOpen = other.connectionsOpen
        openStreams = other.openStreams
        pushes = other.pushes
        accepted = other.accepted
        silenced = other.silenced
        undelivered = other.undelivered
        faultsFired = other.faultsFired
        connectionsEndedByFaults = other.connectionsEndedByFaults
        journalBytes = other.journalBytes
        for index in rejections.indices { rejections[index] = other.rejections[index] }
        for index in outcomes.indices { outcomes[index] = other.outcomes[index] }
    }

    func add(to statistics: inout MockStatistics) {
        statistics.connectionsOpened += connectionsOpened
        statistics.connectionsOpen += connectionsOpen
        statistics.openStreams += openStreams
        statistics.pushes += pushes
        statistics.silenced += silenced
        statistics.undelivered += undelivered
        statistics.faultsFired += faultsFired
        statistics.connectionsEndedByFaults += connectionsEndedByFaults
        statistics.journalBytes += journalBytes
        let provider = reasons.provider
        statistics.byProvider[provider, default: ProviderAnswers()].pushes += pushes
        statistics.byProvider[provider]!.accepted += accepted
        if accepted > 0 { statistics.byStatus[200, default: 0] += accepted }
        for (row, count) in zip(reasons.rows, rejections) where count > 0 {
            statistics.byProvider[provider]!.byReason[row.word.description, default: 0] += count
            statistics.byReason[row.word.description, default: 0] += count
            statistics.byStatus[Int(row.status), default: 0] += count
        }
        for outcome in Outcome.allCases where outcomes[Int(outcome.rawValue)] > 0 {
            statistics.byOutcome[outcome.word.description, default: 0] += outcomes[Int(outcome.rawValue)]
        }
    }
}

/// The copy of one loop's totals that any thread may read.
final class PublishedTotals: Sendable {
    private let totals: Mutex<LoopTotals>
    private let journal = Mutex("")

    init(_ reasons: ReasonList) { totals = Mutex(LoopTotals(reasons)) }

    /// The file that `journalBytes` is the committed size of.
    func name(journal path: String) { journal.withLock { $0 = path } }
    func publish(_ fresh: borrowing LoopTotals) { totals.withLock { $0.copy(fresh) } }
    func add(to statistics: inout MockStatistics) { totals.withLock { $0.add(to: &statistics) } }
    var committed: (path: String, size: Int) { (journal.withLock { $0 }, totals.withLock { $0.journalBytes }) }
}

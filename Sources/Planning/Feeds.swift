// The rows that sessions take from a workload's feeders: which, and what they say. A pure function of the seed and the
// session's number over all shards, so that every shard and every judge finds the same.

package import Basics
import Scenarios

struct Feeds: Sendable {
    private struct Feeder: Sendable {
        let spec: FeederSpec
        let seed: Seed
    }

    private let feeders: [Feeder]
    /// As `WorkloadSpec.feedColumns`.
    private let columns: [(feeder: Int, column: Int)]
    /// By `Profile.feeds`: the place in `columns`; nil: the workload has no such column.
    private let names: [Int?]

    init(_ spec: WorkloadSpec, names: [String], seed: Seed) {
        feeders = spec.feeders.enumerated().map { Feeder(spec: $1, seed: seed.child(UInt64($0))) }
        let all = spec.feedColumns
        columns = all.map { ($0.feeder, $0.column) }
        self.names = names.map { name in all.firstIndex { $0.name == name } }
    }

    var isEmpty: Bool { feeders.isEmpty }

    private func row(_ feeder: Int, _ session: UInt32) -> Int {
        feeders[feeder].spec.row(ofSession: session, seed: feeders[feeder].seed)
    }

    func isNull(column: Int, session: UInt32) -> Bool {
        let (feeder, own) = columns[column]
        return feeders[feeder].spec.rows.isNull(row: row(feeder, session), column: own)
    }

    func append(column: Int, session: UInt32, _ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        let (feeder, own) = columns[column]
        feeders[feeder].spec.rows.append(row: row(feeder, session), column: own, encoding, into: buffer)
    }

    /// By the place of a name in `Profile.feeds`.
    func isNull(name: Int, session: UInt32) -> Bool { names[name].map { isNull(column: $0, session: session) } ?? true }

    func append(name: Int, session: UInt32, _ encoding: TemplateEncoding, into buffer: ByteBuffer) {
        if let column = names[name] { append(column: column, session: session, encoding, into: buffer) }
    }

    /// Of all that the session's rows say.
    func fingerprint(session: UInt32) -> UInt64 {
        feeders.indices.reduce(0) { folded, feeder in
            Seed(folded ^ feeders[feeder].spec.rows.hash.low).child(UInt64(row(feeder, session))).value
        }
    }
}

extension Plan {
    /// Throws where sessions are more than the rows of a feeder that gives each row once.
    package func checkRows() throws(Failure) {
        for feeder in scenario.workload.feeders where feeder.take == .once {
            let (rows, sessions) = (feeder.rows.count, workload.arrivals.count)
            guard rows < sessions else { continue }
            throw Failure(
                .usage,
                "`\(feeder.file)` has \(rows) row\(rows == 1 ? "" : "s") to be taken once, and \(sessions) sessions begin",
                hint: "add rows, write `maxSessions: \(rows)`, or `take: in-order`", place: feeder.place)
        }
    }
}

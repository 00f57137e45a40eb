// What a run on several machines puts on record beside what every run does: which part of which run it is, how its clock
// stands to the mock's, and, when the parts have been put together, of what.

package import Basics

/// One shard of a run, as its plan note names it.
package struct PartNote: Hashable, Sendable {
    /// The same in all shards of a run; empty: nobody named it.
    package var runID: String
    /// 0 for the first; a shard that is tried again voids the run.
    package var attempt: Int
    /// Digest of the plan in one piece, the same in all shards.
    package var whole: String
    /// Where the mocks are that all shards share; empty: each shard has one of its own.
    package var mocks: [String]

    package init(runID: String, attempt: Int, whole: String, mocks: [String] = []) {
        self.runID = runID
        self.attempt = attempt
        self.whole = whole
        self.mocks = mocks
    }
}

/// One measurement of two clocks: of several requests the one with the least round trip. The true offset lies within
/// `bar` of `offset`, as the mock read its clock some time between the request and its answer.
package struct ClockOffsetNote: Hashable, Sendable {
    /// Where the mock is, and what tells its journal from all others: `JournalWriter.identity`.
    package var mock: String
    package var journal: String
    /// How far the mock's clock is ahead of ours.
    package var offset: Interval
    /// Half of the least round trip.
    package var bar: Interval

    package init(mock: String, journal: String, offset: Interval, bar: Interval) {
        self.mock = mock
        self.journal = journal
        self.offset = offset
        self.bar = bar
    }
}

/// What a merged run is made of.
package struct MergedNote: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        package var index: Int
        /// Its folder as it was given.
        package var folder: String
        /// How far the clock of the merged run is ahead of the shard's, within `bar`.
        package var offset: Interval
        package var bar: Interval

        package init(index: Int, folder: String, offset: Interval, bar: Interval) {
            self.index = index
            self.folder = folder
            self.offset = offset
            self.bar = bar
        }
    }

    package var runID: String
    /// Into so many parts the plan was dealt.
    package var count: Int
    /// Those whose journals were taken.
    package var parts: [Part]
    /// Shards of which nothing was taken, rising; what their users were owed is not judged.
    package var missing: [Int]
    /// Why the run proves nothing, a line each; empty: it is whole.
    package var voids: [String]
    /// Relays that were under test side by side: one of each shard, or the one that all share.
    package var relays: Int

    package init(runID: String, count: Int, parts: [Part], missing: [Int], voids: [String], relays: Int = 1) {
        self.runID = runID
        self.count = count
        self.parts = parts
        self.missing = missing
        self.voids = voids
        self.relays = relays
    }

    /// How far two instants of different machines may be from what they seem to be to each other.
    package var bar: Interval { parts.map(\.bar).max() ?? .zero }
}

// MARK: - JSON

extension PartNote {
    var json: JSONValue {
        [
            "runID": .string(runID), "attempt": .integer(Int64(attempt)), "whole": .string(whole), "mocks": .strings(mocks),
        ]
    }

    init(_ note: JSONReading) throws(Failure) {
        self.init(
            runID: try note["runID"].text(), attempt: try note["attempt"].integer(), whole: try note["whole"].text(),
            mocks: try note["mocks"].texts())
    }
}

extension ClockOffsetNote {
    var json: JSONValue {
        [
            "mock": .string(mock), "journal": .string(journal), "offsetNanoseconds": .integer(offset.nanoseconds),
            "barNanoseconds": .integer(bar.nanoseconds),
        ]
    }

    init(_ note: JSONReading) throws(Failure) {
        self.init(
            mock: try note["mock"].text(), journal: try note["journal"].text(),
            offset: try note["offsetNanoseconds"].interval(), bar: try note["barNanoseconds"].interval())
    }
}

extension MergedNote {
    var json: JSONValue {
        [
            "runID": .string(runID), "count": .integer(Int64(count)),
            "parts": .array(
                parts.map { part in
                    [
                        "index": .integer(Int64(part.index)), "folder": .string(part.folder),
                        "offsetNanoseconds": .integer(part.offset.nanoseconds),
                        "barNanoseconds": .integer(part.bar.nanoseconds),
                    ]
                }),
            "missing": .array(missing.map { .integer(Int64($0)) }), "voids": .strings(voids), "relays": .integer(Int64(relays)),
        ]
    }

    init(_ note: JSONReading) throws(Failure) {
        var parts: [Part] = []
        for part in try note["parts"].list() {
            parts.append(
                Part(
                    index: try part["index"].integer(), folder: try part["folder"].text(),
                    offset: try part["offsetNanoseconds"].interval(), bar: try part["barNanoseconds"].interval()))
        }
        let count: Int = try note["count"].integer()
        let missing: [Int] = try note["missing"].integers()
        guard PlanNote.shardCounts.contains(count), missing.allSatisfy((0..<count).contains) else {
            throw try note["missing"].wrong("is no list of shards")
        }
        self.init(
            runID: try note["runID"].text(), count: count, parts: parts, missing: missing, voids: try note["voids"].texts(),
            relays: max(1, try note["relays"].integer()))
    }
}

// Merges the records of several files by wall time. A file is opened once the others have come to its beginning, and
// files that have ended are closed but for the last few, so a directory of a hundred runs costs no more than one run.

import Basics

struct Merge {
    struct Head {
        var segment: Segment
        var record: Segment.Record
        var wall: Int64
    }

    private static let maxEndedOpen = 8

    /// What has been passed.
    private(set) var cursor: JournalCursor
    /// Where files had no more whole record.
    private(set) var ends: [(segment: Segment, offset: Int)] = []
    /// Latest beginning first.
    private var waiting: [Segment]
    private var heads: [Head] = []
    /// The file whose record was passed last; it is read on only when the visitor has done with that record.
    private var passed: Segment?

    /// `segments` are sorted by the wall time at which they were begun.
    init(_ segments: [Segment], _ cursor: JournalCursor) {
        self.cursor = cursor
        waiting = segments.reversed()
    }

    /// Takes the earliest record that is left; its bytes are valid until the next call. It counts once it is passed.
    mutating func next() throws(Failure) -> Head? {
        if let segment = passed {
            passed = nil
            try advance(segment)
        }
        while let segment = waiting.last {
            if let earliest = earliest(), heads[earliest].wall < segment.beginning { break }
            waiting.removeLast()
            let offset = max(cursor[segment.name] ?? 0, segment.headerLength)
            cursor[segment.name] = offset
            if segment.size() > offset { try advance(segment) }
        }
        return earliest().map { heads.remove(at: $0) }
    }

    /// Counts the record as read.
    mutating func pass(_ head: Head) {
        cursor[head.segment.name] = head.record.end
        passed = head.segment
    }

    /// Ends the file before this record.
    mutating func end(before head: Head) { end(head.segment, at: head.record.offset) }

    private mutating func advance(_ segment: Segment) throws(Failure) {
        var offset = cursor[segment.name] ?? segment.headerLength
        if let record = try segment.entry(from: &offset) {
            heads.append(Head(segment: segment, record: record, wall: record.instant &+ segment.clockOffset))
        } else {
            end(segment, at: offset)
        }
    }

    private mutating func end(_ segment: Segment, at offset: Int) {
        ends.append((segment, offset))
        if ends.count > Self.maxEndedOpen { ends[ends.count - 1 - Self.maxEndedOpen].segment.close() }
    }

    private func earliest() -> Int? {
        heads.indices.min { (heads[$0].wall, heads[$0].segment.name) < (heads[$1].wall, heads[$1].segment.name) }
    }
}

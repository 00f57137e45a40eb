// Merges the records of several files by wall time. A file is opened once the others have come to its beginning, and
// files that have ended are closed but for the last few, so a directory of a hundred runs costs no more than one run.

import Basics

struct Merge {
    struct Head {
        /// The merge holds it; a head that counted it would cost more than all else here.
        unowned(unsafe) var segment: Segment
        var record: Segment.Record
        var wall: Int64
    }

    private static let maxEndedOpen = 8

    /// Where it began, and the files it has opened since.
    private let start: JournalCursor
    private var opened: [Segment] = []
    /// Where files had no more whole record.
    private(set) var ends: [(segment: Segment, offset: Int)] = []
    /// Latest beginning first.
    private var waiting: [Segment]
    private var heads: [Head] = []
    /// The file whose record was passed last; it is read on only when the visitor has done with that record.
    private var passed: Segment?

    /// `segments` are sorted by the wall time at which they were begun.
    init(_ segments: [Segment], _ cursor: JournalCursor) {
        start = cursor
        waiting = segments.reversed()
    }

    /// What has been passed.
    var cursor: JournalCursor {
        var cursor = start
        for segment in opened { cursor[segment.name] = segment.position }
        return cursor
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
            segment.position = max(start[segment.name] ?? 0, segment.headerLength)
            opened.append(segment)
            if segment.size() > segment.position { try advance(segment) }
        }
        return earliest().map { heads.remove(at: $0) }
    }

    /// Counts the record as read.
    mutating func pass(_ head: Head) {
        head.segment.position = head.record.end
        passed = head.segment
    }

    /// Ends the file before this record.
    mutating func end(before head: Head) { end(head.segment, at: head.record.offset) }

    private mutating func advance(_ segment: Segment) throws(Failure) {
        var offset = segment.position
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
        var first: Int?
        for index in heads.indices {
            guard let earlier = first else {
                first = index
                continue
            }
            let (wall, other) = (heads[index].wall, heads[earlier].wall)
            if wall < other || wall == other && heads[index].segment.name < heads[earlier].segment.name { first = index }
        }
        return first
    }
}

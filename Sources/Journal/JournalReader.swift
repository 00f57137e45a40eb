// The reading end of a journal: all files of a directory as one history, ordered by instant. It may be written to
// meanwhile, by this process or another, and its writers may have been killed.

package import Basics
import OperatingSystem
package import Pushes

/// Where a file ended before its last byte: a torn or damaged record, or one that is just being written.
package struct JournalCut: Hashable, Sendable {
    /// The file's name without `.journal`.
    package var file: String
    package var offset: Int
    /// What is ignored.
    package var byteCount: Int
}

/// How much of a request is read. Reading all of one costs ten times as much as passing over it.
package enum RequestDetail: Sendable {
    case whole
    /// Without its payload, and of its fields only what tells the token and the push type.
    case outline
    case none
}

/// Reads a journal's directory; keep it for reading on from a cursor. Confined to one thread. Memory: 256 KB for each
/// file that is being read, and what the visitor keeps.
package final class JournalReader {
    /// Files that stay open between calls, for those who wait for more.
    private static let maxIdleOpen = 8

    private let directory: String
    private(set) var segments: [Segment] = []
    private var known: Set<String> = []
    /// One clock is one boot and one offset: its instants can be compared directly.
    private var clocks: [(boot: UUIDBytes, offset: Int64)] = []

    /// Where files ended before their last byte, as the latest `forEach` found.
    package private(set) var cuts: [JournalCut] = []
    /// Names of files that call themselves journals and are none.
    package private(set) var foreign: [String] = []

    /// Whether all files were written by one process, and none is there twice.
    package var isOfOneWriter: Bool {
        let headers = segments.map(\.header)
        guard let first = headers.first else { return true }
        return headers.allSatisfy { $0.process == first.process && $0.boot == first.boot }
            && Set(headers.map(\.tag)).count == headers.count
    }

    /// What tells the files apart from all others: see `JournalWriter.identity`.
    package var identities: Set<String> { Set(segments.map(\.header.identity)) }

    /// Whether there is a directory of that name with at least one journal in it.
    package static func isJournal(_ directory: String) -> Bool {
        guard let names = try? Directory.journals(in: directory) else { return false }
        return !names.isEmpty
    }

    /// Fails when the directory cannot be read, or holds a journal of another version.
    package init(directory: String) throws(Failure) {
        self.directory = directory
        try findFiles()
    }

    /// Visits the entries after the cursor (nil: all), ordered by instant as far as they are known by now; false from
    /// the visitor stops, and the entry just visited counts as seen. Gives the cursor to go on from. Entries of several
    /// boots or machines are ordered by wall time. A push's instant is its arrival, an event's its latest.
    package func forEach(
        since cursor: JournalCursor?, _ visit: (JournalEntry) -> Bool
    ) throws(Failure) -> JournalCursor {
        try forEach(since: cursor, reading: { _ in .whole }, visit)
    }

    /// The same, of each request as much as `detail` wants of the one with that marker.
    package func forEach(
        since cursor: JournalCursor?, reading detail: (Marker?) -> RequestDetail, _ visit: (JournalEntry) -> Bool
    ) throws(Failure) -> JournalCursor {
        try findFiles()
        var merge = Merge(segments, cursor ?? JournalCursor())
        while let head = try merge.next() {
            let decoder = EntryDecoder(segment: head.segment, record: head.record)
            let wanted = decoder.marker.map(detail) ?? .whole
            if wanted == .none {
                merge.pass(head)
                continue
            }
            guard let entry = try decoder.entry(wanted) else {
                merge.end(before: head)
                continue
            }
            merge.pass(head)
            if !visit(entry) { break }
        }
        cuts = merge.ends.compactMap { segment, offset in
            let left = segment.size() - offset
            return left > 0 ? JournalCut(file: segment.name, offset: offset, byteCount: left) : nil
        }
        for segment in segments.filter(\.isOpen).dropLast(Self.maxIdleOpen) { segment.close() }
        return merge.cursor
    }

    /// Reads on from the cursor without looking into requests, which are only counted: what is to be passed over costs a
    /// tenth of what is read. Notes are visited. Stops behind `limit` records, or at the end.
    package func skim(
        since cursor: JournalCursor, limit: Int, _ visit: (NoteEntry) -> Void
    ) throws(Failure) -> Skimmed {
        try findFiles()
        var merge = Merge(segments, cursor)
        var skimmed = Skimmed(cursor: cursor)
        var records = 0
        while records < limit, let head = try merge.next() {
            records += 1
            if head.record.kind == .push {
                skimmed.requests += 1
            } else {
                guard let entry = try EntryDecoder(segment: head.segment, record: head.record).entry() else {
                    merge.end(before: head)
                    continue
                }
                if case .note(let note) = entry { visit(note) }
            }
            merge.pass(head)
        }
        skimmed.isAtEnd = records < limit
        skimmed.cursor = merge.cursor
        return skimmed
    }

    package struct Skimmed {
        package var cursor: JournalCursor
        /// Requests that were passed over.
        package var requests = 0
        package var isAtEnd = false
    }

    /// A cursor a little before `end`: at most `bytes` back in each file, at most `total` in all of them, those begun last
    /// first, and never before `begin`. Nothing in between is read, so it costs the same however long the journal is.
    package func cursor(
        before end: JournalCursor, bytes: Int, total: Int, notBefore begin: JournalCursor?
    ) throws(Failure) -> JournalCursor {
        try findFiles()
        var cursor = end
        var left = total
        for segment in segments.reversed() {
            guard let last = end[segment.name] else { continue }
            let first = max(begin?[segment.name] ?? 0, segment.headerLength)
            let wanted = max(first, last - min(bytes, left))
            guard wanted < last else { continue }
            left -= last - wanted
            cursor[segment.name] = wanted == first ? first : try segment.boundary(from: wanted, before: last)
            if !segments.suffix(Self.maxIdleOpen).contains(where: { $0 === segment }) { segment.close() }
        }
        return cursor
    }

    /// Takes in the files that have appeared, and forgets those that have gone.
    func findFiles() throws(Failure) {
        let names = Set(try Directory.journals(in: directory))
        segments.removeAll { !names.contains($0.name) }
        known.formIntersection(names)
        var found: [Segment] = []
        for name in names.subtracting(known) {
            if let segment = try openSegment(name) { found.append(segment) }
        }
        guard !found.isEmpty else { return }
        found.sort { ($0.header.wall, $0.name) < ($1.header.wall, $1.name) }
        for segment in found { segment.clockOffset = clockOffset(of: segment.header) }
        segments += found
        segments.sort { ($0.beginning, $0.name) < ($1.beginning, $1.name) }
    }

    /// Nil for a file that has no header yet, or is none of ours.
    private func openSegment(_ name: String) throws(Failure) -> Segment? {
        let path = Directory.path(directory, name)
        let bytes = try Self.start(of: path)
        switch bytes.withUnsafeBytes({ FileHeader.decode($0) }) {
        case .success(let decoded):
            known.insert(name)
            return Segment(name: name, path: path, header: decoded.header, headerLength: decoded.length)
        case .failure(.short):
            return nil
        case .failure(.version(let version)):
            throw Failure(
                .usage, "the journal \(path) has format version \(version); this pushrig reads \(Format.version)",
                hint: "use the pushrig that wrote it, or another directory")
        case .failure(.foreign), .failure(.damaged):
            known.insert(name)
            foreign.append(name)
            return nil
        }
    }

    private static func start(of path: String) throws(Failure) -> [UInt8] {
        do { return try FileSystem.start(of: path, count: Format.maxHeaderLength) } catch {
            if error.isAbsent { return [] }
            throw Window.cannotRead(path, error)
        }
    }

    /// Files of one boot whose clocks agree within a second share the first one's offset, so that a wall clock that was
    /// set in between does not disturb the order of their instants.
    private func clockOffset(of header: FileHeader) -> Int64 {
        let own = header.clockOffset
        let near = clocks.first { clock in
            let (difference, overflow) = clock.offset.subtractingReportingOverflow(own)
            return clock.boot == header.boot && !overflow && difference.magnitude < 1_000_000_000
        }
        if let near { return near.offset }
        clocks.append((header.boot, own))
        return own
    }
}

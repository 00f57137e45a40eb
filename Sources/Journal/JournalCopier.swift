// All files of one journal into one file of another: on another clock, with the numbers of connections and fault rules moved
// out of the way of other journals that go there too. Records are copied as they stand; what they refer to by its place
// (bodies, credentials, ids of pushes) is found again.

package import Basics
package import Pushes

/// What becomes of a journal on its way into another.
package struct CopyTerms {
    /// Added to every wall time: how far the other clock is ahead.
    package var ahead = Interval.zero
    /// Wall times on the other clock; requests and events beside it are left out, and notes before it are told at its
    /// beginning. Nil: all is copied.
    package var window: ClosedRange<WallTime>?
    /// Added to the numbers of connections, and to those of fault rules.
    package var connections: UInt64 = 0
    package var rules: UInt32 = 0
    /// Whether the note is copied.
    package var keeps: (NoteEntry) -> Bool = { _ in true }
    /// Whether a request with that marker is.
    package var keepsMarked: (Marker) -> Bool = { _ in true }

    package init() {}
}

/// What a copy found.
package struct CopyTally: Hashable, Sendable {
    /// Requests that are pushes, and those that are not.
    package var pushes = 0
    package var others = 0
    package var events = 0
    package var notes = 0
    /// Requests and events beside the window, or of markers that are not kept.
    package var leftOut = 0
    /// Files that end before their last byte.
    package var cuts = 0
    /// The first and the last wall time of what was copied, on the other clock; nil: nothing was.
    package var span: ClosedRange<WallTime>?

    package init() {}
}

extension JournalReader {
    /// Copies all entries into `writer`, in the order of their time. Throws when a file cannot be read; the writer tells
    /// itself when it cannot write.
    package func copy(into writer: JournalWriter, _ terms: CopyTerms) throws(Failure) -> CopyTally {
        try findFiles()
        let copier = JournalCopier(writer, terms)
        var merge = Merge(segments, JournalCursor())
        while let head = try merge.next() {
            guard try copier.copy(head.record, of: head.segment) else {
                merge.end(before: head)
                continue
            }
            merge.pass(head)
        }
        copier.tally.cuts = merge.ends.count { segment, offset in segment.size() > offset }
        for segment in segments where segment.isOpen { segment.close() }
        return copier.tally
    }
}

private final class JournalCopier {
    private let writer: JournalWriter
    private let terms: CopyTerms
    var tally = CopyTally()
    /// Where pushes stood and stand, by the tag of their file, rising: ids without the tag.
    private var places: [UInt16: [(old: UInt64, new: UInt64)]] = [:]
    private var room = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 16)
    private var capacity = 4_096

    init(_ writer: JournalWriter, _ terms: CopyTerms) {
        self.writer = writer
        self.terms = terms
    }

    deinit { room.deallocate() }

    /// False for a record that is none of ours.
    func copy(_ record: Segment.Record, of segment: Segment) throws(Failure) -> Bool {
        // From the file's instants to the writer's.
        let shift = segment.clockOffset &+ terms.ahead.nanoseconds &- writer.header.clockOffset
        let entry = EntryDecoder(segment: segment, record: record)
        if record.kind == .note {
            guard case .note(let note)? = try entry.entry() else { return false }
            copy(note, shift)
            return true
        }
        let wall = WallTime(nanoseconds: record.instant &+ shift &+ writer.header.clockOffset)
        let isKept = (entry.marker ?? nil).map(terms.keepsMarked) ?? true
        guard isKept, terms.window?.contains(wall) ?? true else {
            tally.leftOut += 1
            return true
        }
        let isPush = record.kind == .push
        guard try isPush ? copyPush(record, segment, shift) : copyEvent(record, segment, shift) else { return false }
        stretch(to: wall)
        return true
    }

    private func stretch(to wall: WallTime) {
        tally.span = tally.span.map { min($0.lowerBound, wall)...max($0.upperBound, wall) } ?? wall...wall
    }

    /// What stands in the file may move when more of it is read.
    private func hold(_ record: Segment.Record) -> UnsafeMutableRawPointer {
        if record.length > capacity {
            room.deallocate()
            capacity = record.length
            room = .allocate(byteCount: capacity, alignment: 16)
        }
        room.copyMemory(from: record.bytes, byteCount: record.length)
        return room
    }

    // MARK: Requests

    private func copyPush(_ record: Segment.Record, _ segment: Segment, _ shift: Int64) throws(Failure) -> Bool {
        guard record.length >= Format.pushLength else { return false }
        let held = hold(record)
        let bytes = UnsafeRawPointer(held)
        let body = bytes.value(80, as: UInt64.self)
        if body != 0 {
            let length = Int(bytes.value(88, as: UInt32.self))
            guard let place = try store(body, length, before: record, segment) else { return false }
            held.put(UInt64(place), at: 80)
        }
        guard try moveCredentials(held, record, segment) else { return false }
        held.put(bytes.value(24, as: UInt64.self) &+ terms.connections, at: 24)
        let rule = bytes.value(56, as: UInt32.self)
        if rule != 0 { held.put(rule &+ terms.rules, at: 56) }
        let isPush = bytes.value(36, as: UInt8.self) >> 4 == RequestKind.push.rawValue
        let offset = append(held, .push, record, shift)
        places[segment.header.tag, default: []].append((UInt64(record.offset) >> 3, UInt64(offset) >> 3))
        if isPush { tally.pushes += 1 } else { tally.others += 1 }
        return true
    }

    /// Values that stand in the file once are stored in the other once.
    private func moveCredentials(
        _ held: UnsafeMutableRawPointer, _ record: Segment.Record, _ segment: Segment
    ) throws(Failure) -> Bool {
        let bytes = UnsafeRawPointer(held)
        let flags = bytes.value(13, as: UInt8.self)
        var offset = Format.pushLength + (flags & Format.stampFlag != 0 ? Format.stampLength : 0)
            + (flags & Format.markerFlag != 0 ? Format.markerLength : 0) + Int(bytes.value(60, as: UInt8.self))
        for _ in 0..<bytes.value(14, as: UInt16.self) {
            guard offset + 4 <= record.length else { return false }
            let word = bytes.value(offset, as: UInt16.self)
            let valueLength = Int(bytes.value(offset + 2, as: UInt16.self))
            let isBlob = word & Format.blobBit != 0
            offset += 4 + Int(word & ~Format.blobBit)
            if isBlob {
                guard offset + 8 <= record.length else { return false }
                let blob = bytes.value(offset, as: UInt64.self)
                guard let place = try store(blob, valueLength, before: record, segment, isBody: false) else { return false }
                held.put(UInt64(place), at: offset)
            }
            offset += isBlob ? 8 : valueLength
        }
        return offset <= record.length
    }

    /// Where the blob stands in the other file; nil: it is not in this one.
    private func store(
        _ blob: UInt64, _ length: Int, before record: Segment.Record, _ segment: Segment,
        isBody: Bool = true
    ) throws(Failure) -> Int? {
        guard blob < UInt64(record.offset),
            let content = try segment.blob(at: Int(blob), length: length, before: record.offset)
        else { return nil }
        return content.withUnsafeBytes { bytes in
            isBody ? writer.records.store(bytes, in: writer.bodies) : writer.records.store(bytes, in: writer.credentials)
        }
    }

    // MARK: Events and notes

    private func copyEvent(_ record: Segment.Record, _ segment: Segment, _ shift: Int64) throws(Failure) -> Bool {
        guard record.length == Format.eventLength else { return false }
        let held = hold(record)
        let bytes = UnsafeRawPointer(held)
        let answer = bytes.value(72, as: UInt64.self)
        if answer != 0 {
            let length = Int(bytes.value(38, as: UInt16.self))
            guard let place = try store(answer, length, before: record, segment) else { return false }
            held.put(UInt64(place), at: 72)
        }
        // Sent and answered at 0: it never was.
        for place in [40, 48, 56] {
            let instant = bytes.value(place, as: Int64.self)
            if place == 40 || instant != 0 { held.put(instant &+ shift, at: place) }
        }
        _ = append(held, .event, record, shift)
        tally.events += 1
        return true
    }

    /// Gives the record's offset in the other file.
    private func append(_ held: UnsafeRawPointer, _ kind: RecordKind, _ record: Segment.Record, _ shift: Int64) -> Int {
        let target = writer.records.begin(room: record.length)
        target.copyMemory(from: held, byteCount: record.length)
        return writer.records.end(kind, length: record.length, instant: Instant(nanoseconds: record.instant &+ shift))
    }

    private func copy(_ note: NoteEntry, _ shift: Int64) {
        guard terms.keeps(note) else { return }
        var at = note.at.nanoseconds &+ shift
        var wall = WallTime(nanoseconds: at &+ writer.header.clockOffset)
        if let window = terms.window {
            // What holds since before, such as a connection that is open, holds from the beginning.
            guard wall <= window.upperBound else { return }
            if wall < window.lowerBound {
                guard NoteKind.lasting.contains(note.kind) else { return }
                at = window.lowerBound.nanoseconds &- writer.header.clockOffset
                wall = window.lowerBound
            }
        }
        writer.append(note: note.kind, text: moved(note, shift), at: Instant(nanoseconds: at))
        tally.notes += 1
        stretch(to: wall)
    }

    /// The note's text with its numbers as they are in the other journal.
    private func moved(_ note: NoteEntry, _ shift: Int64) -> String {
        guard NoteKind.moving.contains(note.kind), var object = (try? JSONValue(parsing: note.text))?.object else {
            return note.text
        }
        func add(_ number: Int64, to name: String) {
            if let value = object[name]?.int, value != 0 { object[name] = .integer(value &+ number) }
        }
        add(Int64(terms.connections), to: "connection")
        add(Int64(terms.rules), to: note.kind == .rule ? "number" : "rule")
        if note.kind == .reaction { add(shift, to: "plannedNanoseconds") }
        if note.kind == .state { add(shift, to: "beganNanoseconds") }
        if let push = object["push"]?.int { object["push"] = .integer(Int64(moved(push: UInt64(clamping: push)))) }
        return JSONValue.object(object).text
    }

    /// The id of a push in the other journal; 0: it was not copied.
    private func moved(push id: UInt64) -> UInt64 {
        let place = id & (1 << 40 - 1)
        guard let known = places[UInt16(truncatingIfNeeded: id >> 40)] else { return 0 }
        var (low, high) = (0, known.count)
        while low < high {
            let middle = (low + high) / 2
            if known[middle].old < place { low = middle + 1 } else { high = middle }
        }
        guard low < known.count, known[low].old == place else { return 0 }
        return UInt64(writer.header.tag) << 40 | known[low].new
    }
}

extension NoteKind {
    /// They speak of connections, rules, pushes or instants by number.
    fileprivate static let moving: Set<NoteKind> = [
        .fault, .faultGiven, .rule, .connectionOpened, .connectionClosed, .overrun, .unread, .accessToken, .topic,
        .broadcast, .outcome, .undelivered, .phone, .reaction, .state,
    ]
    /// They tell what still holds later.
    fileprivate static let lasting: Set<NoteKind> = [.connectionOpened, .connectionClosed, .rule, .server, .kinds]
}

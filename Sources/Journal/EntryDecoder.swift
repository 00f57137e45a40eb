// Turns one checked record into an entry. A right checksum does not make the content right, so every length is
// checked again: nil means that this is no record of ours.

import Basics
import Pushes

struct EntryDecoder {
    let segment: Segment
    let record: Segment.Record

    /// The marker of a request, nil in it: without one. Nil: it is no request, or too short for one.
    var marker: Marker?? {
        guard record.kind == .push, record.length >= Format.pushLength else { return .none }
        return .some(heldMarker)
    }

    func entry(_ detail: RequestDetail = .whole) throws(Failure) -> JournalEntry? {
        switch record.kind {
        case .push: try push(detail).map { $0.kind == .push ? .push($0) : .broadcast($0) }
        case .event: try event().map { .event($0) }
        case .note: note().map { .note($0) }
        case .blob: nil
        }
    }

    private var id: UInt64 { Format.id(tag: segment.header.tag, offset: record.offset) }
    private var count: UInt16 { record.bytes.value(14, as: UInt16.self) }

    private func instant(at offset: Int) -> Instant { Instant(nanoseconds: record.bytes.value(offset, as: Int64.self)) }

    private func wall(_ instant: Instant) -> WallTime {
        WallTime(nanoseconds: instant.nanoseconds &+ segment.clockOffset)
    }

    private func text(_ offset: Int, _ length: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: record.bytes + offset, count: length), as: UTF8.self)
    }

    private func event() throws(Failure) -> EventEntry? {
        guard record.length == Format.eventLength, let answer = try answer() else { return nil }
        let bytes = record.bytes
        return EventEntry(
            id: id, session: bytes.value(24, as: UInt32.self), step: bytes.value(28, as: UInt32.self),
            kind: bytes.value(32, as: UInt16.self), plannedAt: instant(at: 40), sentAt: instant(at: 48),
            answeredAt: instant(at: 56), status: bytes.value(34, as: UInt16.self),
            failure: bytes.value(36, as: UInt8.self),
            lateness: Interval(nanoseconds: bytes.value(64, as: Int64.self)),
            attempts: bytes.value(37, as: UInt8.self), answer: answer, plannedWall: wall(instant(at: 40)))
    }

    private func answer() throws(Failure) -> [UInt8]? {
        try content(
            blob: record.bytes.value(72, as: UInt64.self), length: Int(record.bytes.value(38, as: UInt16.self)))
    }

    private func note() -> NoteEntry? {
        guard record.length >= Format.noteLength else { return nil }
        let length = Int(record.bytes.value(24, as: UInt32.self))
        guard Format.noteLength + length <= record.length else { return nil }
        return NoteEntry(
            id: id, kind: NoteKind(rawValue: UInt8(truncatingIfNeeded: count)) ?? .other,
            text: text(Format.noteLength, length), at: instant(at: 16), wall: wall(instant(at: 16)))
    }

    private var flags: UInt8 { record.bytes.value(13, as: UInt8.self) }
    private var markerStart: Int { Format.pushLength + (flags & Format.stampFlag != 0 ? Format.stampLength : 0) }

    private var heldMarker: Marker? {
        let (bytes, start) = (record.bytes, markerStart)
        guard flags & Format.markerFlag != 0, start + Format.markerLength <= record.length else { return nil }
        return Marker(
            run: bytes.value(start, as: UInt32.self), session: bytes.value(start + 4, as: UInt32.self),
            step: bytes.value(start + 8, as: UInt32.self))
    }

    private func push(_ detail: RequestDetail) throws(Failure) -> PushEntry? {
        guard record.length >= Format.pushLength else { return nil }
        let bytes = record.bytes
        let reasonLength = Int(bytes.value(60, as: UInt8.self))
        let reasonStart = markerStart + (flags & Format.markerFlag != 0 ? Format.markerLength : 0)
        let fieldStart = reasonStart + reasonLength
        guard fieldStart <= record.length, let words = PushWords(bytes),
            let (headers, fieldEnd) = try headers(from: fieldStart, isOutline: detail == .outline),
            let payload = try detail == .outline ? [] : payload()
        else { return nil }
        var entry = PushEntry(id: id, arrivedAt: instant(at: 16), arrivedWall: wall(instant(at: 16)), token: "")
        entry.connection = bytes.value(24, as: UInt64.self)
        entry.stream = bytes.value(32, as: Int32.self)
        entry.provider = words.provider
        entry.kind = words.kind
        entry.environment = words.environment
        entry.outcome = words.outcome
        entry.event = words.event
        entry.hasUnknownEvent = words.hasUnknownEvent
        entry.status = bytes.value(38, as: UInt16.self)
        entry.timestampMilliseconds = bytes.value(40, as: Int64.self)
        entry.delay = Interval(nanoseconds: bytes.value(48, as: Int64.self))
        entry.faultRule = bytes.value(56, as: UInt32.self)
        entry.faultAction = bytes.value(62, as: UInt8.self)
        entry.apnsID = UUIDBytes(high: bytes.value(64, as: UInt64.self), low: bytes.value(72, as: UInt64.self))
        entry.warnings = bytes.value(92, as: UInt32.self)
        if flags & Format.causeFlag != 0, fieldEnd < record.length {
            entry.credentialCause = CredentialCause(rawValue: bytes.value(fieldEnd, as: UInt8.self))
        }
        entry.isCut = flags & Format.cutFlag != 0
        if flags & Format.stampFlag != 0 { entry.stamp = bytes.value(Format.pushLength, as: Int64.self) }
        entry.marker = heldMarker
        if reasonLength > 0 { entry.reason = text(reasonStart, reasonLength) }
        entry.headers = headers
        entry.payload = payload
        Self.fillFromHeaders(&entry)
        if detail == .outline { entry.headers = [] }
        return entry
    }

    private func payload() throws(Failure) -> [UInt8]? {
        try content(
            blob: record.bytes.value(80, as: UInt64.self), length: Int(record.bytes.value(88, as: UInt32.self)))
    }

    /// What the blob at that offset of the file holds; nothing for offset 0.
    private func content(blob offset: UInt64, length: Int) throws(Failure) -> [UInt8]? {
        if offset == 0 { return length == 0 ? [] : nil }
        guard offset < UInt64(record.offset) else { return nil }
        return try segment.blob(at: Int(offset), length: length, before: record.offset)
    }

    /// `isOutline`: only those of which `fillFromHeaders` makes the token and the push type, as far as they stand here.
    private func headers(
        from start: Int, isOutline: Bool
    ) throws(Failure) -> (fields: [(name: String, value: String)], end: Int)? {
        var headers: [(name: String, value: String)] = []
        // A field takes four bytes at least, so a made-up count asks for no more than the record could hold.
        headers.reserveCapacity(isOutline ? 2 : min(Int(count), record.length / 4))
        var offset = start
        for _ in 0..<count {
            guard offset + 4 <= record.length else { return nil }
            let nameWord = record.bytes.value(offset, as: UInt16.self)
            let nameLength = Int(nameWord & ~Format.blobBit)
            let valueLength = Int(record.bytes.value(offset + 2, as: UInt16.self))
            let isBlob = nameWord & Format.blobBit != 0
            let end = offset + 4 + nameLength + (isBlob ? 8 : valueLength)
            guard end <= record.length else { return nil }
            // By their lengths, 5, 7 and 14: `:path`, `:target` and `apns-push-type`.
            if isOutline, isBlob || nameLength != 5 && nameLength != 7 && nameLength != 14 {
                offset = end
                continue
            }
            let name = text(offset + 4, nameLength)
            let valueStart = offset + 4 + nameLength
            if isBlob {
                let blob = record.bytes.value(valueStart, as: UInt64.self)
                guard blob < UInt64(record.offset),
                    let value = try segment.credential(at: Int(blob), length: valueLength, before: record.offset)
                else { return nil }
                headers.append((name, value))
            } else {
                headers.append((name, text(valueStart, valueLength)))
            }
            offset = end
        }
        return (headers, offset)
    }

    private static func fillFromHeaders(_ entry: inout PushEntry) {
        var target: String?
        for (name, value) in entry.headers {
            switch name.utf8.count {
            case 5 where name == ":path":
                entry.token = lastPart(of: value)
            // No field of HTTP: what a provider with its targets in the body puts on record beside the head.
            case 7 where name == ":target": target = value
            case 10 where name == "apns-topic" && entry.topic == nil: entry.topic = value
            case 14 where name == "apns-push-type" && entry.pushType == nil: entry.pushType = value
            case 13 where name == "apns-priority" && entry.priority == nil: entry.priority = value
            default: break
            }
        }
        guard let target else { return }
        entry.token = target
        entry.headers.removeAll { $0.name == ":target" }
    }
}

/// What follows the last slash. By bytes: looking for it by characters costs more than all the rest of the entry.
private func lastPart(of path: String) -> String {
    withBytes(of: path) { bytes in
        let start = bytes.withUnsafeBufferPointer { all in
            var start = all.count
            while start > 0, all[start - 1] != UInt8(ascii: "/") { start -= 1 }
            return start
        }
        return bytes.extracting(start..<bytes.count).text
    }
}

/// The bytes of a push record that stand for words.
private struct PushWords {
    let provider: Provider
    let kind: RequestKind
    let environment: PushEnvironment
    let outcome: Outcome?
    let event: ActivityEvent?
    let hasUnknownEvent: Bool

    /// Nil when one of them is a number that this version does not have.
    init?(_ record: UnsafeRawPointer) {
        let service = record.value(36, as: UInt8.self)
        let outcome = record.value(61, as: UInt8.self)
        let event = record.value(63, as: UInt8.self)
        guard let provider = Provider(rawValue: service & 15), let kind = RequestKind(rawValue: service >> 4),
            let environment = PushEnvironment(rawValue: record.value(37, as: UInt8.self))
        else { return nil }
        self.provider = provider
        self.kind = kind
        self.environment = environment
        self.outcome = Outcome(rawValue: outcome)
        self.event = ActivityEvent(rawValue: event)
        hasUnknownEvent = event == Format.unknownEvent
        guard self.outcome != nil || outcome == 0, self.event != nil || hasUnknownEvent || event == 0 else { return nil }
    }
}

// One file of a journal as a reader sees it: record after record, each checked, until the first that is not whole.

import Basics
import OperatingSystem

final class Segment {
    /// A whole, checked record. `bytes` is valid until the segment's next call.
    struct Record {
        var bytes: UnsafeRawPointer
        var offset: Int
        var length: Int
        var kind: RecordKind
        var end: Int { offset + length }
        var instant: Int64 { bytes.value(16, as: Int64.self) }
    }

    let name: String
    let path: String
    let header: FileHeader
    let headerLength: Int
    /// Wall time at this file's instant 0, shared by the files of one clock.
    var clockOffset: Int64
    /// How far a merge has come in it; only the merge reads and sets it.
    var position = 0
    private var window: Window?
    private var credentials: [Int: String] = [:]

    init(name: String, path: String, header: FileHeader, headerLength: Int) {
        self.name = name
        self.path = path
        self.header = header
        self.headerLength = headerLength
        clockOffset = header.clockOffset
    }

    /// The wall time at which the file was begun.
    var beginning: Int64 { header.instant.nanoseconds &+ clockOffset }

    var isOpen: Bool { window != nil }

    /// Bytes in the file now; 0 when it is gone.
    func size() -> Int { FileStatus(path)?.size ?? 0 }

    func close() {
        window = nil
        credentials = [:]
    }

    /// The first record at or after `offset` that is an entry, passing over blobs. Nil where the file ends or is torn;
    /// `offset` then says where.
    func entry(from offset: inout Int) throws(Failure) -> Record? {
        while let record = try record(at: offset) {
            if record.kind != .blob { return record }
            offset = record.end
        }
        return nil
    }

    /// The content of a blob that stands before `limit`, or nil when there is none.
    func blob(at offset: Int, length: Int, before limit: Int) throws(Failure) -> [UInt8]? {
        let total = Format.padded(Format.recordHeaderLength + length)
        guard let window, offset >= headerLength, offset % 8 == 0, total <= Format.maxRecordLength,
            offset <= limit - total
        else { return nil }
        let room = UnsafeMutableRawPointer.allocate(byteCount: total, alignment: 16)
        defer { room.deallocate() }
        let copy = UnsafeRawPointer(room)
        guard try window.copy(at: offset, to: room, total), isWhole(copy, total, offset),
            copy.value(12, as: UInt8.self) == RecordKind.blob.rawValue, copy.value(16, as: Int64.self) == length
        else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: copy + Format.recordHeaderLength, count: length))
    }

    /// Like `blob`, for the few values that come back again and again.
    func credential(at offset: Int, length: Int, before limit: Int) throws(Failure) -> String? {
        if let known = credentials[offset] { return known }
        guard let content = try blob(at: offset, length: length, before: limit) else { return nil }
        if credentials.count >= 256 { credentials.removeAll() }
        let text = String(decoding: content, as: UTF8.self)
        credentials[offset] = text
        return text
    }

    /// The first place at or behind `offset` where a record begins; `end` when none is found. The checksum knows a record
    /// by its place and the file's salt, so nothing inside a body can pass for one. Records of more than 64 KiB are not
    /// looked for, and no further than 1 MiB: that bounds what a body full of likely lengths can cost.
    func boundary(from offset: Int, before end: Int) throws(Failure) -> Int {
        let window = try opened()
        var place = Format.padded(max(offset, headerLength))
        let last = min(end, place + 1 << 20)
        while place + Format.recordHeaderLength <= last {
            if let head = try window.bytes(at: place, Format.recordHeaderLength),
                case let length = Int(head.value(8, as: UInt32.self)),
                length >= Format.recordHeaderLength, length % 8 == 0, length <= 65_536, place + length <= end,
                RecordKind(rawValue: head.value(12, as: UInt8.self)) != nil,
                let bytes = try window.bytes(at: place, length), isWhole(bytes, length, place)
            {
                return place
            }
            place += 8
        }
        return end
    }

    private func record(at offset: Int) throws(Failure) -> Record? {
        let window = try opened()
        guard offset % 8 == 0, let head = try window.bytes(at: offset, Format.recordHeaderLength) else { return nil }
        let length = Int(head.value(8, as: UInt32.self))
        guard length >= Format.recordHeaderLength, length <= Format.maxRecordLength, length % 8 == 0,
            let bytes = try window.bytes(at: offset, length), isWhole(bytes, length, offset),
            let kind = RecordKind(rawValue: bytes.value(12, as: UInt8.self))
        else {
            window.forget()
            return nil
        }
        return Record(bytes: bytes, offset: offset, length: length, kind: kind)
    }

    private func isWhole(_ record: UnsafeRawPointer, _ length: Int, _ offset: Int) -> Bool {
        record.value(8, as: UInt32.self) == UInt32(length)
            && record.value(0, as: UInt64.self)
                == Checksum.record(record, length: length, salt: header.salt, offset: offset)
    }

    private func opened() throws(Failure) -> Window {
        if let window { return window }
        let fresh = try Window(path: path)
        window = fresh
        return fresh
    }
}

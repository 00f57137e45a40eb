// The reader of journals on files that nobody wrote with our writer: raw bytes, and records with right checksums and
// wrong contents.

import Basics
import Glibc
@testable import Journal

/// First byte: bit 0 set: what follows is one file as it is. Else bits 1 and 2 say how many files there are, and each
/// is made of records whose checksums are put right.
final class JournalEater: FuzzEater {
    private static let maxFiles = 3
    private let folder: String

    init(folder: String) { self.folder = folder }

    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let bits = choices.byte()
        let count = bits & 1 == 1 ? 1 : Int(bits >> 1 & 3) % Self.maxFiles + 1
        for number in 0..<count {
            let isLast = number == count - 1
            let bytes = bits & 1 == 1 ? choices.remainder() : file(number, &choices, isLast: isLast)
            write(bytes, to: folder + "/f\(number)" + Format.suffix)
        }
        defer { for number in 0..<count { unlink(folder + "/f\(number)" + Format.suffix) } }
        try read(stopAfter: Int(bits >> 3))
    }

    /// Reads all, and then in two parts: the parts are the whole.
    private func read(stopAfter: Int) throws(Violation) {
        do throws(Failure) {
            var whole: [UInt64] = []
            let reader = try JournalReader(directory: folder)
            let end = try reader.forEach(since: nil) { whole.append($0.id); return true }
            var parts: [UInt64] = []
            let other = try JournalReader(directory: folder)
            let middle = try other.forEach(since: nil) { parts.append($0.id); return parts.count < stopAfter + 1 }
            guard let cursor = JournalCursor(parsing: middle.text) else { throw Failure(.run, "no cursor: \(middle.text)") }
            let last = try other.forEach(since: cursor) { parts.append($0.id); return true }
            guard parts == whole, last == end else {
                throw Failure(.run, "read in two parts there are \(parts.count) entries of \(whole.count)")
            }
        } catch {
            // A journal of another version is the user's to handle; all else is ours.
            try hold(error.kind == .usage, "\(error)")
        }
    }

    private func file(_ number: Int, _ choices: inout FuzzInput, isLast: Bool) -> [UInt8] {
        var header = FileHeader(name: "f\(number)", tag: UInt16(number + 1), time: ManualTime())
        header.salt = 1
        header.process = 1
        header.boot = UUIDBytes(high: 0, low: UInt64(choices.byte() & 1))
        header.wall = WallTime(nanoseconds: Int64(bitPattern: UInt64(choices.long()) << choices.byte() % 33))
        var bytes = header.encoded()
        while !choices.isEmpty, isLast || bytes.count < 2_048 {
            guard choices.byte() % 16 != 0 else { break }
            bytes += record(&choices, salt: header.salt, offset: bytes.count)
        }
        if choices.byte() & 3 == 1 { bytes += choices.short() }
        return bytes
    }

    private func record(_ choices: inout FuzzInput, salt: UInt64, offset: Int) -> [UInt8] {
        let kind = choices.byte()
        let kinds: [RecordKind] = [.blob, .push, .event, .note]
        let fixed = [Format.recordHeaderLength, Format.pushLength, Format.eventLength, Format.noteLength]
        let isLawful = kind & 0x80 == 0
        let index = Int(kind & 3)
        let content = choices.short()
        let length = isLawful ? Format.padded(max(Format.recordHeaderLength + content.count, fixed[index])) : 24 + 8 * Int(kind & 15)
        var record = [UInt8](repeating: 0, count: length)
        for (place, byte) in content.prefix(length - 14).enumerated() { record[14 + place] = byte }
        record.withUnsafeMutableBytes { room in
            let base = room.baseAddress!
            base.put(UInt32(length), at: 8)
            base.put(isLawful ? kinds[index].rawValue : kind, at: 12)
            if isLawful, kind & 0x40 != 0, kinds[index] == .blob { base.put(Int64(length - Format.recordHeaderLength), at: 16) }
            // Timestamp and marker.
            if isLawful, kinds[index] == .push { base.put(kind >> 4 & (Format.stampFlag | Format.markerFlag), at: 13) }
            // A body or credential that stands in the same file, so that pushes find one.
            if isLawful, kind & 0x40 != 0, kinds[index] == .push { base.put(UInt64(72 + 8 * Int(kind >> 2 & 15)), at: 80) }
            base.put(Checksum.record(UnsafeRawPointer(base), length: length, salt: salt, offset: offset), at: 0)
        }
        return record
    }

    private func write(_ bytes: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        precondition(descriptor >= 0 && Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "cannot write \(path)")
        close(descriptor)
    }
}

extension JournalEntry {
    fileprivate var id: UInt64 {
        switch self {
        case .push(let push), .broadcast(let push): push.id
        case .event(let event): event.id
        case .note(let note): note.id
        }
    }
}

// Lays out one push record. This is the data path: no heap, no strings, one pass over the fields.

import Basics
import Glibc
import HTTP
import Pushes

struct PushEncoder {
    private let record: UnsafeMutableRawPointer
    private let limit: Int
    private var end = 0
    private var fieldCount: UInt16 = 0
    private var flags: UInt8
    private var cause: CredentialCause?

    /// `limit` is what `size` said.
    init(record: UnsafeMutableRawPointer, limit: Int, isCut: Bool) {
        self.record = record
        self.limit = limit
        flags = isCut ? Format.cutFlag : 0
    }

    /// An upper bound for the record, and the most it may take.
    static func size(_ push: PushDraft, _ head: HeaderBlock) -> Int {
        Format.pushLength + Format.stampLength + Format.markerLength + (push.reason?.utf8CodeUnitCount ?? 0)
            + min(head.byteCount + 4 * head.count, Format.maxFieldBytes) + 24
    }

    mutating func write(_ push: PushDraft, bodyOffset: Int, bodyLength: Int) {
        record.put(push.connection, at: 24)
        record.put(push.stream, at: 32)
        record.put(push.provider.rawValue | push.kind.rawValue << 4, at: 36)
        record.put(push.environment.rawValue, at: 37)
        record.put(push.status, at: 38)
        record.put(push.timestampMilliseconds, at: 40)
        record.put(push.delay.nanoseconds, at: 48)
        record.put(push.faultRule, at: 56)
        record.put(push.apnsID.high, at: 64)
        record.put(push.apnsID.low, at: 72)
        record.put(UInt64(bodyOffset), at: 80)
        record.put(UInt64(bodyLength) | UInt64(push.warnings) << 32, at: 88)
        cause = push.credentialCause
        end = Format.pushLength
        if let stamp = push.stamp {
            flags |= Format.stampFlag
            record.put(stamp, at: end)
            end += Format.stampLength
        }
        if let marker = push.marker {
            flags |= Format.markerFlag
            record.put(UInt64(marker.run) | UInt64(marker.session) << 32, at: end)
            record.put(marker.step, at: end + 8)
            end += Format.markerLength
        }
        let reasonLength = push.reason.map { write($0) } ?? 0
        let event = push.event?.rawValue ?? (push.hasUnknownEvent ? Format.unknownEvent : 0)
        record.put(
            UInt32(reasonLength) | UInt32(push.outcome?.rawValue ?? 0) << 8 | UInt32(push.faultAction) << 16
                | UInt32(event) << 24, at: 60)
    }

    /// False when a credential had to be stored first: everything is to be written again.
    mutating func write(_ head: HeaderBlock, credentials: borrowing BlobTable, records: RecordBuffer) -> Bool {
        var hasCredential = false
        for index in 0..<head.count {
            let name = head.name(at: index)
            let value = head.value(at: index)
            let isCredential = !hasCredential && Self.isCredential(name) && value.count > 0
            let valueRoom = isCredential ? 8 : value.count
            guard name.count < Int(Format.blobBit), value.count <= Int(UInt16.max), fieldCount < .max,
                end + 4 + name.count + valueRoom <= limit - 16
            else {
                flags |= Format.cutFlag
                continue
            }
            var nameWord = UInt16(name.count)
            var blob = 0
            if isCredential {
                hasCredential = true
                nameWord |= Format.blobBit
                let before = records.blobCount
                blob = value.withUnsafeBytes { records.store($0, in: credentials) }
                if records.blobCount != before { return false }
            }
            record.put(UInt32(nameWord) | UInt32(value.count) << 16, at: end)
            end += 4
            write(name)
            if isCredential {
                record.put(UInt64(blob), at: end)
                end += 8
            } else {
                write(value)
            }
            fieldCount += 1
        }
        return true
    }

    /// Pads the record and gives its length.
    mutating func finish() -> Int {
        record.put(UInt64(0), at: end)
        if let cause {
            flags |= Format.causeFlag
            record.put(UInt64(cause.rawValue), at: end)
            end += 1
        }
        record.put(UInt32(flags) << 8 | UInt32(fieldCount) << 16, at: 12)
        return Format.padded(end)
    }

    private mutating func write(_ word: StaticString) -> UInt8 {
        let length = UInt8(clamping: word.utf8CodeUnitCount)
        (record + end).copyMemory(from: word.utf8Start, byteCount: Int(length))
        end += Int(length)
        return length
    }

    @inline(__always)
    private static func isCredential(_ name: Span<UInt8>) -> Bool {
        let word: StaticString = "authorization"
        guard name.count == word.utf8CodeUnitCount else { return false }
        return name.withUnsafeBytes { memcmp($0.baseAddress!, word.utf8Start, $0.count) == 0 }
    }

    @inline(__always)
    private mutating func write(_ bytes: Span<UInt8>) {
        let target = record + end
        bytes.withUnsafeBytes { target.copyShort($0) }
        end += bytes.count
    }
}

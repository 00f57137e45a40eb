// Hashes of records and blobs: XXH3, which costs a few nanoseconds for a push. Against accidents, not against forgers.

import CXXHash

/// The 128-bit hash by which a body or an `authorization` value is known within one file.
struct BlobDigest: Equatable {
    var low: UInt64
    var high: UInt64

    init(_ content: UnsafeRawBufferPointer) {
        let hash = XXH3_128bits(content.baseAddress, content.count)
        low = hash.low64
        high = hash.high64
    }
}

enum Checksum {
    static func plain(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 { XXH3_64bits(bytes, count) }

    /// What the checksum field of a whole record at that place must be. Blobs are checked by their digest, which the
    /// writer has at hand anyway.
    static func record(_ record: UnsafeRawPointer, length: Int, salt: UInt64, offset: Int) -> UInt64 {
        if record.value(12, as: UInt8.self) == RecordKind.blob.rawValue {
            let room = length - Format.recordHeaderLength
            let size = record.value(16, as: Int64.self)
            // A damaged size gives some other checksum, which is all that is asked.
            let count = size < 0 || size > room ? room : Int(size)
            let start = record + Format.recordHeaderLength
            return blob(
                BlobDigest(UnsafeRawBufferPointer(start: start, count: count)), record, salt: salt, offset: offset)
        }
        return plain(record + 8, length - 8) ^ place(salt, offset)
    }

    static func blob(_ digest: BlobDigest, _ record: UnsafeRawPointer, salt: UInt64, offset: Int) -> UInt64 {
        let head = mix(record.value(8, as: UInt64.self) ^ mix(record.value(16, as: UInt64.self)))
        return digest.low ^ mix(digest.high &+ head) ^ place(salt, offset)
    }

    private static func place(_ salt: UInt64, _ offset: Int) -> UInt64 { mix(salt &+ UInt64(offset)) }

    private static func mix(_ value: UInt64) -> UInt64 {
        let z = (value ^ (value >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return z ^ (z >> 32)
    }
}

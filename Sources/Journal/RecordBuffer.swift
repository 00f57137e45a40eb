// Records on their way to the file: begun in place, sealed with a checksum, flushed when the buffer is full or the
// batch is committed.

import Basics

final class RecordBuffer {
    private let file: JournalFile
    private let salt: UInt64
    private let usualCapacity: Int
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    /// Bytes of sealed records that the file does not have yet.
    private(set) var pending = 0
    /// How many blobs were added; tells whether `store` did.
    private(set) var blobCount = 0

    init(file: JournalFile, salt: UInt64, capacity: Int) {
        self.file = file
        self.salt = salt
        self.capacity = capacity
        usualCapacity = capacity
        base = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { base.deallocate() }

    /// Room for a record of up to that length. It counts once it is sealed by `end`, and is forgotten by another
    /// `begin`.
    func begin(room: Int) -> UnsafeMutableRawPointer {
        let room = Format.padded(room)
        if pending + room > capacity {
            _ = flush()
            if room > capacity {
                base.deallocate()
                base = .allocate(byteCount: room, alignment: 16)
                capacity = room
            }
        }
        return base + pending
    }

    /// Seals the record begun last; its bytes 12...15 and from 24 on are filled but for the kind. Gives its offset.
    func end(_ kind: RecordKind, length: Int, instant: Instant) -> Int {
        let record = base + pending
        let offset = file.size + pending
        seal(record, kind, length, UInt64(bitPattern: instant.nanoseconds))
        record.put(Checksum.record(record, length: length, salt: salt, offset: offset), at: 0)
        pending += length
        return offset
    }

    /// The offset of the blob with that content, which is added where the table does not know it. 0 for no content.
    func store(_ content: UnsafeRawBufferPointer, in table: borrowing BlobTable) -> Int {
        guard content.count > 0 else { return 0 }
        let newest = table.offset(ofNewest: content)
        if newest != 0 { return newest }
        let digest = BlobDigest(content)
        let known = Int(table.offset(of: digest))
        let offset = known != 0 ? known : add(content, digest)
        if known == 0 { table.insert(digest, offset: UInt64(offset)) }
        table.note(content, offset: offset)
        return offset
    }

    private func add(_ content: UnsafeRawBufferPointer, _ digest: BlobDigest) -> Int {
        let length = Format.padded(Format.recordHeaderLength + content.count)
        let record = begin(room: length)
        let offset = file.size + pending
        record.put(UInt64(0), at: length - 8)
        record.put(UInt32(0), at: 12)
        seal(record, .blob, length, UInt64(content.count))
        (record + Format.recordHeaderLength).copyMemory(from: content.baseAddress!, byteCount: content.count)
        record.put(Checksum.blob(digest, record, salt: salt, offset: offset), at: 0)
        pending += length
        blobCount += 1
        return offset
    }

    func flush() -> Bool {
        defer { pending = 0 }
        guard file.failure == nil else { return false }
        guard pending == 0 || file.append(base, pending) else { return false }
        if capacity > 4 * usualCapacity {
            base.deallocate()
            base = .allocate(byteCount: usualCapacity, alignment: 16)
            capacity = usualCapacity
        }
        return true
    }

    private func seal(_ record: UnsafeMutableRawPointer, _ kind: RecordKind, _ length: Int, _ word: UInt64) {
        record.put(UInt32(length), at: 8)
        record.put(kind.rawValue, at: 12)
        record.put(word, at: 16)
    }
}

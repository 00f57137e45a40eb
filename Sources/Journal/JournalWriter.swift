// The writing end of a journal: records gather in one buffer, and `commit` hands them to the kernel in one write. From
// then on they outlive this process, though not the machine: there is no fsync.

package import Basics
import Glibc
package import HTTP

/// One writer, one file, confined to one loop. Memory: the buffer (256 KB, more only for a record that is larger) and
/// about 420 KB of tables, whatever is written.
package final class JournalWriter {
    static let batchBytes = 256 << 10

    let file: JournalFile
    let header: FileHeader
    let bodies = BlobTable(sets: 4_096)
    let credentials = BlobTable(sets: 256)
    let records: RecordBuffer

    /// `name` says who writes, such as `apns-0`: letters, digits, `-` and `_`, at most 64 of them. A file of that name
    /// which is there already is left alone, and a numbered one is begun. Creates the directory where it is missing.
    package convenience init(directory: String, name: String, time: any TimeSource) throws(Failure) {
        try self.init(directory: directory, name: name, time: time) { Glibc.write($0, $1, $2) }
    }

    init(
        directory: String, name: String, time: any TimeSource, write: @escaping JournalFile.Write
    ) throws(Failure) {
        precondition(
            JournalCursor.isFileName(name) && !name.utf8.contains(46) && name.utf8.count <= Format.maxNameLength,
            "a journal's name is made of letters, digits, - and _")
        try Directory.create(directory)
        let made = try Directory.newFile(in: directory, name: name, time: time)
        header = made.header
        let (path, length) = (made.path, made.length)
        file = JournalFile(made.descriptor, path: path, size: length, write: write)
        records = RecordBuffer(file: file, salt: made.header.salt, capacity: Self.batchBytes)
    }

    deinit { _ = commit() }

    /// The file this writer made.
    package var path: String { file.path }

    /// The wall time of an instant, as readers of the file tell it.
    package func wall(at instant: Instant) -> WallTime { WallTime(nanoseconds: instant.nanoseconds &+ header.clockOffset) }

    /// Sixteen hex digits that no other file has.
    package var identity: String { header.identity }

    /// Why nothing can be written any more. Nil as long as all is well.
    package var failure: Failure? { file.failure }

    /// Size of the file with what waits to be committed.
    package var byteCount: Int { file.size + records.pending }

    /// Adds a push and gives its id, or 0 once the journal has failed. The body, and each `authorization` value, is
    /// stored once per file as long as the table remembers it; of a body of more than 8 MB the rest is left out, and so
    /// are fields beyond 1 MB.
    package func append(push: PushDraft, head: HeaderBlock, body: Span<UInt8>) -> UInt64 {
        guard file.failure == nil else { return 0 }
        let bodyLength = min(body.count, Format.maxBodyBytes)
        let bodyOffset = body.withUnsafeBytes { bytes in
            records.store(UnsafeRawBufferPointer(rebasing: bytes[..<bodyLength]), in: bodies)
        }
        let size = PushEncoder.size(push, head)
        // A credential not met before has to stand in the file ahead of the push, which is then begun anew.
        while true {
            let record = records.begin(room: size)
            var encoder = PushEncoder(record: record, limit: size, isCut: bodyLength < body.count)
            encoder.write(push, bodyOffset: bodyOffset, bodyLength: bodyLength)
            guard encoder.write(head, credentials: credentials, records: records) else { continue }
            let length = encoder.finish()
            let offset = records.end(.push, length: length, instant: push.arrivedAt)
            return Format.id(tag: header.tag, offset: offset)
        }
    }

    /// Adds an event. An answer is stored once per file, like the bodies of pushes; what is too long of it is left out.
    package func append(event: EventDraft) {
        guard file.failure == nil else { return }
        let answerLength = min(event.answer.count, EventDraft.maxAnswerBytes)
        let answer = event.answer.withUnsafeBytes { bytes in
            records.store(UnsafeRawBufferPointer(rebasing: bytes[..<answerLength]), in: bodies)
        }
        let record = records.begin(room: Format.eventLength)
        record.put(UInt32(0), at: 12)
        record.put(event.session, at: 24)
        record.put(event.step, at: 28)
        record.put(event.kind, at: 32)
        record.put(event.status, at: 34)
        record.put(UInt32(event.failure) | UInt32(event.attempts) << 8 | UInt32(answerLength) << 16, at: 36)
        record.put(event.plannedAt.nanoseconds, at: 40)
        record.put(event.sentAt.nanoseconds, at: 48)
        record.put(event.answeredAt.nanoseconds, at: 56)
        record.put(event.lateness.nanoseconds, at: 64)
        record.put(UInt64(answer), at: 72)
        let latest = max(event.plannedAt, event.sentAt, event.answeredAt)
        _ = records.end(.event, length: Format.eventLength, instant: latest)
    }

    /// Adds a note that says so.
    func append(_ kind: NoteKind, _ value: JSONValue, at instant: Instant) {
        append(note: kind, text: value.text, at: instant)
    }

    /// Adds a note. `text` is JSON; one of more than 15 MB is replaced by an object that says so.
    package func append(note kind: NoteKind, text: String, at instant: Instant) {
        guard file.failure == nil else { return }
        var text = text
        if text.utf8.count > Format.maxNoteBytes { text = #"{"tooLong":\#(text.utf8.count)}"# }
        let length = Format.padded(Format.noteLength + text.utf8.count)
        let record = records.begin(room: length)
        record.put(UInt32(kind.rawValue) << 16, at: 12)
        record.put(UInt64(0), at: length - 8)
        record.put(UInt64(text.utf8.count), at: 24)
        text.withUTF8 { bytes in
            UnsafeMutableRawBufferPointer(start: record + Format.noteLength, count: bytes.count)
                .copyMemory(from: UnsafeRawBufferPointer(bytes))
        }
        _ = records.end(.note, length: length, instant: instant)
    }

    /// Hands all that was appended to the kernel. True: it is there and outlives this process. False: the disk has
    /// failed, `failure` says how, nothing of this batch is promised, and every later commit is false too.
    package func commit() -> Bool {
        guard records.flush() else { return false }
        file.markSafe()
        return true
    }
}

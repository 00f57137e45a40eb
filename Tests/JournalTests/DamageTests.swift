// A file may be cut off anywhere, and any bit of it may be wrong. What is read is always a start of what was written.

import Basics
import Glibc
import HTTP
import Testing

@testable import Journal

@Suite struct DamageTests {
    /// A small journal with every kind of record, the file's bytes, and what it holds.
    private func sample(in directory: String) throws -> (path: String, bytes: [UInt8], texts: [String]) {
        let writer = try JournalWriter(directory: directory, name: "apns-0", time: ManualTime())
        writer.append(note: .server, text: #"{"listen":"127.0.0.1:2197"}"#, at: Instant(nanoseconds: 1))
        writer.push(at: 2, body: "first body")
        writer.append(event: EventDraft(session: 1, step: 2, kind: 3, plannedAt: Instant(nanoseconds: 3)))
        writer.push(at: 4, body: "first body")
        writer.push(at: 5, body: "second body", head: sampleHead(authorization: "bearer other"))
        #expect(writer.commit())
        let texts = try JournalReader(directory: directory).all().map(text)
        #expect(texts.count == 5)
        return (writer.path, contents(writer.path), texts)
    }

    private func text(_ entry: JournalEntry) -> String {
        switch entry {
        case .push(let push), .broadcast(let push): "\(push)"
        case .event(let event): "\(event)"
        case .note(let note): "\(note)"
        }
    }

    @Test func aFileCutAtAnyByteGivesAllEntriesBeforeTheCut() throws {
        try withDirectory { directory in
            let (path, bytes, texts) = try sample(in: directory)
            var counts: Set<Int> = []
            for length in 0..<bytes.count {
                overwrite(path, Array(bytes[..<length]))
                let reader = try JournalReader(directory: directory)
                let read = try reader.all().map(text)
                #expect(read == Array(texts.prefix(read.count)), "cut at \(length)")
                #expect(read.count < texts.count)
                counts.insert(read.count)
            }
            #expect(counts == [0, 1, 2, 3, 4])
        }
    }

    @Test func aReaderGoesOnOnceTheRestOfATornRecordHasCome() throws {
        try withDirectory { directory in
            let (path, bytes, texts) = try sample(in: directory)
            overwrite(path, [])
            let reader = try JournalReader(directory: directory)
            var cursor: JournalCursor?
            var read: [String] = []
            let descriptor = open(path, O_WRONLY | O_APPEND)
            defer { close(descriptor) }
            var sawCut = false
            for start in stride(from: 0, to: bytes.count, by: 13) {
                let piece = Array(bytes[start..<min(start + 13, bytes.count)])
                #expect(write(descriptor, piece, piece.count) == piece.count)
                cursor = try reader.forEach(since: cursor) {
                    read.append(text($0))
                    return true
                }
                sawCut = sawCut || !reader.cuts.isEmpty
            }
            #expect(read == texts)
            #expect(sawCut)
            #expect(reader.cuts.isEmpty)
        }
    }

    @Test func whatWasNotWholeIsReadAgainFromTheFile() throws {
        try withDirectory { directory in
            let (path, bytes, texts) = try sample(in: directory)
            var unwritten = bytes
            for index in bytes.count - 300..<bytes.count { unwritten[index] = 0 }
            overwrite(path, unwritten)
            let reader = try JournalReader(directory: directory)
            let first = try reader.all().map(text)
            #expect(first.count < texts.count)
            let descriptor = open(path, O_WRONLY)
            #expect(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
            close(descriptor)
            #expect(try reader.all().map(text) == texts)
        }
    }

    @Test func aFlippedBitAnywhereEndsTheFileThere() throws {
        try withDirectory { directory in
            let (path, bytes, texts) = try sample(in: directory)
            for index in bytes.indices {
                for bit in [0, 7] {
                    var damaged = bytes
                    damaged[index] ^= 1 << bit
                    overwrite(path, damaged)
                    // Byte 8...11 is the version: that one is told to the user.
                    guard let reader = try? JournalReader(directory: directory) else {
                        #expect(8..<12 ~= index)
                        continue
                    }
                    let read = try reader.all().map(text)
                    #expect(read == Array(texts.prefix(read.count)), "bit \(bit) of byte \(index)")
                    if read.count == texts.count { #expect(isPadding(index, bytes)) }
                }
            }
        }
    }

    /// A body is stored once, so a push may name one that stands before the place from which it is read.
    @Test func aBodyThatWasDamagedBeforeTheCursorIsNotTakenForWhole() throws {
        try withDirectory { directory in
            let (path, bytes, texts) = try sample(in: directory)
            let reader = try JournalReader(directory: directory)
            var seen = 0
            let cursor = try reader.forEach(since: nil) { _ in
                seen += 1
                return seen < 3
            }
            let body = Array("first body".utf8)
            let place = try #require(bytes.indices.first { bytes[$0...].starts(with: body) })
            var damaged = bytes
            damaged[place] ^= 1
            overwrite(path, damaged)
            var read: [String] = []
            let again = try JournalReader(directory: directory)
            _ = try again.forEach(since: cursor) {
                read.append(text($0))
                return true
            }
            #expect(read.isEmpty)
            #expect(again.cuts.count == 1)
            overwrite(path, bytes)
            _ = try JournalReader(directory: directory).forEach(since: cursor) {
                read.append(text($0))
                return true
            }
            #expect(read == Array(texts[3...]))
        }
    }

    /// Only the padding after a blob's content is of no concern to its checksum.
    private func isPadding(_ index: Int, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard case .success(let decoded) = FileHeader.decode(bytes) else { return false }
            var offset = decoded.length
            while offset < bytes.count {
                let record = bytes.baseAddress! + offset
                let length = Int(record.value(8, as: UInt32.self))
                if offset..<offset + length ~= index {
                    let end = offset + Format.recordHeaderLength + Int(record.value(16, as: Int64.self))
                    return record.value(12, as: UInt8.self) == RecordKind.blob.rawValue && index >= end
                }
                offset += length
            }
            return false
        }
    }

    @Test(arguments: 0..<8)
    func randomDamageNeverCrashesTheReader(round: UInt64) throws {
        var generator = Seed(99).child(round).generator()
        try withDirectory { directory in
            let (path, bytes, texts) = try sample(in: directory)
            for _ in 0..<400 {
                var damaged = bytes
                for _ in 0...generator.next() % 8 {
                    let index = Int(generator.next() % UInt64(damaged.count))
                    switch generator.next() % 4 {
                    case 0: damaged[index] = UInt8(truncatingIfNeeded: generator.next())
                    case 1: damaged[index] = 255
                    case 2: damaged.removeSubrange(index..<min(damaged.count, index + Int(generator.next() % 16)))
                    default: damaged.insert(contentsOf: bytes[..<min(Int(generator.next() % 64), index)], at: index)
                    }
                    if damaged.isEmpty { damaged = [0] }
                }
                overwrite(path, damaged)
                guard let reader = try? JournalReader(directory: directory) else { continue }
                let read = try reader.all().map(text)
                #expect(read == Array(texts.prefix(read.count)))
            }
        }
    }

    /// Gives every record of the file a right checksum again, so that the content alone has to be doubted.
    private func resealed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes.withUnsafeMutableBytes { room in
            let base = room.baseAddress!
            guard room.count >= 72 else { return }
            let headerLength = Int(UnsafeRawPointer(base).value(12, as: UInt32.self))
            guard headerLength >= 72, headerLength <= room.count, headerLength % 8 == 0 else { return }
            base.put(Checksum.plain(base, headerLength - 8), at: headerLength - 8)
            let salt = UnsafeRawPointer(base).value(16, as: UInt64.self)
            var offset = headerLength
            while offset + 24 <= room.count {
                let record = base + offset
                let length = Int(UnsafeRawPointer(record).value(8, as: UInt32.self))
                guard length >= 24, length % 8 == 0, offset + length <= room.count else { return }
                record.put(Checksum.record(record, length: length, salt: salt, offset: offset), at: 0)
                offset += length
            }
        }
        return bytes
    }

    @Test(arguments: 0..<8)
    func hostileFilesWithRightChecksumsNeverCrashTheReader(round: UInt64) throws {
        var generator = Seed(77).child(round).generator()
        try withDirectory { directory in
            let (path, bytes, _) = try sample(in: directory)
            #expect(resealed(bytes) == bytes)
            var entries = 0
            for _ in 0..<400 {
                var damaged = bytes
                for _ in 0...generator.next() % 6 {
                    let index = 16 + Int(generator.next() % UInt64(damaged.count - 16))
                    damaged[index] = generator.next() % 3 == 0 ? 255 : UInt8(truncatingIfNeeded: generator.next())
                }
                overwrite(path, resealed(damaged))
                guard let reader = try? JournalReader(directory: directory) else { continue }
                let read = try reader.all()
                entries += read.count
                for push in read.compactMap(\.push) {
                    #expect(push.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } < 2 * bytes.count)
                    #expect(push.payload.count < bytes.count)
                }
                for note in read.compactMap(\.note) { #expect(note.text.utf8.count < 2 * bytes.count) }
            }
            #expect(entries > 400)
        }
    }

    @Test func aLengthThatClaimsMuchTakesNoMemory() throws {
        try withDirectory { directory in
            let (path, bytes, _) = try sample(in: directory)
            var damaged = bytes
            let start = Int(damaged[12])
            damaged.replaceSubrange(start + 8..<start + 12, with: [0, 0, 0, 1])
            overwrite(path, damaged)
            let reader = try JournalReader(directory: directory)
            #expect(try reader.all().isEmpty)
            #expect(reader.cuts == [JournalCut(file: "apns-0", offset: start, byteCount: bytes.count - start)])
        }
    }

    @Test func aFileOfAnotherKindIsNamedAndLeftAlone() throws {
        try withDirectory { directory in
            let (_, _, texts) = try sample(in: directory)
            overwrite(directory + "/diary.journal", Array("Dear diary, today I wrote a test.".utf8))
            let reader = try JournalReader(directory: directory)
            #expect(try reader.all().map(text) == texts)
            #expect(reader.foreign == ["diary"])
        }
    }

    @Test(arguments: [UInt8(1), 3])
    func aJournalOfAnotherVersionIsOneClearLine(version: UInt8) throws {
        try withDirectory { directory in
            let (path, bytes, _) = try sample(in: directory)
            var other = bytes
            other[8] = version
            overwrite(path, other)
            let failure = #expect(throws: Failure.self) { try JournalReader(directory: directory) }
            #expect(failure?.message.hasSuffix("has format version \(version); this pushrig reads 2") == true)
            #expect(failure?.kind == .usage && failure?.hint != nil)
        }
    }

    @Test func aFileWithoutAHeaderIsReadOnceItHasOne() throws {
        try withDirectory { directory in
            let (path, bytes, texts) = try sample(in: directory)
            overwrite(path, Array(bytes[..<20]))
            let reader = try JournalReader(directory: directory)
            #expect(try reader.all().isEmpty)
            overwrite(path, bytes)
            #expect(try reader.all().map(text) == texts)
            #expect(reader.foreign.isEmpty)
        }
    }
}

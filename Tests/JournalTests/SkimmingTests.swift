// Passing over requests, and finding a place shortly before the end.

import Basics
import Testing

@testable import Journal

@Suite struct SkimmingTests {
    private let time = FixedTime(instant: 0, wallSeconds: 1_000)

    /// Two files with pushes and notes in turn: note `n` behind push `n`.
    private func write(_ directory: String, count: Int = 10) throws {
        for name in ["apns-0", "apns-1"] {
            let writer = try JournalWriter(directory: directory, name: name, time: time)
            for number in 1...count {
                writer.push(at: Int64(10 * number), body: #"{"n":\#(number)}"#)
                writer.append(note: .admin, text: "\(number)", at: Instant(nanoseconds: Int64(10 * number + 5)))
            }
            #expect(writer.commit())
        }
    }

    @Test func `requests are counted and notes are visited, and the cursor is the one that reading gives`() throws {
        try withDirectory { directory in
            try write(directory)
            let reader = try JournalReader(directory: directory)
            var notes: [String] = []
            let skimmed = try reader.skim(since: JournalCursor(), limit: 100) { notes.append($0.text) }
            #expect(skimmed.requests == 20 && skimmed.isAtEnd)
            #expect(notes == (1...10).flatMap { ["\($0)", "\($0)"] })
            #expect(try skimmed.cursor == reader.forEach(since: nil) { _ in true })
        }
    }

    @Test func `it stops behind its limit and goes on from there`() throws {
        try withDirectory { directory in
            try write(directory)
            let reader = try JournalReader(directory: directory)
            let first = try reader.skim(since: JournalCursor(), limit: 12) { _ in }
            let second = try reader.skim(since: first.cursor, limit: 100) { _ in }
            #expect(first.requests == 6 && !first.isAtEnd)
            #expect(second.requests == 14 && second.isAtEnd)
        }
    }

    @Test(arguments: [0, 1, 100, 777, 2_000, 1 << 20])
    func `from shortly before the end the last ones are read, whole and in order`(bytes: Int) throws {
        try withDirectory { directory in
            try write(directory, count: 50)
            let reader = try JournalReader(directory: directory)
            let end = try reader.forEach(since: nil) { _ in true }
            let cursor = try reader.cursor(before: end, bytes: bytes, total: 1 << 20, notBefore: nil)
            let all = try reader.all().map(\.nanoseconds)
            let found = try reader.all(since: cursor).map(\.nanoseconds)
            #expect(found == Array(all.suffix(found.count)))
            #expect(cursor.bytes(to: end) <= 2 * bytes)
            if bytes >= 777 { #expect(found.count >= 4) }
            if bytes == 1 << 20 { #expect(found == all) }
        }
    }

    @Test func `all files together stay within the total, the last begun first, and not before the beginning`() throws {
        try withDirectory { directory in
            try write(directory, count: 50)
            let reader = try JournalReader(directory: directory)
            let end = try reader.forEach(since: nil) { _ in true }
            let short = try reader.cursor(before: end, bytes: 2_000, total: 2_000, notBefore: nil)
            #expect(short["apns-0"] == end["apns-0"] && short["apns-1"]! < end["apns-1"]!)
            #expect(try reader.cursor(before: end, bytes: 2_000, total: 4_000, notBefore: end) == end)
        }
    }

    @Test func `a record inside a body is none`() throws {
        try withDirectory { directory in
            try write(directory)
            let inner = contents(directory + "/apns-0.journal")
            let writer = try JournalWriter(directory: directory, name: "apns-2", time: time)
            let head = sampleHead()
            _ = writer.append(push: draft(at: 1_000), head: head, body: inner.span)
            writer.push(at: 2_000, body: #"{"last":true}"#)
            #expect(writer.commit())
            let reader = try JournalReader(directory: directory)
            let end = try reader.forEach(since: nil) { _ in true }
            let size = try #require(end["apns-2"])
            for back in stride(from: 8, to: size, by: 8) {
                let cursor = try reader.cursor(before: end, bytes: back, total: back, notBefore: nil)
                let instants = try reader.pushes(since: cursor).map(\.arrivedAt.nanoseconds)
                #expect([[], [2_000], [1_000, 2_000]].contains(instants), "\(back)")
            }
        }
    }
}

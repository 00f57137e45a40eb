// Passing over requests, and finding a place shortly before the end.

import Basics
import Pushes
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

    /// Of four pushes, in turn: all, what tells whose it was, nothing, and all again, for it bears no marker.
    @Test func `of each request as much is read as is asked for`() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            for session in UInt32(1)...4 {
                var draft = draft(at: Int64(session))
                draft.stamp = 1_763_856_000
                draft.marker = session < 4 ? Marker(run: 7, session: session, step: 9) : nil
                _ = withBytes(of: #"{"n":\#(session)}"#) { writer.append(push: draft, head: sampleHead(), body: $0) }
            }
            writer.append(note: .admin, text: "last", at: Instant(nanoseconds: 9))
            #expect(writer.commit())
            let reader = try JournalReader(directory: directory)
            var asked: [UInt32?] = []
            var read: [JournalEntry] = []
            let cursor = try reader.forEach(since: nil, reading: { marker in
                asked.append(marker?.session)
                return marker?.session == 2 ? .outline : marker?.session == 3 ? .none : .whole
            }) { entry in
                read.append(entry)
                return true
            }
            #expect(asked == [1, 2, 3, nil] && read.count == 4 && read.last?.note?.text == "last")
            let (all, pushes) = (try reader.pushes(), read.compactMap(\.push))
            #expect(pushes.map(\.payload) == [all[0].payload, [], all[3].payload])
            #expect(pushes.map(\.headers.count) == [all[0].headers.count, 0, all[3].headers.count])
            let outline = pushes[1]
            #expect(outline.id == all[1].id && outline.arrivedAt == all[1].arrivedAt && outline.stamp == all[1].stamp)
            #expect(outline.token == sampleToken && outline.pushType == "liveactivity" && outline.marker == all[1].marker)
            #expect(outline.status == 200 && outline.outcome == .updated && outline.topic == nil)
            #expect(try cursor == reader.forEach(since: nil) { _ in true })
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

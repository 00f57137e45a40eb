// Server-sent events, whole and cut anywhere.

import HTTP
import Testing

@Suite("A stream of events")
struct EventStreamParserTests {
    /// What comes of the text in one piece, and byte by byte: nil where they differ, or where it cannot be read.
    private func events(_ text: String, longest: Int = 1 << 16) -> [String]? {
        func read(_ pieces: [[UInt8]]) -> [String]? {
            var parser = EventStreamParser(longest: longest)
            var events: [String] = []
            for piece in pieces {
                let isReadable = parser.take(piece.span) { event in
                    events.append("\(event.name)|\(String(decoding: event.data, as: UTF8.self))|\(event.id)")
                }
                guard isReadable else { return nil }
            }
            return events
        }
        let whole = read([Array(text.utf8)])
        return whole == read(text.utf8.map { [$0] }) ? whole : nil
    }

    @Test("gives names, data of several lines, and the last id")
    func fields() {
        #expect(events("data: a\n\n") == ["message|a|"])
        #expect(events("event: changed\ndata: a\ndata:  b\ndata\n\n") == ["changed|a\n b\n|"])
        #expect(events("id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n") == ["message|a|7", "message|b|7", "message|c|"])
        #expect(events("data:a\nevent:x\n\ndata:b\n\n") == ["x|a|", "message|b|"])
    }

    @Test("ends lines in three ways, and may begin with a byte order mark")
    func lines() {
        #expect(events("data: a\r\n\r\ndata: b\r\rdata: c\n\n") == ["message|a|", "message|b|", "message|c|"])
        #expect(events("\u{FEFF}data: a\n\n") == ["message|a|"])
        #expect(events("data: a\n\n\u{FEFF}data: b\n\n") == ["message|a|"])
    }

    @Test("passes over comments, fields that nobody knows, and events without data")
    func passedOver() {
        #expect(events(": joined\n\nretry: 5\nfoo: bar\ndata: a\n\n") == ["message|a|"])
        #expect(events("event: empty\nid: 3\n\ndata: a\n\n") == ["message|a|3"])
        #expect(events("data: unfinished\n") == [])
        #expect(events("id: a\u{0}b\ndata: a\n\n") == ["message|a|"])
    }

    @Test("cannot be read any further behind an event that is too long")
    func long() {
        let line = String(repeating: "x", count: 40)
        #expect(events("data: \(line)\n\n", longest: 46) == ["message|\(line)|"])
        #expect(events("data: \(line)\n\n", longest: 45) == nil)
        #expect(events("data: \(line)\ndata: \(line)\n\n", longest: 60) == nil)
    }
}

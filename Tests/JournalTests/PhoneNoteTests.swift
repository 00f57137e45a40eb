// What a mock notes of phones is read back, and what is none is passed over.

import Basics
import Pushes
import Testing

@testable import Journal

@Suite struct PhoneNoteTests {
    private func note(_ text: String, _ kind: NoteKind = .phone) -> NoteEntry {
        var note = NoteEntry(id: 1, kind: kind, text: text, at: Instant(nanoseconds: 0))
        note.wall = WallTime(seconds: 9)
        return note
    }

    private let event = #"""
        {"event": 7, "kind": "rotated", "at": "2026-11-20T10:00:00Z", "phone": "phone-3-2", "app": "com.example.app",
         "activity": 2, "token": "abcd", "marker": "[pr:0000002a:3:1]"}
        """#

    @Test func `an event of a phone is read`() throws {
        let read = try #require(note(event).phoneEvent)
        #expect(read.number == 7 && read.kind == .rotated && read.phone == "phone-3-2" && read.activity == 2)
        #expect(read.token == "abcd" && read.marker == Marker(run: 42, session: 3, step: 1))
        #expect(read.at == WallTime(iso8601: "2026-11-20T10:00:00Z") && read.app == "com.example.app")
        #expect(note(event).phoneReason == nil)
    }

    @Test(arguments: [("\"rotated\"", "\"turned\""), ("7", "0"), ("\"activity\": 2", "\"activity\": -2"), ("{", "")])
    func `what is none is passed over`(old: String, new: String) {
        #expect(note(event.replacing(old, with: new)).phoneEvent == nil)
        #expect(note(event, .admin).phoneEvent == nil)
    }

    @Test func `why a phone did what it did is read with the push it did it with`() throws {
        let read = try #require(note(#"{"push": 9, "reason": "older than the start"}"#).phoneReason)
        #expect(read.push == 9 && read.words == "older than the start")
        #expect(note(#"{"push": 0, "reason": "older"}"#).phoneReason == nil && note(#"{"push": 9}"#).phoneReason == nil)
        #expect(note(#"{"push": 9, "reason": "older"}"#).phoneEvent == nil)
    }
}

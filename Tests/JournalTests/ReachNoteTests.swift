// What devices did with a message to a topic, as a journal has it.

import Basics
import Journal
import Pushes
import Testing

struct ReachNoteTests {
    @Test func `is read back, with and without a reason, and is neither a reason nor a late outcome of a push`() throws {
        let notes = [
            ReachNote(message: 7, registration: Hash128(high: 1, low: .max), outcome: .stored, reason: "the device is offline"),
            ReachNote(message: 8, registration: Hash128(high: 0, low: 0), outcome: .setBack, reason: nil),
        ]
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "fcm-0", time: ManualTime())
            for note in notes { writer.append(note, at: Instant(nanoseconds: 5)) }
            #expect(writer.commit())
            var read: [ReachNote?] = []
            _ = try JournalReader(directory: directory).forEach(since: nil) { entry in
                guard case .note(let note) = entry else { return true }
                read.append(note.reach)
                #expect(note.phoneReason == nil && note.lateOutcome == nil && note.phoneEvent == nil)
                return true
            }
            #expect(read == notes)
        }
    }
}

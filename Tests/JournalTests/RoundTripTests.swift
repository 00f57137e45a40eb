// What is appended and committed is what is read back.

import Basics
import HTTP
import Pushes
import Testing

@testable import Journal

@Suite struct RoundTripTests {
    let time = ManualTime(wall: WallTime(seconds: 1_760_000_000))

    @Test func aBroadcastIsNoPush() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            let head = HeaderBlock()
            head.append(":path", "/4/broadcasts/apps/com.example.app")
            for (number, kind) in RequestKind.allCases.enumerated() {
                var draft = draft(at: Int64(number))
                draft.kind = kind
                draft.provider = number == 1 ? .fcm : .apns
                _ = withBytes(of: "{}") { writer.append(push: draft, head: head, body: $0) }
            }
            #expect(writer.commit())
            let entries = try JournalReader(directory: directory).all()
            #expect(entries.compactMap(\.push).map(\.kind) == [.push])
            #expect(entries.compactMap(\.request).map(\.kind) == RequestKind.allCases)
            #expect(entries.compactMap(\.request).map(\.provider) == [.apns, .fcm, .apns])
            #expect(entries.compactMap(\.request?.bundle) == ["com.example.app", "com.example.app"])
        }
    }

    @Test func everythingAboutAPushIsReadBack() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            var draft = PushDraft(arrivedAt: Instant(nanoseconds: 1_500), status: 410)
            draft.connection = .max
            draft.stream = 2_147_483_647
            draft.provider = .fcm
            draft.environment = .sandbox
            draft.reason = "Unregistered"
            draft.timestampMilliseconds = 1_760_000_000_123
            draft.outcome = .notDelivered
            draft.faultRule = 7
            draft.faultAction = 5
            draft.apnsID = UUIDBytes(high: 1, low: 2)
            draft.delay = .milliseconds(200)
            draft.warnings = 0x8100_8001
            draft.credentialCause = .keyWithLineEnd
            draft.event = .end
            draft.stamp = -1_760_000_000
            draft.marker = Marker(run: .max, session: 1, step: .max - 1)
            let id = withBytes(of: #"{"aps":{}}"#) { writer.append(push: draft, head: sampleHead(), body: $0) }
            #expect(writer.commit())

            let push = try #require(try JournalReader(directory: directory).pushes().first)
            #expect(push.id == id)
            #expect(push.arrivedAt == Instant(nanoseconds: 1_500))
            #expect(push.arrivedWall == WallTime(seconds: 1_760_000_000) + .nanoseconds(1_500))
            #expect(push.connection == .max)
            #expect(push.stream == 2_147_483_647)
            #expect(push.provider == .fcm)
            #expect(push.environment == .sandbox)
            #expect(push.status == 410)
            #expect(push.reason == "Unregistered")
            #expect(push.timestampMilliseconds == 1_760_000_000_123)
            #expect(push.outcome == .notDelivered)
            #expect(push.faultRule == 7)
            #expect(push.faultAction == 5)
            #expect(push.apnsID == UUIDBytes(high: 1, low: 2))
            #expect(push.delay == .milliseconds(200))
            #expect(push.warnings == 0x8100_8001)
            #expect(push.credentialCause == .keyWithLineEnd)
            #expect(push.event == .end && !push.hasUnknownEvent)
            #expect(push.stamp == -1_760_000_000)
            #expect(push.marker == Marker(run: .max, session: 1, step: .max - 1))
            #expect(push.payload == Array(#"{"aps":{}}"#.utf8))
            #expect(push.token == sampleToken)
            #expect(push.topic == "com.example.app.push-type.liveactivity")
            #expect(push.pushType == "liveactivity")
            #expect(push.priority == "5")
            #expect(!push.isCut)
            #expect(
                push.headers.map(\.name) == [
                    ":method", ":path", "authorization", "apns-topic", "apns-push-type", "apns-priority",
                ])
            #expect(push.header("authorization") == "bearer aaaa.bbbb.cccc")
        }
    }

    @Test func aPushWithoutReasonOutcomeFieldsOrBodyIsReadBack() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            let silent = PushDraft(arrivedAt: Instant(nanoseconds: 5), status: 0)
            _ = withBytes(of: "") { writer.append(push: silent, head: HeaderBlock(), body: $0) }
            #expect(writer.commit())
            let push = try #require(try JournalReader(directory: directory).pushes().first)
            #expect(push.status == 0)
            #expect(push.reason == nil)
            #expect(push.outcome == nil)
            #expect(push.event == nil && push.stamp == nil && push.marker == nil && !push.hasUnknownEvent)
            #expect(push.headers.isEmpty)
            #expect(push.payload.isEmpty)
            #expect(push.token == "")
        }
    }

    @Test func eventsAreReadBackAndStandAtTheirLatestInstant() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "load-0", time: time)
            let event = EventDraft(
                session: .max, step: 3, kind: 9, plannedAt: Instant(nanoseconds: 10), sentAt: Instant(nanoseconds: 20),
                answeredAt: Instant(nanoseconds: 90), status: 202, failure: EventFailure.timeout.rawValue,
                lateness: .nanoseconds(7), attempts: 2, answer: Array("no".utf8))
            writer.append(event: event)
            writer.append(note: .phase, text: #"{"phase":"drain"}"#, at: Instant(nanoseconds: 50))
            #expect(writer.commit())
            let entries = try JournalReader(directory: directory).all()
            // One file is read in its own order; only between files does the instant decide.
            #expect(entries.map(\.nanoseconds) == [90, 50])
            let read = try #require(entries[0].event)
            #expect(read.session == .max)
            #expect(read.step == 3)
            #expect(read.kind == 9)
            #expect(read.plannedAt == event.plannedAt)
            #expect(read.sentAt == event.sentAt)
            #expect(read.answeredAt == event.answeredAt)
            #expect(read.status == 202)
            #expect(read.failure == 4)
            #expect(read.lateness == .nanoseconds(7))
            #expect(read.attempts == 2)
            #expect(read.answer == Array("no".utf8))
            #expect(read.plannedWall == WallTime(seconds: 1_760_000_000) + .nanoseconds(10))
        }
    }

    @Test(arguments: NoteKind.allCases)
    func notesOfEveryKindAreReadBack(kind: NoteKind) throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            for text in ["", "{}", #"{"häuser":"€"}"#, String(repeating: "x", count: 300_000)] {
                writer.append(note: kind, text: text, at: Instant(nanoseconds: 1))
            }
            #expect(writer.commit())
            let notes = try JournalReader(directory: directory).all().compactMap(\.note)
            #expect(notes.map(\.kind) == [kind, kind, kind, kind])
            #expect(notes.map(\.text.utf8.count) == [0, 2, 17, 300_000])
        }
    }

    @Test func aLateOutcomeNamesItsPush() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            let id = writer.push(at: 1)
            writer.append(lateOutcome: .shown, of: id, at: Instant(nanoseconds: 2))
            writer.append(note: .admin, text: #"{"push":1,"outcome":"shown"}"#, at: Instant(nanoseconds: 3))
            #expect(writer.commit())
            let notes = try JournalReader(directory: directory).all().compactMap(\.note)
            #expect(notes.map { $0.lateOutcome?.push } == [id, nil])
            #expect(notes[0].lateOutcome?.outcome == .shown)
        }
    }

    @Test func aNoteThatIsTooLongIsReplacedByOneThatSaysSo() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            let text = String(repeating: "x", count: 4 << 20) + "x"
            writer.append(note: .admin, text: text, at: Instant(nanoseconds: 1))
            #expect(writer.commit())
            #expect(try JournalReader(directory: directory).all().first?.note?.text == #"{"tooLong":4194305}"#)
        }
    }

    @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 240, 241, 4096, 262_144, 300_000, 1 << 20])
    func bodiesOfEveryLengthAreReadBack(length: Int) throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            let body = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            for instant in 0..<3 {
                _ = writer.append(push: draft(at: Int64(instant)), head: sampleHead(), body: body.span)
            }
            #expect(writer.commit())
            let pushes = try JournalReader(directory: directory).pushes()
            #expect(pushes.count == 3)
            #expect(pushes.allSatisfy { $0.payload == body && !$0.isCut })
        }
    }

    @Test func aBodyBeyondTheLimitIsCutAndSaysSo() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            let body = [UInt8](repeating: 7, count: Format.maxBodyBytes + 1)
            _ = writer.append(push: draft(at: 1), head: sampleHead(), body: body.span)
            writer.push(at: 2)
            #expect(writer.commit())
            let pushes = try JournalReader(directory: directory).pushes()
            #expect(pushes.map(\.payload.count) == [Format.maxBodyBytes, 2])
            #expect(pushes.map(\.isCut) == [true, false])
        }
    }

    @Test func fieldsBeyondTheLimitAreLeftOutAndTheRestIsKept() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            let head = sampleHead()
            head.append("too-long", String(repeating: "v", count: 65_536))
            head.append("just-fits", String(repeating: "v", count: 65_535))
            for _ in 0..<40 { head.append("many", String(repeating: "v", count: 40_000)) }
            writer.push(at: 1, head: head)
            #expect(writer.commit())
            let push = try #require(try JournalReader(directory: directory).pushes().first)
            #expect(push.isCut)
            #expect(push.header("too-long") == nil)
            #expect(push.header("just-fits")?.count == 65_535)
            #expect((10...30).contains(push.headers.count { $0.name == "many" }))
            #expect(push.token == sampleToken)
        }
    }

    @Test func aPushIsWellKeptWhateverItsFieldsAre() throws {
        var generator = Seed(20).child("fields").generator()
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            var written: [[String]] = []
            for instant in 0..<500 {
                let head = HeaderBlock()
                var fields: [String] = []
                for _ in 0..<Int(generator.next() % 12) {
                    let name = generator.next() % 4 == 0 ? "authorization" : String(generator.next() % 1000, radix: 36)
                    let stem = String(repeating: "é", count: Int(generator.next() % 40))
                    let value = stem + String(generator.next() % 8)
                    head.append(name: name, value: value)
                    fields.append(name + "=" + value)
                }
                written.append(fields)
                writer.push(at: Int64(instant), body: String(generator.next() % 50), head: head)
                if generator.next() % 3 == 0 { #expect(writer.commit()) }
            }
            #expect(writer.commit())
            let pushes = try JournalReader(directory: directory).pushes()
            #expect(pushes.map { $0.headers.map { $0.name + "=" + $0.value } } == written)
            #expect(Set(pushes.map(\.id)).count == 500)
            #expect(pushes.allSatisfy { $0.id > 0 && $0.id < 1 << 53 })
        }
    }
}

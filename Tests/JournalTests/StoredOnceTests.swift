// Bodies and credentials are stored once per file, within fixed memory.

import Basics
import HTTP
import Testing

@testable import Journal

@Suite struct StoredOnceTests {
    let time = ManualTime()

    private func growth(_ writer: JournalWriter, _ act: () -> Void) -> Int {
        let before = writer.byteCount
        act()
        return writer.byteCount - before
    }

    @Test func aBodyMetAgainCostsNothing() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            let body = String(repeating: "b", count: 4000)
            let first = growth(writer) { writer.push(at: 1, body: body) }
            let second = growth(writer) { writer.push(at: 2, body: body) }
            let other = growth(writer) { writer.push(at: 3, body: body.dropLast() + "c") }
            #expect(first > 4000)
            #expect(second < 400)
            #expect(other > 4000)
            #expect(writer.commit())
            let lengths = try JournalReader(directory: directory).pushes().map(\.payload.count)
            #expect(lengths == [4000, 4000, 4000])
        }
    }

    @Test func anAnswerMetAgainCostsNothingAndATooLongOneIsCut() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "load-0", time: time)
            func event(_ step: UInt32, _ answer: String) -> EventDraft {
                EventDraft(
                    session: 1, step: step, kind: 0, plannedAt: Instant(nanoseconds: 1), answer: Array(answer.utf8))
            }
            let long = String(repeating: "a", count: 600)
            let first = growth(writer) { writer.append(event: event(0, long)) }
            let second = growth(writer) { writer.append(event: event(1, long)) }
            let none = growth(writer) { writer.append(event: event(2, "")) }
            #expect(first > 512 && first < 700)
            #expect(second == none && none < 100)
            #expect(writer.commit())
            let events = try JournalReader(directory: directory).all().compactMap(\.event)
            #expect(events.map(\.answer.count) == [512, 512, 0])
            #expect(events[1].answer == Array(long.utf8.prefix(512)))
        }
    }

    @Test func aCredentialMetAgainCostsNothing() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            let long = "bearer " + String(repeating: "t", count: 1000)
            let first = growth(writer) { writer.push(at: 1, head: sampleHead(authorization: long)) }
            let second = growth(writer) { writer.push(at: 2, head: sampleHead(authorization: long)) }
            #expect(first > 1000)
            #expect(second < 400)
            #expect(writer.commit())
            let credentials = try JournalReader(directory: directory).pushes().map { $0.header("authorization") }
            #expect(credentials == [long, long])
        }
    }

    @Test func severalAuthorizationFieldsInOnePushAreAllKept() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            let head = HeaderBlock()
            for number in 0..<3000 { head.append("authorization", "bearer \(number)") }
            writer.push(at: 1, head: head)
            #expect(writer.commit())
            let push = try #require(try JournalReader(directory: directory).pushes().first)
            #expect(push.headers.map(\.value) == (0..<3000).map { "bearer \($0)" })
        }
    }

    @Test func theTableForgetsRatherThanGrows() {
        let table = BlobTable(sets: 2)
        func digest(_ number: UInt64) -> BlobDigest {
            let bytes = withUnsafeBytes(of: number) { Array($0) }
            return bytes.withUnsafeBytes { BlobDigest($0) }
        }
        for number in 1...1000 { table.insert(digest(UInt64(number)), offset: UInt64(number)) }
        let known = (1...1000).filter { table.offset(of: digest(UInt64($0))) == UInt64($0) }
        #expect(known.count == 8)
        #expect(known.contains(1000))
    }

    @Test func whatIsMetOftenIsNotForgotten() {
        let table = BlobTable(sets: 1)
        func digest(_ number: UInt64) -> BlobDigest {
            let bytes = withUnsafeBytes(of: number) { Array($0) }
            return bytes.withUnsafeBytes { BlobDigest($0) }
        }
        table.insert(digest(0), offset: 8)
        for number in 1...100 {
            #expect(table.offset(of: digest(0)) == 8)
            table.insert(digest(UInt64(number)), offset: UInt64(number) * 16)
        }
    }

    @Test func bodiesForgottenByTheTableAreStoredAgainAndReadBack() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            for round in 0..<2 {
                for number in 0..<40_000 { writer.push(at: Int64(round), body: String(number)) }
                #expect(writer.commit())
            }
            let bodies = try JournalReader(directory: directory).bodies()
            #expect(bodies == (0..<80_000).map { String($0 % 40_000) })
        }
    }
}

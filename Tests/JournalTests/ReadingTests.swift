// Many files, one history; and reading on while it is being written.

import Basics
import Glibc
import HTTP
import Testing

@testable import Journal

@Suite struct ReadingTests {
    let time = ManualTime()

    @Test func filesAreMergedByInstant() throws {
        try withDirectory { directory in
            var generator = Seed(3).generator()
            let writers = try (0..<5).map { try JournalWriter(directory: directory, name: "apns-\($0)", time: time) }
            for instant in 0..<3000 {
                writers[Int(generator.next() % 5)].push(at: Int64(instant), body: String(instant))
            }
            #expect(writers.allSatisfy { $0.commit() })
            #expect(try JournalReader(directory: directory).bodies() == (0..<3000).map { String($0) })
        }
    }

    @Test func anEventStandsAmongTheOthersWhereItEnded() throws {
        try withDirectory { directory in
            let load = try JournalWriter(directory: directory, name: "load-0", time: time)
            load.append(
                event: EventDraft(
                    session: 0, step: 0, kind: 0, plannedAt: Instant(nanoseconds: 10), sentAt: Instant(nanoseconds: 20),
                    answeredAt: Instant(nanoseconds: 90)))
            let mock = try JournalWriter(directory: directory, name: "apns-0", time: time)
            for instant in [15, 50, 95] { mock.push(at: Int64(instant)) }
            #expect(load.commit() && mock.commit())
            #expect(try JournalReader(directory: directory).all().map(\.nanoseconds) == [15, 50, 90, 95])
        }
    }

    @Test func anEmptyDirectoryIsAnEmptyHistory() throws {
        try withDirectory { directory in
            let reader = try JournalReader(directory: directory)
            #expect(try reader.all().isEmpty)
            #expect(try reader.forEach(since: nil) { _ in true }.text == "")
        }
    }

    @Test func aMissingDirectoryIsAClearFailure() {
        let failure = #expect(throws: Failure.self) { try JournalReader(directory: "/tmp/pushrig-none/journal") }
        #expect(failure?.message.contains("/tmp/pushrig-none/journal: No such file") == true)
        #expect(failure?.hint != nil)
    }

    @Test func aLaterProcessNeverTouchesAnEarlierFile() throws {
        try withDirectory { directory in
            for process in 0..<3 {
                let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
                writer.push(at: Int64(process), body: String(process))
                #expect(writer.commit())
            }
            #expect(names(in: directory) == ["apns-0.2.journal", "apns-0.3.journal", "apns-0.journal"])
            let pushes = try JournalReader(directory: directory).pushes()
            #expect(pushes.map(\.payload) == [[48], [49], [50]])
            #expect(Set(pushes.map(\.id)).count == 3)
        }
    }

    @Test func filesOfAnotherBootAreOrderedByWallTime() throws {
        try withDirectory { directory in
            // The machine was started again in between: the later file's instants are the smaller ones.
            let earlier = FixedTime(instant: 9_000_000_000_000, wallSeconds: 1_000_000)
            let later = FixedTime(instant: 1_000_000_000, wallSeconds: 1_000_100)
            let first = try JournalWriter(directory: directory, name: "apns-1", time: earlier)
            first.push(at: 9_000_000_000_001, body: "before")
            let second = try JournalWriter(directory: directory, name: "apns-0", time: later)
            second.push(at: 1_000_000_001, body: "after")
            #expect(first.commit() && second.commit())
            let pushes = try JournalReader(directory: directory).pushes()
            #expect(pushes.map { String(decoding: $0.payload, as: UTF8.self) } == ["before", "after"])
            #expect(pushes.map(\.arrivedWall.seconds) == [1_000_000, 1_000_100])
        }
    }

    /// Half a second later on the monotonic clock, and the wall clock was set back or forward by that much.
    @Test(arguments: [1001, 1002])
    func aWallClockThatWasSetABitDoesNotDisturbTheOrderOfInstants(wallSeconds: Int64) throws {
        try withDirectory { directory in
            let first = try JournalWriter(
                directory: directory, name: "apns-0", time: FixedTime(instant: 1_000_000_000, wallSeconds: 1001))
            let later = FixedTime(instant: 1_500_000_000, wallSeconds: wallSeconds)
            let second = try JournalWriter(directory: directory, name: "apns-1", time: later)
            second.push(at: 1_500_000_000, body: "1")
            first.push(at: 1_500_000_001, body: "2")
            second.push(at: 1_500_000_002, body: "3")
            #expect(first.commit() && second.commit())
            #expect(try JournalReader(directory: directory).bodies() == ["1", "2", "3"])
        }
    }

    @Test func aCursorGoesOnWhereTheLastReadingEnded() throws {
        try withDirectory { directory in
            let writers = try (0..<2).map { try JournalWriter(directory: directory, name: "apns-\($0)", time: time) }
            let reader = try JournalReader(directory: directory)
            var cursor: JournalCursor?
            var seen: [String] = []
            for round in 0..<50 {
                for (index, writer) in writers.enumerated() where round % (index + 2) == 0 {
                    writer.push(at: Int64(round), body: "\(round)-\(index)")
                    #expect(writer.commit())
                }
                cursor = try reader.forEach(since: cursor) {
                    if let push = $0.push { seen.append(String(decoding: push.payload, as: UTF8.self)) }
                    return true
                }
            }
            let all = try reader.bodies()
            #expect(seen == all)
            #expect(all.count == 25 + 17)
        }
    }

    @Test func aVisitorThatStopsMissesNothingAndSeesNothingTwice() throws {
        try withDirectory { directory in
            let writers = try (0..<3).map { try JournalWriter(directory: directory, name: "apns-\($0)", time: time) }
            for instant in 0..<100 { writers[instant % 3].push(at: Int64(instant), body: String(instant)) }
            #expect(writers.allSatisfy { $0.commit() })
            var cursor = JournalCursor()
            var seen: [String] = []
            for step in 1...100 where seen.count < 100 {
                // A reader that goes on by text alone, as one behind a URL does.
                let reader = try JournalReader(directory: directory)
                var left = step % 7 + 1
                let parsed = try #require(JournalCursor(parsing: cursor.text))
                cursor = try reader.forEach(since: parsed) {
                    seen.append(String(decoding: $0.push!.payload, as: UTF8.self))
                    left -= 1
                    return left > 0
                }
                #expect(reader.cuts.isEmpty)
            }
            #expect(seen == (0..<100).map { String($0) })
        }
    }

    @Test func filesThatAppearLaterAreFound() throws {
        try withDirectory { directory in
            let reader = try JournalReader(directory: directory)
            var cursor = try reader.forEach(since: nil) { _ in true }
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            writer.push(at: 1, body: "new")
            #expect(writer.commit())
            var count = 0
            cursor = try reader.forEach(since: cursor) { _ in
                count += 1
                return true
            }
            #expect(count == 1)
            #expect(cursor.text.hasPrefix("apns-0:"))
        }
    }

    @Test func whatIsNotCommittedIsNotRead() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            writer.push(at: 1)
            #expect(try JournalReader(directory: directory).all().isEmpty)
            #expect(writer.commit())
            #expect(try JournalReader(directory: directory).all().count == 1)
        }
    }

    @Test func readingOnCostsNoRescan() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            for number in 0..<30_000 { writer.push(at: Int64(number), body: "body \(number)") }
            #expect(writer.commit())
            let reader = try JournalReader(directory: directory)
            var cursor = try reader.forEach(since: nil) { _ in true }
            let start = clock()
            for number in 0..<200 {
                // The first body stands at the start of the file, far from where the reader is.
                writer.push(at: Int64(30_000 + number), body: "body \(number % 2 * 29_999)")
                #expect(writer.commit())
                cursor = try reader.forEach(since: cursor) { $0.push?.payload.isEmpty == false }
            }
            // Reading 30,000 entries 200 times would take minutes in a debug build.
            #expect(Double(clock() - start) / Double(CLOCKS_PER_SEC) < 5)
            #expect(try reader.all(since: cursor).isEmpty)
        }
    }

    @Test func aHundredOldFilesNeedFewDescriptors() throws {
        try withDirectory { directory in
            let time = ManualTime()
            for process in 0..<100 {
                let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
                time.advance(by: .seconds(1))
                writer.push(at: time.now().nanoseconds, body: String(process))
                #expect(writer.commit())
                time.advance(by: .seconds(1))
            }
            let reader = try JournalReader(directory: directory)
            let before = names(in: "/proc/self/fd").count
            #expect(try reader.bodies() == (0..<100).map { String($0) })
            // Other tests open files at the same time, so this is generous.
            #expect(names(in: "/proc/self/fd").count - before < 60)
        }
    }

    @Test(arguments: ["", "apns-0:4096", "apns-0:4096,apns-1:128", "apns-0.2:72,load-0:1"])
    func cursorsHaveATextForm(text: String) throws {
        #expect(try #require(JournalCursor(parsing: text)).text == text)
    }

    @Test(arguments: [
        ":", "apns-0", "apns-0:", "apns-0:-1", "apns-0:+1", "apns-0:1,", ",apns-0:1", "apns-0:1,apns-0:2", "../etc:1",
        ".:1", "a/b:1", "apns-0:99999999999999999999", "apns-0:8796093022208", "apns-0:1:1x", "apns-0: 1",
    ])
    func whatIsNoCursorIsRefused(text: String) { #expect(JournalCursor(parsing: text) == nil) }

    @Test(arguments: [1, 8, 71, 72, 79, 80, 81, 88, 96, 100_000, 1 << 42])
    func aMadeUpCursorReadsWholeEntriesOrNothing(offset: Int) throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            // The body is itself a journal, in the hope that it is taken for one.
            writer.push(at: 1)
            #expect(writer.commit())
            let forged = contents(writer.path)
            _ = writer.append(push: draft(at: 2), head: sampleHead(), body: forged.span)
            #expect(writer.commit())
            let cursor = try #require(JournalCursor(parsing: "apns-0:\(offset)"))
            let pushes = try JournalReader(directory: directory).pushes(since: cursor)
            #expect(pushes.allSatisfy { $0.payload == Array("{}".utf8) || $0.payload == forged })
        }
    }
}

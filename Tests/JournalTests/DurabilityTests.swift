// What `commit` promises, and what it says when the disk does not let it.

import Basics
import Glibc
import HTTP
import Testing

@testable import Journal

@Suite struct DurabilityTests {
    let time = ManualTime()

    @Test func committedEntriesOutliveKillNine() async throws {
        let directory = "/tmp/pushrig-killed-\(getpid())"
        defer {
            for name in names(in: directory) { unlink(directory + "/" + name) }
            rmdir(directory)
        }
        await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String] in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: ManualTime())
            for number in 0..<1000 {
                writer.push(at: Int64(number), body: String(number))
                if number % 10 == 9 { #expect(writer.commit()) }
            }
            for _ in 0..<50 { writer.push(at: 1000, body: "never committed") }
            kill(getpid(), SIGKILL)
        }
        let reader = try JournalReader(directory: directory)
        #expect(try reader.bodies() == (0..<1000).map { String($0) })
        #expect(reader.cuts.isEmpty)
    }

    @Test func aWriterThatEndsWritesWhatItHas() throws {
        try withDirectory { directory in
            do {
                let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
                writer.push(at: 1)
            }
            #expect(try JournalReader(directory: directory).all().count == 1)
        }
    }

    @Test func shortWritesAndInterruptionsAreCarriedOn() throws {
        try withDirectory { directory in
            let disk = SmallDisk(room: .max, step: 100, interrupts: true)
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time, write: disk.write)
            for number in 0..<100 { writer.push(at: Int64(number), body: String(number)) }
            #expect(writer.commit())
            #expect(try JournalReader(directory: directory).bodies() == (0..<100).map { String($0) })
        }
    }

    @Test(arguments: [ENOSPC, EIO, EDQUOT, EFBIG])
    func afterADiskFailureNothingIsPromisedAnyMore(error: Int32) throws {
        try withDirectory { directory in
            let disk = SmallDisk(room: 10_000, error: error)
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time, write: disk.write)
            var promised: [String] = []
            var number = 0
            while true {
                let batch = (0..<3).map { String(number + $0) }
                for body in batch { #expect(writer.push(at: Int64(number), body: body) != 0) }
                number += 3
                if !writer.commit() { break }
                promised += batch
            }
            let failure = try #require(writer.failure)
            #expect(failure.kind == .run)
            let words = String(cString: strerror(error))
            #expect(failure.message == "cannot write the journal \(directory)/apns-0.journal: \(words)")
            // The half-written batch was taken back.
            #expect(promised.count > 10)
            #expect(try JournalReader(directory: directory).bodies() == promised)
            #expect(contents(writer.path).count == writer.byteCount)
            // And it stays so.
            #expect(writer.push(at: 0) == 0)
            writer.append(event: EventDraft(session: 0, step: 0, kind: 0, plannedAt: Instant(nanoseconds: 0)))
            writer.append(note: .phase, text: "{}", at: Instant(nanoseconds: 0))
            #expect(!writer.commit())
            #expect(try JournalReader(directory: directory).bodies() == promised)
        }
    }

    @Test func aFailureInTheMiddleOfALargeBatchTakesBackTheWholeBatch() throws {
        try withDirectory { directory in
            let disk = SmallDisk(room: 900_000)
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time, write: disk.write)
            writer.push(at: 0, body: "safe")
            #expect(writer.commit())
            for number in 0..<5_000 { writer.push(at: 1, body: String(number)) }
            #expect(!writer.commit())
            #expect(try JournalReader(directory: directory).bodies() == ["safe"])
        }
    }

    @Test func anEmptyCommitIsTrueAndWritesNothing() throws {
        try withDirectory { directory in
            let disk = SmallDisk(room: 0)
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time, write: disk.write)
            let size = writer.byteCount
            #expect(writer.commit())
            #expect(writer.byteCount == size)
        }
    }

    @Test func missingDirectoriesAreMade() throws {
        try withDirectory { directory in
            let deep = directory + "/state/journal"
            let writer = try JournalWriter(directory: deep, name: "apns-0", time: time)
            writer.push(at: 1)
            #expect(writer.commit())
            #expect(try JournalReader(directory: deep).all().count == 1)
            unlink(writer.path)
            rmdir(deep)
            rmdir(directory + "/state")
        }
    }

    @Test func aDirectoryThatCannotBeMadeIsAClearFailure() throws {
        let failure = #expect(throws: Failure.self) {
            try JournalWriter(directory: "/dev/null/journal", name: "apns-0", time: time)
        }
        #expect(failure?.message == "cannot create the journal directory /dev/null/journal: Not a directory")
        #expect(failure?.hint != nil)
    }

    @Test func aFileInTheDirectorysPlaceIsAClearFailure() throws {
        try withDirectory { directory in
            overwrite(directory + "/journal", [])
            let failure = #expect(throws: Failure.self) {
                try JournalWriter(directory: directory + "/journal", name: "apns-0", time: time)
            }
            #expect(failure?.message.hasSuffix("/journal: Not a directory") == true)
        }
    }

    @Test func filesAreReadableToTheirOwnerOnly() throws {
        try withDirectory { directory in
            let writer = try JournalWriter(directory: directory, name: "apns-0", time: time)
            var status = stat()
            #expect(stat(writer.path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    @Test func relativeDirectoriesAreMadeToo() throws {
        try withDirectory { directory in
            var here = [CChar](repeating: 0, count: 4096)
            #expect(getcwd(&here, here.count) != nil)
            // As many steps up as it takes to reach the root.
            let up = String(repeating: "../", count: 40)
            let relative = up + directory.dropFirst() + "/sub"
            let writer = try JournalWriter(directory: relative, name: "apns-0", time: time)
            #expect(names(in: directory + "/sub") == ["apns-0.journal"])
            unlink(writer.path)
            rmdir(directory + "/sub")
        }
    }
}

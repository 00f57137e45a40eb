// When the journal cannot be written, nothing is answered that is not on record.

import Basics
import EventLoop
import Glibc
import Journal
import MockServer
import Synchronization
import Testing

@Suite struct FullDiskTests {
    private static let mayMount =
        getuid() == 0
        && run("mount --version && mount -t tmpfs -o size=64k pushrig /mnt && umount /mnt")?.contains("mount: /mnt")
            == false

    @Test(.enabled(if: mayMount)) func `on a full disk no push is answered, and it is told once`() throws {
        try withDirectory { directory in
            let journal = directory + "/disk"
            _ = run("mkdir '\(journal)' && mount -t tmpfs -o size=256k pushrig '\(journal)'")
            // Lazily: it goes away even while a file in it is still open, as after a failure.
            defer { _ = run("umount -l '\(journal)'") }
            let told = Told()
            let mock = try TestMock(directory + "/state", onFailure: { told.failures.withLock { $0 += 1 } }) {
                $0.journalDirectory = journal
            }
            defer { mock.stop() }
            let client = try mock.provider()
            var answered = 0
            var isBroken = false
            for number in 0..<400 where !isBroken {
                let body = #"{"aps":{"alert":"\#(number) "# + String(repeating: "x", count: 3_000) + #""}}"#
                switch client.send("POST", "/3/device/" + TestMock.device, mock.fields(), body: body).take() {
                case .success(let reply):
                    #expect(reply.status == 200)
                    answered += 1
                case .failure: isBroken = true
                }
            }
            #expect(isBroken && answered > 20)
            #expect(try mock.journal().count == answered)
            #expect(told.failures.withLock { $0 } == 1)
            #expect(mock.service.failure != nil)
            let health = try mock.admin.ask("GET", "/v1/health")
            #expect(health.status == 503 && health.json["status"] == "failing")
            let again = try mock.provider().send("POST", "/3/device/" + TestMock.device, mock.fields(), body: alert)
                .take()
            if case .success(let reply) = again { Issue.record("answered \(reply.status) with a broken journal") }
        }
    }

    @Test(.enabled(if: mayMount)) func `on a full disk a change through the admin API is not answered as if it were on record`()
        throws
    {
        try withDirectory { directory in
            let journal = directory + "/disk"
            _ = run("mkdir '\(journal)' && mount -t tmpfs -o size=256k pushrig '\(journal)'")
            defer { _ = run("umount -l '\(journal)'") }
            let mock = try TestMock(directory + "/state") { $0.journalDirectory = journal }
            defer { mock.stop() }
            func set(_ number: Int) throws -> Reply {
                try mock.admin.ask(
                    "PUT", "/v1/tokens/" + String(1_000 + number), [("content-type", "application/json")], body: #"{"kind":"device"}"#)
            }
            #expect(try set(0).status == 201)
            _ = run("dd if=/dev/zero of='\(journal)/filler' bs=4096 2>/dev/null")
            // The file's last page may have room for some.
            var statuses: [Int] = []
            for number in 1..<60 { statuses.append(try set(number).status) }
            let made = statuses.prefix { $0 == 201 }.count
            #expect(made < 40 && statuses.dropFirst(made).allSatisfy { $0 == 503 }, "\(statuses)")
            #expect(try set(100).json["error"]?["code"] == "not-recorded")
            #expect(try mock.admin.ask("GET", "/v1/tokens/1100").status == 404)
            #expect(try mock.admin.ask("GET", "/v1/health").status == 503)
            var noted = 0
            _ = try JournalReader(directory: journal).forEach(since: nil) { entry in
                if case .note(let note) = entry, note.kind == .admin { noted += 1 }
                return true
            }
            #expect(noted == made + 1)
        }
    }

    private final class Told: Sendable {
        let failures = Mutex(0)
    }
}

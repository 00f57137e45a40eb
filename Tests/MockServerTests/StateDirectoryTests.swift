// What outlives a mock, and who may read it.

import Basics
import Glibc
import MockServer
import Net
import TLS
import Testing

@Suite struct StateDirectoryTests {
    @Test func `the directory is made with its files, and secrets are their owner's`() throws {
        try withMock { mock in
            let coordinates = mock.service.coordinates
            #expect(mode(of: mock.directory) == 0o700)
            #expect(coordinates.apnsKey == mock.directory + "/AuthKey_\(coordinates.keyID).p8")
            for name in ["ca.key", "server.key", "AuthKey_\(coordinates.keyID).p8", "mock.json"] {
                #expect(mode(of: mock.directory + "/" + name) == 0o600, "\(name)")
            }
            for name in ["ca.pem", "server.pem"] { #expect(mode(of: mock.directory + "/" + name) == 0o644, "\(name)") }
            #expect(readText(mock.directory + "/mock.json") == coordinates.readyLine + "\n")
        }
    }

    @Test func `a second start finds the same authority, key and names`() throws {
        try withDirectory { directory in
            func start() throws -> (MockCoordinates, [String?]) {
                let mock = try TestMock(directory, { _ in })
                defer { mock.stop() }
                let coordinates = mock.service.coordinates
                return (coordinates, ["ca.pem", "server.pem"].map { readText(directory + "/" + $0) } + [mock.key.pem])
            }
            let (first, firstFiles) = try start()
            #expect(readText(directory + "/mock.json") == nil)
            let (second, secondFiles) = try start()
            #expect(first.keyID == second.keyID && first.teamID == second.teamID)
            #expect(firstFiles == secondFiles)
        }
    }

    @Test func `a certificate for further names is issued by the same authority`() throws {
        try withDirectory { directory in
            let first = try TestMock(directory, { _ in })
            let (authority, certificate) = (readText(directory + "/ca.pem"), readText(directory + "/server.pem"))
            first.stop()
            let second = try TestMock(directory) { $0.serverNames = ["mock.test"] }
            defer { second.stop() }
            #expect(readText(directory + "/ca.pem") == authority)
            #expect(readText(directory + "/server.pem") != certificate)
        }
    }

    @Test func `two mocks do not share a directory`() throws {
        try withMock { mock in
            let failure = #expect(throws: Failure.self) { try TestMock(mock.directory, { _ in }) }
            #expect(failure?.message.contains("another mock uses") == true)
            #expect(failure?.hint != nil)
        }
    }

    @Test(arguments: ["ca.pem", "server.key", "identity.json", "credentials.json", "reset-point", "lock"])
    func `a pipe in the place of a file is told, and not waited for`(name: String) throws {
        try withDirectory { directory in
            try TestMock(directory, { _ in }).stop()
            unlink(directory + "/" + name)
            #expect(mkfifo(directory + "/" + name, 0o600) == 0)
            let failure = #expect(throws: Failure.self) { try TestMock(directory, { _ in }) }
            #expect(failure?.message.contains(name) == true && failure?.message.contains("plain file") == true)
        }
    }

    @Test func `the lock is never taken through a link`() throws {
        try withDirectory { directory in
            try TestMock(directory + "/state", { _ in }).stop()
            unlink(directory + "/state/lock")
            #expect(symlink(directory + "/elsewhere", directory + "/state/lock") == 0)
            let failure = #expect(throws: Failure.self) { try TestMock(directory + "/state", { _ in }) }
            #expect(failure?.message.contains("plain file") == true)
            #expect(mode(of: directory + "/elsewhere") == 0)
        }
    }

    @Test func `a busy port is one clear line`() throws {
        try withMock { mock in
            let failure = #expect(throws: Failure.self) {
                try TestMock(mock.directory + "-other") { $0.apns = mock.service.coordinates.apns }
            }
            #expect(failure?.message.contains("cannot listen on") == true)
        }
    }

    @Test(arguments: ["ca.pem", "identity.json"])
    func `a broken file is told by its name`(name: String) throws {
        try withDirectory { directory in
            try TestMock(directory, { _ in }).stop()
            try write("rubbish", to: directory + "/" + name)
            let failure = #expect(throws: Failure.self) { try TestMock(directory, { _ in }) }
            #expect(failure?.place == directory + "/" + name)
            #expect(failure?.hint != nil)
        }
    }

    @Test func `the names of a key and a team have ten characters and follow from the seed`() throws {
        var seen: [MockCoordinates] = []
        for seed in [UInt64(7), 7, 8] {
            try withMock({ $0.seed = Seed(seed) }) { seen.append($0.service.coordinates) }
        }
        #expect(seen[0].keyID.count == 10 && seen[0].teamID.count == 10)
        #expect(seen[0].keyID == seen[1].keyID)
        #expect(seen[0].keyID != seen[2].keyID && seen[0].keyID != seen[0].teamID)
    }

    @Test(arguments: ["", "a b", "com.example.app.voip"]) func `a topic that no app has stops the mock at once`(
        topic: String
    ) {
        let failure = #expect(throws: Failure.self) { try withMock({ $0.topics = ["com.example.app", topic] }) { _ in } }
        #expect(failure?.kind == .usage && failure?.message.contains("'\(topic)'") == true)
    }

    @Test func `the ready line has its members in order`() throws {
        try withMock({ $0.topics = ["org.example.one", "org.example.two"] }) { mock in
            let coordinates = mock.service.coordinates
            let line = coordinates.readyLine
            let value = try JSONValue(parsing: line)
            #expect(
                value.object?.keys == [
                    "ready", "apns", "fcm", "admin", "channels", "ca", "apnsKey", "keyId", "teamId", "topics",
                    "serviceAccount", "tokenUri", "environment", "names", "apnsTwin", "sandbox", "sandboxTwin",
                    "sandboxChannels",
                ])
            #expect(value["ready"] == true && value["fcm"] == .null && value["serviceAccount"] == .null)
            #expect(value["apns"]?.string == "127.0.0.1:\(coordinates.apns.port)")
            #expect(value["admin"]?.string == "http://127.0.0.1:\(coordinates.admin!.port)")
            #expect(value["topics"] == ["org.example.one", "org.example.two"])
            #expect(!line.contains("\n"))
        }
    }
}

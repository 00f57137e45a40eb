// Channels and broadcasts as a provider uses them, for the tests of both.

import Basics
import EventLoop
import Journal
import MockServer
import Net

/// The fields and the body of a broadcast, valid unless a test turns a knob.
struct Broadcast {
    var fields: [(String, String)]
    var body: String

    init(_ mock: TestMock, _ event: String, ahead: Int64 = 0, expiration: Int64 = 0) {
        fields = [
            ("authorization", mock.authorization), ("apns-push-type", "LiveActivity"),
            ("apns-expiration", String(expiration)), ("apns-priority", "10"),
        ]
        body = Self.body(event, ahead: ahead)
    }

    static func body(_ event: String, ahead: Int64 = 0) -> String {
        let timestamp = SystemTime().wall().seconds + ahead
        return #"{"aps":{"timestamp":\#(timestamp),"event":"\#(event)","content-state":{"score":1}}}"#
    }
}

let bundle = "com.example.app"

extension TestMock {
    /// A client of channel management, with a connection of its own.
    func manager() throws -> TestClient {
        guard let address = service.coordinates.channels else { throw Failure(.run, "no channels are managed") }
        return try provider(at: address)
    }

    var credential: [(String, String)] { [("authorization", authorization)] }

    func createChannel(policy: Int, of bundle: String = bundle, by manager: TestClient? = nil) throws -> String {
        let reply = try (manager ?? self.manager()).ask(
            "POST", "/1/apps/\(bundle)/channels", credential,
            body: #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
        guard reply.status == 201, let id = reply.field("apns-channel-id") else { throw Failure(.run, reply.text) }
        return id
    }

    func broadcast(_ channel: String, _ broadcast: Broadcast, by client: TestClient? = nil) throws -> Reply {
        try (client ?? provider()).ask(
            "POST", "/4/broadcasts/apps/\(bundle)", broadcast.fields + [("apns-channel-id", channel)],
            body: broadcast.body)
    }

    func subscribe(_ token: String, to channel: String) throws -> Reply {
        try admin.ask(
            "PUT", "/v1/tokens/\(token)/channel", [("content-type", "application/json")],
            body: #"{"channel":"\#(channel)"}"#)
    }

    /// What the admin API says of a channel.
    func channel(_ id: String) throws -> JSONValue? {
        try admin.ask("GET", "/v1/channels").json["channels"]?.array?.first { $0["id"]?.string == id }
    }

    /// The outcomes of a channel's last broadcast, once all activities have had it.
    func outcomes(_ id: String) throws -> JSONValue {
        let deadline = now() + .seconds(60)
        while now() < deadline {
            if let last = try channel(id)?["last"], last["delivered"] == true { return last["outcomes"] ?? .null }
        }
        return .null
    }

    /// Notes about broadcasts and channels in the journal.
    func notes() throws -> [JSONValue] {
        var notes: [JSONValue] = []
        _ = try JournalReader(directory: service.journalDirectory).forEach(since: nil) { entry in
            if case .note(let note) = entry, note.kind == .broadcast, let value = try? JSONValue(parsing: note.text) {
                notes.append(value)
            }
            return true
        }
        return notes
    }

    func activity(_ token: String) throws -> JSONValue { try admin.ask("GET", "/v1/activities/" + token).json }
}

func withChannelMock(
    _ adjust: (inout MockOptions) -> Void = { _ in }, _ body: (TestMock) throws -> Void
) throws {
    try withMock(
        {
            $0.channels = SocketAddress(host: "127.0.0.1", port: 0)
            adjust(&$0)
        }, body)
}

// The judge of channels and broadcasts without sockets: the order of its checks, seen from outside.

import APNs
import Basics
import HTTP
import Pushes
import Synchronization
import Testing

/// Channels as the test wants them.
private final class StubChannels: ChannelDirectory {
    struct World {
        var isEnabled = true
        var hasRoom = true
        var policy: StoragePolicy? = .latest
        var admits = true
    }

    let world = Mutex(World())

    func isEnabled(_ bundle: Span<UInt8>) -> Bool { world.withLock { $0.isEnabled } }
    func hasRoom(for bundle: Span<UInt8>, in environment: PushEnvironment) -> Bool { world.withLock { $0.hasRoom } }
    func policy(of channel: ChannelID, bundle: Span<UInt8>, in environment: PushEnvironment) -> StoragePolicy? {
        world.withLock { $0.policy }
    }
    func admitsBroadcast(to channel: ChannelID, now: WallTime) -> Bool { world.withLock { $0.admits } }
}

@Suite struct BroadcastOrderTests {
    private let rig = ValidatorRig()
    private let channels = StubChannels()

    private func judge(
        _ method: String, _ path: String, _ fields: [String: String], _ body: String, at endpoint: BroadcastEndpoint
    ) -> BroadcastVerdict {
        var settings = APNsSettings()
        settings.allowedTopics = ["com.example.app"]
        let validator = BroadcastValidator(
            settings: settings, keys: rig.keys, tokens: rig.directory, channels: channels, ledger: TokenLedger(),
            seed: Seed(1))
        let head = HeaderBlock()
        head.append(name: ":method", value: method)
        head.append(name: ":path", value: path)
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { head.append(name: name, value: value) }
        let bytes = ByteBuffer()
        bytes.append(body)
        return validator.validate(
            head, body: bytes, at: endpoint, connection: ProviderConnection(), now: rig.time.wall())
    }

    /// Everything is wrong at first, and one thing after the other is put right.
    @Test func `a broadcast meets its refusals in the order of the table`() {
        var (method, path, body) = ("DELETE", "/4/broadcasts", "")
        var fields = ["apns-request-id": "7"]
        channels.world.withLock { $0 = .init(isEnabled: false, hasRoom: false, policy: nil, admits: false) }
        var seen: [String] = []
        var checks: [String] = []
        let repairs: [() -> Void] = [
            { method = "POST" },
            { path = "/4/broadcasts/apps/com.example.other.voip" },
            { fields["authorization"] = "bearer " + rig.jwt() },
            { fields["apns-request-id"] = nil },
            { path = "/4/broadcasts/apps/com.example.other" },
            { path = "/4/broadcasts/apps/com.example.app" },
            { channels.world.withLock { $0.isEnabled = true } },
            { fields["apns-channel-id"] = "?" },
            { fields["apns-channel-id"] = "AAAAAAAAAAAAAAAAAAAAAA==" },
            { fields["apns-push-type"] = "alert" },
            { fields["apns-push-type"] = "liveactivity" },
            { fields["apns-expiration"] = "1" },
            { fields["apns-priority"] = "5" },
            { channels.world.withLock { $0.policy = .nothing } },
            { fields["apns-expiration"] = "0" },
            { body = String(repeating: "x", count: 5_121) },
            { body = "x" },
            { body = "{}" },
            { channels.world.withLock { $0.admits = true } },
        ]
        for repair in repairs {
            let verdict = judge(method, path, fields, body, at: .sending)
            seen.append(verdict.rejection?.word.description ?? "accepted")
            if let check = verdict.check?.description, checks.last != check { checks.append(check) }
            repair()
        }
        #expect(
            seen == [
                "MethodNotAllowed", "BadPath", "MissingProviderToken", "BadMessageId", "TopicDisallowed", "TopicMismatch",
                "FeatureNotEnabled", "MissingChannelId", "BadChannelId", "MissingPushType", "InvalidPushType",
                "BadExpirationDate", "BadPriority", "ChannelNotRegistered", "BadExpirationDate", "PayloadEmpty",
                "PayloadTooLarge", "BadRequestPayload", "TooManyRequests",
            ])
        let rows = BroadcastCheck.order.map(\.name.description)
        #expect(checks == rows.filter { $0 != "configuration" && $0 != "room" })
        let verdict = judge(method, path, fields, body, at: .sending)
        #expect(verdict.rejection == nil && verdict.facts.priority == 5 && verdict.facts.policy == .nothing)
    }

    @Test func `a new channel meets its refusals in the order of the table`() {
        let path = "/1/apps/com.example.app/channels"
        channels.world.withLock { $0.hasRoom = false }
        let bodies = [
            ("", "PayloadEmpty"), (String(repeating: "x", count: 5_121), "PayloadTooLarge"), ("{", "BadRequestPayload"),
            (#"{"a":1,"a":2}"#, "BadRequestPayload"), (#"{"a":1}"#, "BadRequestParams"), ("{}", "MissingChannelQueueSize"),
            (#"{"message-storage-policy":1.5}"#, "MissingChannelQueueSize"),
            (#"{"message-storage-policy":null}"#, "MissingChannelQueueSize"),
            (#"{"message-storage-policy":1}"#, "MissingPushType"),
            (#"{"message-storage-policy":1,"push-type":1}"#, "InvalidPushType"),
            (#"{"message-storage-policy":1,"push-type":"LIVEACTIVITY"}"#, "InvalidPushType"),
            (#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#, "CannotCreateChannelConfig"),
        ]
        for (body, reason) in bodies {
            let fields = ["authorization": "bearer " + rig.jwt()]
            let verdict = judge("POST", path, fields, body, at: .management)
            #expect(verdict.rejection?.word.description == reason, "\(body.prefix(60))")
        }
    }

    /// A management port knows three methods; each of them on the wrong path is BadPath, any other is not allowed at all.
    @Test func `method and path together name the operation`() {
        let fields = ["authorization": "bearer " + rig.jwt(), "apns-channel-id": "AAAAAAAAAAAAAAAAAAAAAA=="]
        let body = #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
        let expected: [(String, String, BroadcastOperation?, BroadcastReason?)] = [
            ("POST", "channels", .create, nil), ("GET", "channels", .read, nil), ("DELETE", "channels", .delete, nil),
            ("GET", "all-channels", .list, nil), ("POST", "all-channels", nil, .badPath),
            ("DELETE", "all-channels", nil, .badPath), ("GET", "some-channels", nil, .badPath),
            ("PUT", "channels", nil, .methodNotAllowed), ("HEAD", "all-channels", nil, .methodNotAllowed),
        ]
        for (method, place, operation, reason) in expected {
            let verdict = judge(method, "/1/apps/com.example.app/" + place, fields, body, at: .management)
            #expect(verdict.facts.operation == operation && verdict.rejection == reason, "\(method) \(place)")
        }
    }

    /// The list has no word for a key of the other environment, nor for an unrelated one.
    @Test func `credentials are refused in the words of this list`() {
        rig.add("KEYPROD001", .environment(.production))
        let fields = ["authorization": "bearer " + rig.jwt(keyID: "KEYPROD001")]
        let verdict = judge("GET", "/1/apps/com.example.app/all-channels", fields, "", at: .management)
        #expect(verdict.rejection == .invalidProviderToken && verdict.check?.description == "credential")
    }
}

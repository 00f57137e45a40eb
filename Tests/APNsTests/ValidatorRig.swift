// One valid push and everything it needs to be judged. A test turns one knob.

import APNs
import Basics
import HTTP
import Pushes
import Synchronization

/// A signature anyone can check: 64 bytes made of the key's number and the message. Real ones are tested where OpenSSL
/// is.
struct FakeKey: SignatureVerifier {
    var number: UInt8 = 1

    func sign(_ message: Span<UInt8>) -> [UInt8] {
        var sum = UInt64(number) &+ 0x1234_5678
        for index in message.indices { sum = (sum ^ UInt64(message[index])) &* 0x100_0000_01B3 }
        return (0..<64).map { UInt8(truncatingIfNeeded: sum >> UInt64($0 % 8 * 8)) }
    }

    func verify(_ message: Span<UInt8>, signature: Span<UInt8>) -> Bool {
        signature.count == 64 && signature.array == sign(message)
    }
}

/// Counts how often it is asked.
final class CountingKey: SignatureVerifier {
    let key = FakeKey()
    private let count = Mutex(0)
    var calls: Int { count.withLock { $0 } }

    func verify(_ message: Span<UInt8>, signature: Span<UInt8>) -> Bool {
        count.withLock { $0 += 1 }
        return key.verify(message, signature: signature)
    }
}

/// A directory that says what the test wants.
final class StubDirectory: TokenDirectory {
    let answer = Mutex(TokenStanding.active)

    func standing(
        of token: Span<UInt8>, hash: Hash128, topic: Span<UInt8>, environment: PushEnvironment, now: WallTime
    ) -> TokenStanding { answer.withLock { $0 } }
}

/// A request that APNs accepts.
struct Push {
    static let token = String(repeating: "0123456789abcdef", count: 4)

    var method = "POST"
    var path = "/3/device/" + Push.token
    var fields: [(String, String)]
    var body = #"{"aps":{"alert":"Hello"}}"#

    init(jwt: String) {
        fields = [
            ("authorization", "bearer " + jwt), ("apns-topic", "com.example.app"), ("apns-push-type", "alert"),
        ]
    }

    /// The value of a field; nil removes it, a new one is added at the end.
    subscript(name: String) -> String? {
        get { fields.first { $0.0 == name }?.1 }
        set {
            let place = fields.firstIndex { $0.0 == name }
            switch (place, newValue) {
            case (let place?, let value?): fields[place].1 = value
            case (let place?, nil): fields.remove(at: place)
            case (nil, let value?): fields.append((name, value))
            case (nil, nil): break
            }
        }
    }
}

/// A validator, its keys, and one connection.
final class ValidatorRig {
    static let keyID = "KEY0000001"
    static let teamID = "TEAM000001"

    let time = ManualTime()
    let keys = ProviderKeys()
    let directory = StubDirectory()
    let validator: APNsValidator
    var connection = ProviderConnection()

    init(_ settings: APNsSettings = APNsSettings(), checks: [Check] = Check.order) {
        validator = APNsValidator(
            settings: settings, keys: keys, directory: directory, seed: Seed(1), checks: checks)
        add(Self.keyID)
    }

    /// A key of the team's, replacing one of the same ID.
    func add(
        _ keyID: String, teamID: String = teamID, _ scope: KeyScope = .team, verifier: any SignatureVerifier = FakeKey()
    ) {
        do { try keys.add(KeyRecord(keyID: keyID, teamID: teamID, scope: scope), verifier: verifier) } catch {
            preconditionFailure("\(error)")
        }
    }

    /// With a setting or two turned.
    convenience init(_ turn: (inout APNsSettings) -> Void) {
        var settings = APNsSettings()
        turn(&settings)
        self.init(settings)
    }

    func jwt(
        keyID: String = keyID, teamID: String = teamID, age: Interval = .zero, key: FakeKey = FakeKey()
    ) -> String {
        ProviderToken.sign(keyID: keyID, teamID: teamID, issuedAt: time.wall() - age) { key.sign($0) }
    }

    /// A token with these parts, signed.
    func jwt(header: String, claims: String, signature: [UInt8]? = nil) -> String {
        let message =
            withBytes(of: header) { Base64URL.encode($0) } + "." + withBytes(of: claims) { Base64URL.encode($0) }
        let signature = signature ?? withBytes(of: message) { FakeKey().sign($0) }
        return message + "." + Base64URL.encode(signature.span)
    }

    func push() -> Push { Push(jwt: jwt()) }

    func judge(_ push: Push) -> APNsVerdict {
        let head = HeaderBlock()
        head.append(name: ":method", value: push.method)
        head.append(name: ":scheme", value: "https")
        head.append(name: ":path", value: push.path)
        head.append(name: "host", value: "api.sandbox.push.apple.com")
        for (name, value) in push.fields { head.append(name: name, value: value) }
        let body = ByteBuffer()
        body.append(push.body)
        return validator.validate(head, body: body, connection: connection, now: time.wall())
    }

    /// The reason of the valid push after one turn.
    func reason(_ turn: (inout Push) -> Void) -> Reason? {
        var push = push()
        turn(&push)
        return judge(push).rejection
    }

    func facts(_ turn: (inout Push) -> Void) -> PushFacts {
        var push = push()
        turn(&push)
        return judge(push).facts
    }
}

// The rules of APNs: a valid push with a few turns of its knobs goes through the whole table of checks, and provider
// tokens go through their reader.

@testable import APNs
import Basics
import HTTP
import Pushes
import Synchronization

/// A signature anyone can check, since finding real ones is beyond any fuzzer.
struct FuzzKey: SignatureVerifier {
    func sign(_ message: Span<UInt8>) -> [UInt8] {
        var sum: UInt64 = 0x1234_5678
        for index in message.indices { sum = (sum ^ UInt64(message[index])) &* 0x100_0000_01B3 }
        return (0..<64).map { UInt8(truncatingIfNeeded: sum >> UInt64($0 % 8 * 8)) }
    }

    func verify(_ message: Span<UInt8>, signature: Span<UInt8>) -> Bool {
        signature.count == 64 && signature.array == sign(message)
    }

    static let keyID = "KEY0000001"
    static let teamID = "TEAM000001"

    /// The portal with this one key.
    static func keys() -> ProviderKeys {
        let keys = ProviderKeys()
        let record = KeyRecord(keyID: keyID, teamID: teamID, scope: .team)
        do { try keys.add(record, verifier: FuzzKey()) } catch { fatalError("\(error)") }
        return keys
    }

    /// Header and claims as they come, signed.
    func token(header: [UInt8], claims: [UInt8]) -> [UInt8] {
        let message = Base64URL.encode(header.span) + "." + Base64URL.encode(claims.span)
        return Array((message + "." + Base64URL.encode(sign(Array(message.utf8).span).span)).utf8)
    }
}

private final class OneAnswer: TokenDirectory {
    let answer = Mutex(TokenStanding.active)

    func standing(
        of token: Span<UInt8>, hash: Hash128, topic: Span<UInt8>, environment: PushEnvironment, now: WallTime
    ) -> TokenStanding { answer.withLock { $0 } }
}

/// Byte 0 and 1: settings. Then pushes, each a list of turns that ends with a turn of 0.
final class PushEater: FuzzEater {
    private static let fields = [
        "authorization", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id",
        "apns-id", "apns-request-id", "apns-channel-id", "content-type", "content-length", "host",
    ]
    private static let standings: [TokenStanding] = [
        .active, .unknown, .otherTopic, .unregistered(sinceMilliseconds: 1), .expired(sinceMilliseconds: .max), .tooMany,
    ]

    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let settings = settings(choices.word())
        let directory = OneAnswer()
        let validator = APNsValidator(settings: settings, keys: FuzzKey.keys(), directory: directory, seed: Seed(1))
        let connection = ProviderConnection()
        var now = WallTime(seconds: 1_760_000_000)
        for _ in 0..<8 where !choices.isEmpty {
            var push = Push(issuedAt: now)
            turn(&push, &choices, &now, directory)
            try judge(push, validator, connection, now)
        }
    }

    private struct Push {
        var method = Array("POST".utf8)
        var path = Array(("/3/device/" + String(repeating: "0123456789abcdef", count: 4)).utf8)
        var fields: [(name: [UInt8], value: [UInt8])]
        var body = Array(#"{"aps":{"alert":"Hello"}}"#.utf8)

        init(issuedAt: WallTime) {
            let token = ProviderToken.sign(keyID: FuzzKey.keyID, teamID: FuzzKey.teamID, issuedAt: issuedAt) {
                FuzzKey().sign($0)
            }
            fields = [
                (Array("authorization".utf8), Array(("bearer " + token).utf8)),
                (Array("apns-topic".utf8), Array("com.example.app".utf8)),
                (Array("apns-push-type".utf8), Array("alert".utf8)),
            ]
        }
    }

    private func settings(_ bits: UInt16) -> APNsSettings {
        var settings = APNsSettings(
            environment: bits & 1 == 0 ? .sandbox : .production, allowedTopics: bits & 2 == 0 ? nil : ["com.example.app"])
        settings.enforceTokenUpdateRate = bits & 4 == 0
        settings.updateRateBlocksConnection = bits & 8 == 0
        settings.wedgesAfterExpiredToken = bits & 16 == 0
        settings.futureIssuedAt = [.expired, .accept, .invalid][Int(bits >> 5 & 3) % 3]
        settings.backgroundPriority = [.refuseExplicitTen, .accept, .refuseTenAndAbsent][Int(bits >> 7 & 3) % 3]
        settings.malformedPayload = bits & 512 == 0 ? .accept : .payloadEmpty
        settings.refusesEmptyCollapseID = bits & 1024 == 0
        return settings
    }

    private func turn(_ push: inout Push, _ choices: inout FuzzInput, _ now: inout WallTime, _ directory: OneAnswer) {
        for _ in 0..<16 where !choices.isEmpty {
            switch choices.byte() % 12 {
            case 0: return
            case 1: push.method = choices.short()
            case 2: push.path = choices.short()
            case 3: push.path = Array("/3/device/".utf8) + choices.short()
            case 4:
                // The value of one of the fields that are read, given anew or given twice.
                let isSecond = choices.byte() & 1 == 1
                let name = Array(choices.choice(Self.fields).utf8)
                let value = choices.short()
                if let place = push.fields.firstIndex(where: { $0.name == name }), !isSecond {
                    push.fields[place].value = value
                } else {
                    push.fields.append((name, value))
                }
            case 5: push.fields.append((choices.short(), choices.short()))
            case 6: if !push.fields.isEmpty { push.fields.remove(at: Int(choices.byte()) % push.fields.count) }
            case 7: push.body = choices.short()
            case 8: push.body = [UInt8](repeating: choices.byte(), count: Int(choices.word()) % 6_000)
            case 9: now = now + .seconds(Double(choices.word()))
            case 10:
                let token = FuzzKey().token(header: choices.short(), claims: choices.short())
                push.fields.removeAll { $0.name == Array("authorization".utf8) }
                push.fields.append((Array("authorization".utf8), Array("bearer ".utf8) + token))
            default:
                let answer = choices.choice(Self.standings)
                directory.answer.withLock { $0 = answer }
            }
        }
    }

    private func judge(
        _ push: Push, _ validator: APNsValidator, _ connection: ProviderConnection, _ now: WallTime
    ) throws(Violation) {
        let head = HeaderBlock()
        head.append(":method", push.method.span)
        head.append(":scheme", "https")
        head.append(":path", push.path.span)
        for field in push.fields { head.append(name: field.name.span, value: field.value.span) }
        let body = ByteBuffer()
        body.append(push.body.span)
        let verdict = validator.validate(head, body: body, connection: connection, now: now)
        let facts = verdict.facts
        guard let reason = verdict.rejection else {
            try hold(facts.hasTokenHash && !facts.token.isEmpty, "an accepted push has no token")
            try hold(facts.topicField != nil, "an accepted push has no topic")
            try hold(1...5_120 ~= push.body.count, "an accepted push has a body of \(push.body.count) bytes")
            try hold(connection.hasAcceptedToken, "a push was accepted without a good provider token")
            try hold(verdict.timestampMilliseconds == nil, "an accepted push has the time of a token's death")
            return
        }
        try hold(verdict.check != nil, "\(reason.word) without the check that said so")
        try hold(
            reason.hasTimestamp == (verdict.timestampMilliseconds != nil),
            "\(reason.word) with the timestamp \(String(describing: verdict.timestampMilliseconds))")
        let answer = rejectionBody(reason, timestampMilliseconds: verdict.timestampMilliseconds)
        try hold((try? JSONValue(parsing: answer.span)) != nil, "the answer to \(reason.word) is not JSON")
    }
}

/// First byte even: the rest is a token. Odd: a header, a 0, and claims, which are encoded and signed.
final class ProviderTokenEater: FuzzEater {
    private let reader = TokenReader()
    private let keys = FuzzKey.keys()

    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let isParts = choices.byte() & 1 == 1
        let rest = choices.remainder()
        var token = rest
        var claims: [UInt8]?
        if isParts, let zero = rest.firstIndex(of: 0) {
            claims = Array(rest[(zero + 1)...])
            token = FuzzKey().token(header: Array(rest[..<zero]), claims: claims!)
        }
        guard let verified = try? withExactBytes(token, { try reader.verify($0, keys: keys) }) else { return }
        try hold(verified.key.record.keyID == FuzzKey.keyID, "a token of an unknown key was taken")
        guard let claims else { return }
        let read = try? JSONValue(parsing: claims.span)
        try hold(read?["iss"]?.string == FuzzKey.teamID, "a token of another team was taken")
        switch read?["iat"] {
        case .integer(let seconds): try hold(seconds == verified.issuedAt, "iat \(seconds) became \(verified.issuedAt)")
        case .number(let seconds):
            try hold(abs(seconds - Double(verified.issuedAt)) < 1, "iat \(seconds) became \(verified.issuedAt)")
        default: throw Violation(description: "a token without iat was taken")
        }
    }
}

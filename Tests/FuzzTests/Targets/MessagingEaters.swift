// FCM's doors: sends, token requests with their assertions, conditions, and requests about topics.

import Basics
@testable import FCM
import HTTP
import Pushes

private struct OneRegistration: RegistrationDirectory {
    let answer: RegistrationStanding
    func isApp(_ name: Span<UInt8>, of hash: Hash128) -> Bool { answer == .active }

    func standing(
        of registration: Span<UInt8>, hash: Hash128, project: Span<UInt8>, now: WallTime
    ) -> RegistrationStanding { answer }
}

private struct OneToken: AccessDirectory {
    func grant(of accessToken: Span<UInt8>) -> AccessGrant? {
        guard accessToken.equals("good") else { return nil }
        return AccessGrant(project: Array("p".utf8), expiresAt: WallTime(seconds: 2_000_000_000), maySend: true)
    }
}

/// Byte 0: what becomes of the registration. The rest is the body of a send.
final class MessageEater: FuzzEater {
    static let bounds = [longestTTL]
    private static let standings: [RegistrationStanding] = [.active, .unregistered, .ofOtherProject]
    private static let longestTTL: Int64 = 2_419_200

    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let standing = choices.choice(Self.standings)
        let validator = FCMValidator(
            settings: FCMSettings(), access: OneToken(), registrations: OneRegistration(answer: standing))
        let head = HeaderBlock()
        head.append(":method", "POST")
        head.append(":path", "/v1/projects/p/messages:send")
        head.append("authorization", "Bearer good")
        let text = choices.remainder()
        let body = ByteBuffer()
        body.append(text.span)
        let connection = SenderConnection()
        let now = WallTime(seconds: 1_790_000_000)
        let verdict = validator.validate(head, body: body, connection: connection, now: now)
        let again = validator.validate(head, body: body, connection: connection, now: now)
        try hold(verdict.rejection == again.rejection, "judged twice, once \(verdict.rejection as Any)")
        let facts = verdict.facts
        guard let reason = verdict.rejection else {
            try hold(facts.target != .none && !facts.targetText.isEmpty, "an accepted message has no target")
            try hold(facts.targetText.upperBound <= text.count, "the target lies outside of the body")
            try hold(0...Self.longestTTL ~= facts.timeToLive ?? 0, "a ttl of \(facts.timeToLive ?? 0)")
            let isToOne = facts.target == .token || facts.target == .fid
            try hold(standing == .active || !isToOne, "a message to a registration that is gone was accepted")
            return
        }
        try hold(verdict.check != nil, "\(reason.word) without the check that said so")
        try hold(validator.rejected == reason, "the reason is not kept")
        try hold(
            (reason == .invalidJSON) == !validator.violations.isEmpty, "\(reason.word) with \(validator.violations.count) faults")
        let answer = ErrorBody.text(
            of: reason, project: "p", violations: validator.violations, message: validator.message)
        let read = try? JSONValue(parsing: answer)
        try hold(read?["error"]?["code"]?.int == Int64(reason.status), "the answer to \(reason.word) is not what it should be")
    }
}

/// A signature anyone can check.
private struct OpenKey: AssertionVerifier {
    func verify(_ message: Span<UInt8>, signature: Span<UInt8>) -> Bool { signature.array == FuzzKey().sign(message) }
}

/// First byte even: the rest is the body. Odd: a header, a 0, and claims, which are encoded, signed and sent.
final class AssertionEater: FuzzEater {
    private let reader = TokenRequestReader(
        accounts: [ServiceAccount(email: "a@p", project: "p", keyID: "k", verifier: OpenKey())], audiences: ["https://own/token"])
    /// Now, and how far an assertion may lie ahead of it.
    static let bounds = [now.seconds, now.seconds + 300, now.seconds + 3900]
    private static let now = WallTime(seconds: 1_790_000_000)

    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let isParts = choices.byte() & 1 == 1
        let rest = choices.remainder()
        var body = rest
        var claims: [UInt8]?
        if isParts, let zero = rest.firstIndex(of: 0) {
            claims = Array(rest[(zero + 1)...])
            let message = Base64URL.encode(Array(rest[..<zero]).span) + "." + Base64URL.encode(claims!.span)
            let signature = Base64URL.encode(FuzzKey().sign(Array(message.utf8).span).span)
            body = Array(
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(message).\(signature)".utf8)
        }
        let grant: TokenGrant
        do throws(TokenRefusal) {
            grant = try withExactBytes(body) { body throws(TokenRefusal) in try reader.read(body, now: Self.now) }
        } catch {
            try hold((try? JSONValue(parsing: error.body))?["error"]?.string == error.error, "the refusal is no JSON")
            return
        }
        try hold(grant.project == "p", "a token of another project")
        guard let claims else { return }
        let read = try? JSONValue(parsing: claims.span)
        try hold(read?["iss"]?.string == "a@p", "an assertion of somebody else was taken")
        let times = [read?["iat"]?.double, read?["exp"]?.double].compactMap { $0 }
        try hold(times.count == 2 && times[1] >= Double(Self.now.seconds), "an assertion without times, or a dead one, was taken")
        try hold(0...3900 ~= times[1] - times[0], "an assertion of \(times[1] - times[0]) s was taken")
        try hold(times[0] <= Double(Self.now.seconds) + 300, "an assertion of the future was taken")
    }
}

/// A condition, and which of its topics are subscribed.
final class ConditionEater: FuzzEater {
    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let bits = choices.byte()
        let text = String(decoding: choices.remainder(), as: UTF8.self)
        guard let condition = TopicCondition(text) else { return }
        try hold(1...TopicCondition.mostTopics ~= condition.topics.count, "\(condition.topics.count) topics")
        try hold(Set(condition.topics).count == condition.topics.count, "a topic twice")
        let topics = condition.topics
        let holds = condition.holds { name in bits >> UInt8(topics.firstIndex(of: name) ?? 7) & 1 == 1 }
        guard let turned = TopicCondition("!(\(text))") else { return }
        let turnedHolds = turned.holds { name in bits >> UInt8(topics.firstIndex(of: name) ?? 7) & 1 == 1 }
        try hold(holds != turnedHolds, "a condition and its contrary say the same")
    }
}

/// First byte: the method, or a batch. The rest is a path, or a body.
final class TopicRequestEater: FuzzEater {
    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let kind = choices.byte() % 5
        let rest = choices.remainder()
        guard kind < 4 else {
            guard let batch = try? withExactBytes(rest, { body throws(TopicBatchError) in try TopicBatch(body) }) else { return }
            try hold(1...TopicBatch.mostTokens ~= batch.tokens.count, "\(batch.tokens.count) tokens")
            try hold(withBytes(of: batch.topic) { TopicForm.isName($0) }, "a batch for a topic of no name")
            return
        }
        let method = ["POST", "GET", "DELETE", "PATCH"][Int(kind)]
        let request = TopicRequest(method: method, path: String(decoding: rest, as: UTF8.self))
        if case .list(_, _, let size, _)? = request { try hold(1...TopicRequest.largestPage ~= size, "a page of \(size)") }
    }
}

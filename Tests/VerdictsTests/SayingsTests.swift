// What a push says but for when, by which one that was refused is known again when it is made anew.

import Basics
import Metrics
import Pushes
import Testing

@testable import Verdicts

@Suite("What a push says but for when")
struct SayingsTests {
    private static let now = WallTime(iso8601: "2026-11-27T08:00:00Z")!

    private static func push(_ status: UInt16, _ provider: Provider = .fcm, token: String = "t") -> SeenPush {
        let at = Instant(nanoseconds: 1)
        var push = SeenPush(
            id: 1, arrivedAt: at, answeredAt: at, arrivedWall: now, token: TokenHash(token), status: status, type: .alert)
        push.provider = provider
        return push
    }

    /// Whether the two say the same.
    private func areAlike(_ first: String, _ second: String, _ provider: Provider = .fcm) throws -> Bool {
        var sayings = Sayings()
        let numbers = try [first, second].map { text in
            let body = try JSONValue(parsing: text)
            return sayings.number(of: Self.push(403, provider)) { body }
        }
        #expect(!numbers.contains(0))
        return numbers[0] == numbers[1]
    }

    private func message(_ data: String, _ more: String = "") -> String { #"{"message":{"token":"t","data":{\#(data)}\#(more)}}"# }

    @Test("leaves out times near to its arrival in a message's data, and nothing else", arguments: [
        (#""at":"1795766400""#, #""at":"1795766460""#, true), (#""at":"1795766400123""#, #""at":"1795766460123""#, true),
        (#""at":"2026-11-27T08:00:00Z""#, #""at":"2026-11-27T08:00:09Z""#, true),
        (#""s":"{\"n\":1,\"at\":1795766400}""#, #""s":"{\"at\":1795766409,\"n\":1}""#, true),
        (#""s":"{\"n\":1}""#, #""s":"{\"n\":2}""#, false), (#""n":"1""#, #""n":"2""#, false),
        (#""at":"1795766400""#, #""at":"1795000000""#, false), (#""a":"1795766400""#, #""b":"1795766400""#, false),
        (#""at":"2026-11-27T08:00:00Z""#, #""at":"2026-11-20T08:00:00Z""#, false),
        (#""s":"[1795766400,1]""#, #""s":"[1795766401,1]""#, true), (#""s":"[1795766400,1]""#, #""s":"[1795766400,2]""#, false),
    ])
    func data(first: String, second: String, areAlike: Bool) throws {
        #expect(try self.areAlike(message(first), message(second)) == areAlike)
    }

    @Test("leaves out an activity's dates and its expiration, and not its state or a life that was mended")
    func activity() throws {
        func apns(_ stamp: Int, _ expiration: Int, _ state: String) -> String {
            message(
                "", #","apns":{"headers":{"apns-expiration":"\#(expiration)"},"payload":{"aps":{"timestamp":\#(stamp),"#
                    + #""stale-date":\#(stamp + 9_000),"content-state":{"w":"\#(state)"}}}}"#)
        }
        #expect(try areAlike(apns(1, 100, "a"), apns(2, 200, "a")))
        #expect(try !areAlike(apns(1, 100, "a"), apns(1, 100, "b")))
        let ttl = { (text: String) in self.message(#""n":"1""#, #","android":{"ttl":"\#(text)"}"#) }
        #expect(try !areAlike(ttl("3600"), ttl("3600s")))
        for platform in ["android", "webpush"] {
            let data = { (text: String) in self.message("", #","\#(platform)":{"data":{"at":"\#(text)"}}"#) }
            #expect(try areAlike(data("1795766400"), data("1795766460")), "\(platform)'s own data is data as well")
            #expect(try !areAlike(data("a"), data("b")))
        }
        let aps = { (stamp: Int) in #"{"aps":{"timestamp":\#(stamp)},"at":\#(1_795_766_400 + stamp)}"# }
        #expect(try !areAlike(aps(1), aps(2), .apns), "an app's own member is its content")
    }

    @Test("is asked for from the first refusal on, of that token alone")
    func asked() throws {
        var sayings = Sayings()
        let body = try JSONValue(parsing: message(""))
        #expect(sayings.number(of: Self.push(200)) { body } == 0)
        #expect(sayings.number(of: Self.push(503)) { body } == 0)
        #expect(sayings.number(of: Self.push(403)) { body } != 0)
        #expect(sayings.number(of: Self.push(200)) { body } != 0)
        #expect(sayings.number(of: Self.push(200, token: "u")) { body } == 0)
        #expect(sayings.number(of: Self.push(403)) { nil } == 0)
    }

    @Test("of 100,000 tokens is known that one was refused, and of no more")
    func bounded() throws {
        var sayings = Sayings()
        let body = try JSONValue(parsing: message(""))
        var push = Self.push(403)
        for number in 0..<99_999 {
            push.token = TokenHash("\(number)")
            _ = sayings.number(of: push) { nil }
        }
        #expect(sayings.number(of: Self.push(403, token: "last")) { body } != 0)
        #expect(sayings.number(of: Self.push(403, token: "more")) { body } == 0)
        #expect(sayings.number(of: Self.push(403, token: "0")) { body } != 0)
    }
}

// Access tokens that the mock has given out.

import Basics
import Testing

@testable import FCM
@testable import MockServer

struct AccessTokensTests {
    private static let now = WallTime(seconds: 1_760_000_000)
    private static let grant = TokenGrant(account: "sender", project: "p", maySend: true)

    @Test func `one that is used outlives any number that are asked for, and one that is not makes room`() {
        let tokens = AccessTokens()
        func isKnown(_ token: String) -> Bool { withBytes(of: token) { tokens.grant(of: $0) != nil } }
        let used = tokens.issue(Self.grant, now: Self.now)
        let idle = tokens.issue(Self.grant, now: Self.now)
        for number in 0..<2 * AccessTokens.limit {
            _ = tokens.issue(Self.grant, now: Self.now)
            if number % 1_000 == 0 { #expect(isKnown(used)) }
        }
        #expect(isKnown(used) && !isKnown(idle))
    }

    @Test func `of ten thousand that were all used one makes room even so`() {
        let tokens = AccessTokens()
        func isKnown(_ token: String) -> Bool { withBytes(of: token) { tokens.grant(of: $0) != nil } }
        let given = (0..<AccessTokens.limit).map { _ in tokens.issue(Self.grant, now: Self.now) }
        #expect(given.allSatisfy(isKnown))
        let next = tokens.issue(Self.grant, now: Self.now)
        #expect(isKnown(next) && given.count { !isKnown($0) } == 1)
    }
}

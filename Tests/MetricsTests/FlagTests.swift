// What is known of a push by one bit each.

import Testing

@testable import Metrics

@Suite("The flags of a push")
struct FlagTests {
    @Test("have a bit each")
    func distinct() {
        let all: [SeenPush.Flags] = [
            .isMarked, .gaveAPNsID, .gavePriority, .isAnswerUndelivered, .hasUnknownEvent, .asksForToken, .expiresInMilliseconds, .alerts,
            .isQuietStart, .hasNotification, .isForApple, .isDeclared, .gaveExpiration, .gaveCollapseID, .lacksType, .hasTag,
            .isCompared, .isWordOfAPNs, .expiresRelative, .expiresInMinutes,
        ]
        #expect(Set(all.map(\.rawValue)).count == all.count)
        #expect(all.allSatisfy { $0.rawValue.nonzeroBitCount == 1 })
    }
}

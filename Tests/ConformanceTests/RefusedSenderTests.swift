// What a mock's own journal says against whoever pushed with a credential or to a token that is not right.

import Metrics
import Testing

@testable import Conformance

@Suite("Refusals of a mock that is alone")
struct RefusedSenderTests {
    @Test("a refusal for credential or token breaks pushes-accepted where a mock is alone, unless a fault says it", arguments: [
        (403, "InvalidProviderToken", 1), (403, "BadEnvironmentKeyInToken", 1), (429, "TooManyProviderTokenUpdates", 1),
        (400, "BadDeviceToken", 1), (400, "DeviceTokenNotForTopic", 1), (400, "BadPriority", 0), (410, "Unregistered", 0),
        (503, "ServiceUnavailable", 0), (200, "", 0),
    ] as [(UInt16, String, Int)])
    func sender(status: UInt16, reason: String, expected: Int) {
        func refused(isAlone: Bool) -> History {
            History.honest.with {
                $0.run.isMockAlone = isAlone
                $0.pushes[0].status = status
                $0.pushes[0].reason = reason.isEmpty ? -1 : $0.text(reason)
            }
        }
        #expect(refused(isAlone: true).findings("pushes-accepted") == expected)
        #expect(refused(isAlone: true).with { $0.pushes[0].faultRule = 3 }.findings("pushes-accepted") == 0)
        #expect(refused(isAlone: false).verdict(of: "pushes-accepted") == .notExercised)
    }
}

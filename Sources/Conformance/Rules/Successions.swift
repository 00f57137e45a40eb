// Whether another credential took the place of one that a provider refused: only then was there a renewal to judge.

import Basics
import Metrics

/// Fed with pushes in order of arrival.
struct Successions {
    private static let mostCredentials = 10_000
    /// Refused, and nothing with another credential has come since its answer.
    private var open: [Int32: Instant] = [:]
    private var followed: Set<Int32> = []

    mutating func note(refused push: SeenPush) {
        let credential = push.authorization
        guard !followed.contains(credential), open.count + followed.count < Self.mostCredentials else { return }
        open[credential] = open[credential] ?? push.answeredAt
    }

    mutating func note(_ push: SeenPush) {
        guard !open.isEmpty, push.authorization >= 0 else { return }
        for (credential, answeredAt) in open where credential != push.authorization && answeredAt < push.arrivedAt {
            open[credential] = nil
            followed.insert(credential)
        }
    }

    func isFollowed(_ push: SeenPush) -> Bool { followed.contains(push.authorization) }
}

// Access tokens that the mock's token endpoint has given out (spec/fcm.md §1.3). They live an hour by the mock's clock, and not
// beyond the mock.

import Basics
import FCM
import Synchronization
import TLS

/// Safe to use from any thread.
final class AccessTokens: AccessDirectory {
    /// The oldest make room that were not used since their turn came last.
    static let limit = 10_000
    static let lifetime = Interval.seconds(3_600)

    private struct Given {
        var grant: AccessGrant
        var isUsed = false
    }

    private struct State {
        var grants: [Hash128: Given] = [:]
        var order: [Hash128] = []
        var next = 0
    }

    private let state = Mutex(State())
    private let changes = Atomic<UInt64>(1)

    var generation: UInt64 { changes.load(ordering: .acquiring) }

    /// A new token.
    func issue(_ grant: TokenGrant, now: WallTime) -> String {
        let token = "ya29." + Base64URL.encode(secretBytes(count: 48).span)
        let hash = withBytes(of: token) { Hash128(hashing: $0) }
        let kept = AccessGrant(project: Array(grant.project.utf8), expiresAt: now + Self.lifetime, maySend: grant.maySend)
        state.withLock { state in
            state.grants[hash] = Given(grant: kept)
            if state.order.count < Self.limit {
                state.order.append(hash)
            } else {
                while state.grants[state.order[state.next]]?.isUsed ?? false {
                    state.grants[state.order[state.next]]?.isUsed = false
                    state.next = (state.next + 1) % Self.limit
                }
                state.grants[state.order[state.next]] = nil
                state.order[state.next] = hash
                state.next = (state.next + 1) % Self.limit
                changes.add(1, ordering: .releasing)
            }
        }
        return token
    }

    func grant(of accessToken: Span<UInt8>) -> AccessGrant? {
        let hash = Hash128(hashing: accessToken)
        return state.withLock { state in
            state.grants[hash]?.isUsed = true
            return state.grants[hash]?.grant
        }
    }
}

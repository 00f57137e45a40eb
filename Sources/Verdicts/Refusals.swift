// What a mock's own journal has of refused pushes: a host that accepted nothing is no pass, whatever another accepted.

import Basics
import Journal
import Pushes

struct Refusals {
    /// Where pushes go: a provider, and of APNs one environment.
    private struct Host: Hashable, Comparable {
        var provider: Provider
        var environment: PushEnvironment?

        var words: String { "\(provider.word)" + (environment.map { " (\($0.word))" } ?? "") }
        static func < (a: Host, b: Host) -> Bool { a.words < b.words }
    }

    private struct Seen {
        var accepted = 0
        /// By status and reason, and what was wrong where that does not tell.
        var refused: [String: Int] = [:]
        /// All of them for the sender, so that its next push would be refused as well.
        var areOfSender = true
    }

    private var hosts: [Host: Seen] = [:]
    /// Words are the sender's in part, so there may be any number of them.
    private static let mostWords = 1_000
    private static let mostNamed = 5

    mutating func see(_ push: PushEntry) {
        let host = Host(provider: push.provider, environment: push.provider == .apns ? push.environment : nil)
        if push.status == 200 { return hosts[host, default: Seen()].accepted += 1 }
        let words = push.answerText + (push.credentialWords.map { " (\($0))" } ?? "")
        let row = push.reason.flatMap { NamedReason(word: "\($0)", in: push.provider == .apns ? .apns : .fcm)?.row }
        let known = hosts[host]?.refused
        let isRoom = known.map { $0.count < Self.mostWords || $0[words] != nil } ?? true
        hosts[host, default: Seen()].refused[isRoom ? words : "others", default: 0] += 1
        if row?.subject != .sender { hosts[host]?.areOfSender = false }
    }

    /// That a provider accepted nothing. One environment of it is enough where all was refused for the sender: a token may be
    /// asked for at the wrong host first.
    var doubts: [String] {
        hosts.sorted { $0.key < $1.key }.compactMap { host, seen in
            guard seen.accepted == 0, seen.areOfSender || !isAccepted(by: host.provider) else { return nil }
            let refused = seen.refused.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            let named = refused.prefix(Self.mostNamed).map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
            return "nothing was accepted by \(host.words): \(named)" + (refused.count > Self.mostNamed ? ", …" : "")
        }
    }

    private func isAccepted(by provider: Provider) -> Bool {
        hosts.contains { $0.key.provider == provider && $0.value.accepted > 0 }
    }
}

// Counters of a mock. Each loop keeps its own; a snapshot adds them up.

package import Pushes

/// Totals since the mock started. They never go down, also not by a reset.
package struct MockStatistics: Hashable, Sendable {
    package var connectionsOpened = 0
    package var connectionsOpen = 0
    /// Requests that wait for their answer.
    package var openStreams = 0
    /// Requests that were judged as pushes, whatever became of them; broadcasts are none.
    package var pushes = 0
    /// Requests that were never answered: silenced by a fault.
    package var silenced = 0
    /// Answers that did not reach the provider, or may not have: the stream was reset or the connection ended first.
    package var undelivered = 0
    /// Answers by HTTP status.
    package var byStatus: [Int: Int] = [:]
    /// Rejections by reason, such as `BadDeviceToken`.
    package var byReason: [String: Int] = [:]
    /// Requests and answers of each provider that is played.
    package var byProvider: [Pushes.Provider: ProviderAnswers] = [:]
    /// Accepted pushes by what the device did with them.
    package var byOutcome: [String: Int] = [:]
    package var faultsFired = 0
    /// By GOAWAY, by closing, or by raw frames that a client may end it for.
    package var connectionsEndedByFaults = 0
    /// Broken limits by listener (`apns`, `channels`, `fcm`, `admin`) and kind, such as `resets` (docs/hardening.md).
    package var refusals: [String: [String: Int]] = [:]
    package var journalBytes = 0

    package init() {}
}

/// What became of the requests to one provider.
package struct ProviderAnswers: Hashable, Sendable {
    package var pushes = 0
    package var accepted = 0
    package var byReason: [String: Int] = [:]

    package init() {}
}

// What one loop of a bench counted.

import Basics
import Metrics
import Net

struct BenchTally: Sendable {
    var latency = Histogram()
    var lateness = Histogram()
    var unsent = 0
    /// The first planned instant, where there is a rate.
    var begun: Instant?
    var answered = 0
    var failed = 0
    var bytesReceived = 0
    var lastAnswer = Instant(nanoseconds: 0)
    var lastFailure: String?
    private var refusals: [BenchRefusal] = []
    /// Further ones are only counted by status; so many bytes of each are kept.
    private static let mostRefusals = 20
    private static let mostBody = 200
    private var statuses = [Int](repeating: 0, count: 1_000)
    private var failures = [Int](repeating: 0, count: BenchTally.failureKinds.count)
    private static let failureKinds = [
        "connect", "tls", "timeout", "refused", "reset", "goaway", "closed", "overloaded", "protocol error",
    ]

    mutating func record(_ response: ClientResponse, since: Instant) {
        answered += 1
        statuses[min(max(0, response.status), 999)] += 1
        bytesReceived += response.body.count
        if !(200...299).contains(response.status) { refuse(response) }
        latency.record((response.answeredAt - since).nanoseconds)
        if response.answeredAt > lastAnswer { lastAnswer = response.answeredAt }
    }

    private mutating func refuse(_ response: ClientResponse) {
        let body = String(response.body.text.prefix(Self.mostBody))
        add(BenchRefusal(status: response.status, body: body, count: 1))
    }

    private mutating func add(_ refusal: BenchRefusal) {
        if let known = refusals.firstIndex(where: { $0.status == refusal.status && $0.body == refusal.body }) {
            refusals[known].count += refusal.count
        } else if refusals.count < Self.mostRefusals {
            refusals.append(refusal)
        }
    }

    mutating func record(_ failure: ClientFailure) {
        let index =
            switch failure.kind {
            case .connect: 0
            case .tls: 1
            case .timeout: 2
            case .refused: 3
            case .reset: 4
            case .goAway: 5
            case .closed: 6
            case .overloaded: 7
            case .protocolError: 8
            }
        failed += 1
        failures[index] += 1
        lastFailure = failure.message
    }

    mutating func add(_ other: BenchTally) {
        latency.merge(other.latency)
        lateness.merge(other.lateness)
        unsent += other.unsent
        begun = [begun, other.begun].compactMap { $0 }.min()
        answered += other.answered
        failed += other.failed
        bytesReceived += other.bytesReceived
        lastAnswer = max(lastAnswer, other.lastAnswer)
        lastFailure = lastFailure ?? other.lastFailure
        for refusal in other.refusals { add(refusal) }
        for index in statuses.indices { statuses[index] += other.statuses[index] }
        for index in failures.indices { failures[index] += other.failures[index] }
    }

    /// Without the times of the whole process.
    var result: BenchResult {
        var result = BenchResult()
        result.answered = answered
        result.bytesReceived = bytesReceived
        result.latency = latency
        result.lateness = lateness
        result.unsent = unsent
        result.refusals = refusals.sorted { ($1.count, $0.status) < ($0.count, $1.status) }
        for (status, count) in statuses.enumerated() where count > 0 { result.statuses.append((status, count)) }
        for (kind, count) in zip(Self.failureKinds, failures) where count > 0 { result.failures.append((kind, count)) }
        return result
    }
}

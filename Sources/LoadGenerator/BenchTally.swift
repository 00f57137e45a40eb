// What one loop of a bench counted.

import Basics
import Metrics
import Net

struct BenchTally: Sendable {
    var latency = Histogram()
    var answered = 0
    var failed = 0
    var bytesReceived = 0
    var lastAnswer = Instant(nanoseconds: 0)
    var lastFailure: String?
    private var statuses = [Int](repeating: 0, count: 1_000)
    private var failures = [Int](repeating: 0, count: BenchTally.failureKinds.count)
    private static let failureKinds = [
        "connect", "tls", "timeout", "refused", "reset", "goaway", "closed", "overloaded", "protocol error",
    ]

    mutating func record(_ response: ClientResponse) {
        answered += 1
        statuses[min(max(0, response.status), 999)] += 1
        bytesReceived += response.body.count
        latency.record((response.answeredAt - response.sentAt).nanoseconds)
        if response.answeredAt > lastAnswer { lastAnswer = response.answeredAt }
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
        answered += other.answered
        failed += other.failed
        bytesReceived += other.bytesReceived
        lastAnswer = max(lastAnswer, other.lastAnswer)
        lastFailure = lastFailure ?? other.lastFailure
        for index in statuses.indices { statuses[index] += other.statuses[index] }
        for index in failures.indices { failures[index] += other.failures[index] }
    }

    /// Without the times of the whole process.
    var result: BenchResult {
        var result = BenchResult()
        result.answered = answered
        result.bytesReceived = bytesReceived
        result.latency = latency
        for (status, count) in statuses.enumerated() where count > 0 { result.statuses.append((status, count)) }
        for (kind, count) in zip(Self.failureKinds, failures) where count > 0 { result.failures.append((kind, count)) }
        return result
    }
}

// Distils journal entries into evidence in one pass, beside the correlator.

package import Basics
package import Journal
package import Metrics
import Pushes

/// Feed it the plan's expectations first, then the entries in the journal's order, then ask for the evidence.
package struct EvidenceCollector {
    private let run: UInt32
    private var evidence: Evidence
    /// Steps that the relay answered with 2xx, as session and step in one word.
    private var accepted: Set<UInt64> = []

    /// `run` is the number in the run's markers.
    package init(run: UInt32, facts: RunFacts = RunFacts()) {
        self.run = run
        evidence = Evidence(
            pushes: [], expectations: [], correlation: Correlation(), facts: facts, registrations: [:], signers: [:],
            texts: Texts())
    }

    package mutating func expect(_ expectation: Expectation) {
        evidence.expectations.append(
            ExpectedStep(
                session: expectation.session, step: expectation.step,
                kind: evidence.texts.intern(expectation.kind),
                token: expectation.token.isEmpty ? -1 : evidence.texts.intern(expectation.token.lowercased()),
                channel: expectation.channel, event: expectation.event,
                plannedAt: expectation.plannedAt, isFinal: expectation.isFinal,
                mayBeSuperseded: expectation.coalesceKey, wasAcceptedByRelay: false))
    }

    /// Pushes to APNs; those of other providers are passed over.
    package mutating func observe(_ push: PushEntry) {
        guard push.provider == .apns else { return }
        let marker = push.marker.flatMap { $0.run == run ? $0 : nil }
        evidence.pushes.append(
            ObservedPush(
                id: push.id, arrivedAt: push.arrivedAt, answeredAt: push.arrivedAt + push.delay,
                arrivedWall: push.arrivedWall, connection: push.connection, apnsID: push.apnsID,
                diedMilliseconds: push.timestampMilliseconds, timestamp: push.stamp,
                payloadHash: push.payload.hashValue, payloadCount: Int32(clamping: push.payload.count),
                token: evidence.texts.intern(push.token.lowercased()),
                authorization: authorization(of: push),
                reason: push.reason.map { evidence.texts.intern($0) } ?? -1,
                outcome: push.outcome,
                session: marker.map { Int64($0.session) } ?? -1, step: marker.map { Int64($0.step) } ?? -1,
                status: push.status, environment: push.environment,
                kind: PushType(declared: push.pushType), event: push.event,
                priority: push.priority.flatMap { UInt8($0) } ?? 10,
                gaveAPNsID: push.header("apns-id") != nil, metFault: push.faultRule != 0))
    }

    package mutating func observe(_ event: EventEntry) {
        guard (200..<300).contains(event.status) else { return }
        accepted.insert(UInt64(event.session) << 32 | UInt64(event.step))
    }

    /// The relay accepted a registration of this token (hex) at this instant: a dead token lives again.
    package mutating func registered(token: String, at instant: Instant) {
        evidence.registrations[evidence.texts.intern(token.lowercased()), default: []].append(instant)
    }

    /// `facts`, when given, replace those of the beginning: some are known only at the end.
    package mutating func finish(correlation: Correlation, facts: RunFacts? = nil) -> Evidence {
        evidence.correlation = correlation
        if let facts { evidence.facts = facts }
        for index in evidence.expectations.indices {
            let step = evidence.expectations[index]
            evidence.expectations[index].wasAcceptedByRelay =
                accepted.contains(UInt64(step.session) << 32 | UInt64(step.step))
        }
        return evidence
    }

    private mutating func authorization(of push: PushEntry) -> Int32 {
        guard let text = push.header("authorization") else { return -1 }
        if let known = evidence.texts.number(of: text) { return known }
        let number = evidence.texts.intern(text)
        evidence.signers[number] = ProviderTokenClaims(authorization: text)
        return number
    }
}

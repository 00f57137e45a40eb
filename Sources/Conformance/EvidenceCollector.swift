// Distils journal entries into evidence in one pass, beside the correlator.

package import Basics
package import Journal
package import Metrics

/// Feed it the plan's expectations first, then the entries in the journal's order, then ask for the evidence.
package struct EvidenceCollector {
    private let run: UInt32
    private let scanner = JSONScanner()
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
                channel: Self.kind(of: expectation.channel),
                event: expectation.event.map(Self.event(of:)) ?? .none,
                plannedAt: expectation.plannedAt, isFinal: expectation.isFinal,
                mayBeSuperseded: expectation.coalesceKey, wasAcceptedByRelay: false))
    }

    /// Pushes to APNs; those of other providers are passed over.
    package mutating func observe(_ push: PushEntry) {
        guard push.provider == 0 else { return }
        let (event, timestamp) = activity(in: push.payload)
        let marker = Marker.find(in: push.payload.span, run: run)
        evidence.pushes.append(
            ObservedPush(
                id: push.id, arrivedAt: push.arrivedAt, answeredAt: push.arrivedAt + push.delay,
                arrivedWall: push.arrivedWall, connection: push.connection, apnsID: push.apnsID,
                diedMilliseconds: push.timestampMilliseconds, timestamp: timestamp,
                payloadHash: push.payload.hashValue, payloadCount: Int32(clamping: push.payload.count),
                token: evidence.texts.intern(push.token.lowercased()),
                authorization: authorization(of: push),
                reason: push.reason.map { evidence.texts.intern($0) } ?? -1,
                outcome: push.outcome.isEmpty ? -1 : evidence.texts.intern(push.outcome),
                session: marker.map { Int64($0.session) } ?? -1, step: marker.map { Int64($0.step) } ?? -1,
                status: push.status, environment: push.environment,
                kind: Self.kind(of: PushChannel(pushType: push.pushType)), event: event,
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

    /// `aps.event` and `aps.timestamp`.
    private func activity(in payload: [UInt8]) -> (ObservedPush.Event, Int64?) {
        guard scanner.scan(payload.span) == nil, scanner.node(0).kind == .object,
            let aps = scanner.member("aps", of: 0), scanner.node(aps).kind == .object
        else { return (.none, nil) }
        let event = scanner.member("event", of: aps).flatMap { scanner.string($0) }
        let timestamp = scanner.member("timestamp", of: aps).flatMap { scanner.integer($0) }
        return (event.map(Self.event(of:)) ?? .none, timestamp)
    }

    private static func event(of word: String) -> ObservedPush.Event {
        switch word {
        case "start": .start
        case "update": .update
        case "end": .end
        default: .unknown
        }
    }

    private static func kind(of channel: PushChannel) -> ObservedPush.Kind {
        switch channel {
        case .alert: .alert
        case .liveactivity: .liveActivity
        case .background: .background
        default: .other
        }
    }
}

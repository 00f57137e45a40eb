// Rules about provider tokens and connections, which are dear and meant to be kept.

import Basics

enum ConnectionRules {
    private static let signingPeriod = Interval.seconds(20 * 60)

    /// Where a provider token was first seen in use.
    private struct Debut {
        var at: Instant
        var push: ObservedPush
    }

    static let providerTokenReused = Rule(
        id: "provider-token-reused", claim: "R0.33, P1, G13", level: .must,
        requirement:
            "A provider token is shared by all pushes of a team and key, and renewed at most every 20 minutes.",
        norm: "Apple, Establishing a token-based connection to APNs: not more often than every 20 minutes"
    ) { evidence in
        var debuts: [ProviderTokenClaims: [Debut]] = [:]
        var known: Set<Int32> = []
        var renewals: [Instant] = evidence.facts.relayRestarts
        var signed = 0
        for push in evidence.pushes {
            // A rejected token has to be replaced, whenever that happens.
            if evidence.texts[push.reason].hasSuffix("ProviderToken") { renewals.append(push.answeredAt) }
            guard let signer = evidence.signers[push.authorization] else { continue }
            signed += 1
            if known.insert(push.authorization).inserted {
                debuts[signer, default: []].append(Debut(at: push.arrivedAt, push: push))
            }
        }
        renewals.sort()
        let allowed = max(1, evidence.facts.relayProcesses)
        var findings = Findings()
        for (signer, list) in debuts.sorted(by: { ($0.key.team, $0.key.key) < ($1.key.team, $1.key.key) }) {
            for (index, debut) in list.enumerated() where index >= allowed {
                let earlier = list[index - allowed]
                guard debut.at - earlier.at < signingPeriod, !hasOne(renewals, from: earlier.at, to: debut.at) else {
                    continue
                }
                findings.add(
                    "team \(signer.team) signed a new provider token too soon",
                    expected: "at most \(allowed) in 20 minutes",
                    seen: "a new one \(debut.at - earlier.at) after the last", earlier.push.id, debut.push.id)
            }
        }
        return findings.verdict(evidenceCount: signed > 1 ? signed : 0)
    }

    /// Whether one of the sorted instants lies in the closed range; found by halving.
    private static func hasOne(_ instants: [Instant], from start: Instant, to end: Instant) -> Bool {
        var (low, high) = (0, instants.count)
        while low < high {
            let middle = (low + high) / 2
            if instants[middle] < start { low = middle + 1 } else { high = middle }
        }
        return low < instants.count && instants[low] <= end
    }

    static let oneTeam = Rule(
        id: "one-team-per-connection", claim: "P3", level: .must,
        requirement: "A connection carries provider tokens of one team only.",
        norm: "Apple developer forums 687789: tokens of several teams need several connections"
    ) { evidence in
        var teams: [UInt64: (team: String, push: ObservedPush)] = [:]
        var findings = Findings()
        for push in evidence.pushes {
            guard let signer = evidence.signers[push.authorization] else { continue }
            if let first = teams[push.connection], first.team != signer.team {
                findings.add(
                    "connection \(push.connection) carried provider tokens of two teams",
                    expected: "team \(first.team) only", seen: "team \(signer.team)", first.push.id, push.id)
            }
            if teams[push.connection] == nil { teams[push.connection] = (signer.team, push) }
        }
        return findings.verdict(evidenceCount: teams.count)
    }

    /// Below this many pushes nothing can be said about reuse.
    private static let enoughPushes = 50
    private static let leastPushesPerConnection = 10
    /// A pool may open a few connections for nothing.
    private static let freeConnections = 4

    static let connectionsReused = Rule(
        id: "connections-reused", claim: "R0.35, P6", level: .should,
        requirement: "Connections to APNs are kept and carry many pushes each.",
        norm: "Apple, Sending notification requests to APNs: keep connections open across many pushes"
    ) { evidence in
        guard evidence.pushes.count >= enoughPushes else { return .notExercised }
        var firstOfLast: [UInt64: ObservedPush] = [:]
        for push in evidence.pushes where firstOfLast[push.connection] == nil {
            firstOfLast[push.connection] = push
        }
        let facts = evidence.facts
        let excused = freeConnections * (1 + facts.relayRestarts.count) + facts.connectionsClosedByFaults
        let needless = firstOfLast.count - excused
        var findings = Findings()
        if needless > 0, evidence.pushes.count < leastPushesPerConnection * firstOfLast.count,
            let last = firstOfLast.values.max(by: { $0.id < $1.id })
        {
            findings.add(
                "\(evidence.pushes.count) pushes came over \(firstOfLast.count) connections",
                expected: "at least \(leastPushesPerConnection) pushes per connection",
                seen: tenths(evidence.pushes.count, per: firstOfLast.count), last.id)
        }
        return findings.verdict(evidenceCount: firstOfLast.count)
    }

    private static func tenths(_ count: Int, per divisor: Int) -> String {
        let tenths = (Double(count) / Double(divisor) * 10).rounded()
        return String(tenths / 10)
    }
}

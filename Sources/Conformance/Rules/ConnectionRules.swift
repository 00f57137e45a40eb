// Rules about provider tokens and connections, which are dear and meant to be kept.

import Basics
import Metrics
import Pushes

enum ConnectionRules {
    static let all = [
        tokenReused, tokenFresh, tokenRenewed, expiredReplaced, WedgedConnectionRule.left, oneTeam, streamLimitObeyed,
        connectionsReused, messageConnectionsReused,
    ]

    // MARK: Provider tokens

    private static let signingPeriod: Int64 = 20 * 60

    private struct Signer: Hashable {
        var team: String
        var key: String
    }

    private struct Reused: PushMachine {
        /// Where a provider token was first seen in use.
        private struct FirstUse {
            var push: UInt64
            var at: Instant
            var issuedAt: Int64
        }

        private static let mostTokens = 10_000
        /// A client signs for the host that it is connected to.
        private struct Client: Hashable {
            var signer: Signer
            var environment: PushEnvironment
        }

        private struct Use: Hashable {
            var authorization: Int32
            var environment: PushEnvironment
        }

        private struct Rejection {
            var push: UInt64
            var at: Instant
        }

        private var firstUses: [Client: [FirstUse]] = [:]
        private var known: Set<Use> = []
        /// A rejected token has to be replaced, whenever that happens, and at both hosts.
        private var rejections: [Signer: [Rejection]] = [:]
        /// Rejections that never reached the relay.
        private var unheard: Set<UInt64> = []
        private var signed = 0

        mutating func see(_ push: SeenPush, _ run: RunContext) {
            guard let claims = run.signers[push.authorization] else { return }
            let signer = Signer(team: claims.team, key: claims.key)
            if isRejection(push, run) {
                rejections[signer, default: []].append(Rejection(push: push.id, at: push.answeredAt))
            }
            signed += 1
            let use = Use(authorization: push.authorization, environment: push.environment)
            guard known.count < Self.mostTokens, known.insert(use).inserted else { return }
            firstUses[Client(signer: signer, environment: push.environment), default: []].append(
                FirstUse(push: push.id, at: push.arrivedAt, issuedAt: claims.issuedAt ?? push.arrivedWall.seconds))
        }

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for push in joined.account.pushes where push.flags.contains(.isAnswerUndelivered) && isRejection(push, run) {
                unheard.insert(push.id)
            }
        }

        private func isRejection(_ push: SeenPush, _ run: RunContext) -> Bool {
            run.refusesProviderToken(push)
        }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = Tally()
            if signed > 1 { tally.test(signed) }
            let allowed = max(1, run.circumstances.relayProcesses)
            func wasToBeRenewed(_ signer: Signer, from first: Instant, to last: Instant) -> Bool {
                rejections[signer]?.contains { first <= $0.at && $0.at <= last && !unheard.contains($0.push) } ?? false
                    || run.circumstances.wasDown(between: first, and: last)
            }
            func order(_ client: Client) -> (String, String, UInt8) {
                (client.signer.team, client.signer.key, client.environment.rawValue)
            }
            for (client, list) in firstUses.sorted(by: { order($0.key) < order($1.key) }) {
                let signer = client.signer
                for (index, use) in list.enumerated() where index >= allowed {
                    let earlier = list[index - allowed]
                    let gap = abs(use.issuedAt - earlier.issuedAt)
                    guard gap < signingPeriod, !wasToBeRenewed(signer, from: earlier.at, to: use.at) else { continue }
                    tally.find(
                        "team \(signer.team) signed a new provider token too soon",
                        expected: "at most \(allowed) in 20 minutes",
                        seen: "two signed \(gap) s apart (iat \(earlier.issuedAt) and \(use.issuedAt)), unasked",
                        earlier.push, use.push)
                }
            }
            return tally.verdict
        }
    }

    static let tokenReused = Rule(
        "provider-token-reused", ["R0.33", "P1", "G13"], .must,
        requirement: "All pushes of a team and key to a host share a provider token, renewed at most every 20 minutes.",
        norm: "Apple, Establishing a token-based connection to APNs: not more often than every 20 minutes",
        advice: "sign once, keep the token for 50 minutes, and let concurrent pushes wait for the one signature",
        make: { Reused() })

    /// Credentials that were refused as expired, and used again.
    struct Renewed: PushMachine {
        /// A refusal, and what came with the same credential too long behind it.
        private struct Refusal {
            var push: SeenPush
            var after = 0
            var breaches: [SeenPush] = []
        }

        private let isExpired: @Sendable (SeenPush, RunContext) -> Bool
        /// So many pushes may be under way with the token that was refused.
        private static let inFlight = 20
        /// Of one credential, so that memory does not grow with the run. The first that reached the relay counts.
        private static let (mostRefusals, mostBreaches) = (8, 1_000)
        private var refused: [Int32: [Refusal]] = [:]
        private var successions = Successions()
        /// Refusals that never reached the relay.
        private var unheard: Set<UInt64> = []

        init(
            isExpired: @escaping @Sendable (SeenPush, RunContext) -> Bool = { push, run in
                run.credential(in: push) == .expired
            }
        ) { self.isExpired = isExpired }

        mutating func see(_ push: SeenPush, _ run: RunContext) {
            guard push.authorization >= 0 else { return }
            successions.note(push)
            var list = refused[push.authorization] ?? []
            for index in list.indices where push.arrivedAt > list[index].push.answeredAt + run.circumstances.inFlightGrace {
                list[index].after += 1
                let later = push.arrivedAt - list[index].push.answeredAt
                guard list[index].after > Self.inFlight || later > run.circumstances.real(Tolerances.reaction),
                    list[index].breaches.count < Self.mostBreaches
                else { continue }
                list[index].breaches.append(push)
            }
            if list.count < Self.mostRefusals, isExpired(push, run) {
                list.append(Refusal(push: push))
                successions.note(refused: push)
            }
            if !list.isEmpty { refused[push.authorization] = list }
        }

        mutating func close(_ joined: JoinedAccount, _ run: RunContext) {
            for push in joined.account.pushes where push.flags.contains(.isAnswerUndelivered) && push.status >= 400 {
                unheard.insert(push.id)
            }
        }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = Tally()
            let heard = refused.values.compactMap { list in list.first { !unheard.contains($0.push.id) } }
            for refusal in heard.sorted(by: { $0.push.id < $1.push.id }) {
                // Where nothing more was sent, or nothing that could not have been on its way, nobody knows.
                guard !refusal.breaches.isEmpty || successions.isFollowed(refusal.push) else { continue }
                tally.test()
                for push in refusal.breaches {
                    tally.find(
                        "a credential that had been refused was used again",
                        expected: "a new one after \(run.reason(refusal.push))",
                        seen: "the same \((push.arrivedAt - refusal.push.answeredAt).laterWords)", refusal.push.id, push.id)
                }
            }
            return tally.verdict
        }
    }

    static let tokenRenewed = Rule(
        "provider-token-renewed", ["R0.34", "P2"], .should,
        requirement: "After 403 ExpiredProviderToken the relay signs a new token.",
        norm: "Apple, Handling notification responses from APNs: the token is stale, generate a new one",
        advice: "drop the cached token when APNs says it has expired, sign, and send the push once more",
        make: { Renewed() })

    /// Seconds.
    private static let longestUse: Int64 = 60 * 60

    static let expiredReplaced = Rule(
        "expired-token-replaced", ["P1", "P2"], .must,
        requirement: "A provider token that is more than an hour old, and was refused for it, is not used again.",
        norm: "Apple, Establishing a token-based connection to APNs: renewed at least every 60 minutes, and refused when older",
        advice: "sign a new token before the old one is an hour old, at the latest when APNs says that it has expired",
        make: {
            Renewed { push, run in
                guard run.credential(in: push) == .expired, !push.metFault,
                    let issuedAt = run.signers[push.authorization]?.issuedAt
                else { return false }
                return push.arrivedWall.seconds - issuedAt > longestUse
            }
        })

    private struct Fresh: PushMachine {
        /// Seconds: signing and the way to APNs take time, and clocks are not one.
        private static let grace: Int64 = 60
        /// On a fast clock a moment of ours is minutes, and a relay that goes by it is off by no more.
        private static let mostGrace: Int64 = 240
        private static let mostFound = 10_000
        /// When a signer's first push came, in seconds since 1970.
        private var firstAt: [Signer: Int64] = [:]
        private var found: Set<Int32> = []
        private(set) var tally = Tally()

        mutating func see(_ push: SeenPush, _ run: RunContext) {
            guard let claims = run.signers[push.authorization] else { return }
            let signer = Signer(team: claims.team, key: claims.key)
            let now = push.arrivedWall.seconds
            // A run of seconds says nothing of a token's age.
            guard let first = firstAt[signer] else {
                if firstAt.count < Self.mostFound { firstAt[signer] = now }
                return
            }
            guard now - first > longestUse, let issuedAt = claims.issuedAt else { return }
            tally.test()
            let stretched = Int64(run.circumstances.real(Tolerances.reaction).seconds)
            let usual = min(max(Self.grace, stretched), Self.mostGrace)
            let grace = run.callsExpired(push) ? min(usual, stretched / 10) : usual
            guard now - issuedAt > longestUse + grace, !push.metFault, found.count < Self.mostFound,
                found.insert(push.authorization).inserted
            else { return }
            tally.find(
                "a push came with a provider token that was too old", expected: "one that was signed within an hour (iat)",
                seen: "one of \(Interval.seconds(Double(now - issuedAt))) (iat \(issuedAt), used at \(now))", push.id)
        }

        func verdict(_ run: RunContext) -> Verdict { tally.verdict }
    }

    static let tokenFresh = Rule(
        "provider-token-fresh", ["R0.33", "P1"], .must,
        requirement: "A provider token is no older than an hour when a push comes with it.",
        norm: "Apple, Establishing a token-based connection to APNs: renewed at least every 60 minutes",
        advice: "sign a new token when the old one is 50 minutes old, and do not wait until APNs calls it expired",
        make: { Fresh() })

    private struct OneTeam: PushMachine {
        /// Connections that carried pushes lately.
        private static let remembered = 10_000
        private var teams: [UInt64: (team: String, push: UInt64)] = [:]
        private(set) var tally = Tally()

        mutating func see(_ push: SeenPush, _ run: RunContext) {
            guard let claims = run.signers[push.authorization] else { return }
            guard let first = teams[push.connection] else {
                if teams.count >= Self.remembered { teams.removeAll() }
                teams[push.connection] = (claims.team, push.id)
                tally.test()
                return
            }
            guard first.team != claims.team else { return }
            tally.find(
                "connection \(push.connection) carried provider tokens of two teams", expected: "team \(first.team) only",
                seen: "team \(claims.team)", first.push, push.id)
        }

        func verdict(_ run: RunContext) -> Verdict { tally.verdict }
    }

    static let oneTeam = Rule(
        "one-team-per-connection", ["P3"], .must,
        requirement: "A connection carries provider tokens of one team only.",
        norm: "Apple developer forums 687789: tokens of several teams need several connections",
        advice: "keep a pool of connections for each team", make: { OneTeam() })

    // MARK: Connections

    private struct StreamLimit: PushMachine {
        private static let remembered = 10_000
        /// The first push of each connection.
        private var connections: [UInt64: UInt64] = [:]
        private(set) var tally = Tally()

        mutating func see(_ push: SeenPush, _ run: RunContext) {
            if connections[push.connection] != nil { return tally.test() }
            if connections.count < Self.remembered { connections[push.connection] = push.id }
        }

        func verdict(_ run: RunContext) -> Verdict {
            var tally = tally
            for (connection, streams) in run.overruns {
                tally.find(
                    "connection \(connection) opened more streams than it knew it may",
                    expected: "no more than the MAX_CONCURRENT_STREAMS it had acknowledged",
                    seen: "\(streams) more, which were refused", connections[connection] ?? 0)
            }
            return tally.verdict
        }
    }

    static let streamLimitObeyed = Rule(
        "stream-limit-obeyed", ["P7", "F19"], .must, on: .both,
        requirement: "A connection has no more streams open than the SETTINGS that the relay acknowledged allow.",
        norm: "RFC 9113, 5.1.2; Apple, Sending notification requests to APNs: one stream until a valid provider token",
        advice: "let the HTTP/2 library count streams, and queue pushes until one is free; the limit changes on the way",
        make: { StreamLimit() })

    private struct ConnectionsReused: PushMachine {
        /// Below this many pushes nothing can be said about reuse: of a run's, whose relay may be coming up, and of others.
        private static let (enoughOfRun, enough) = (50, 20)
        private static let leastPushesPerConnection = 10
        /// A pool may open a few connections for nothing.
        private static let freeConnections = 4
        /// Seconds: a connection in so many may be closed and opened again. Apple means hours (P6).
        private static let leastLife = 10.0

        /// Those to FCM are not judged by how they come and go: the run counts those for access tokens among them.
        private let isOfMessages: Bool
        private var pushes = 0
        private var connections: Set<UInt64> = []
        /// A push that was not answered in time, or whose answer spoils a connection, may cost the relay one.
        private var held = 0
        private var last: UInt64 = 0

        init(isOfMessages: Bool = false) { self.isOfMessages = isOfMessages }

        private func counted(_ run: RunContext) -> RunContext.Connections {
            isOfMessages ? run.messageConnections : run.connections
        }

        mutating func see(_ push: SeenPush, _ run: RunContext) {
            pushes += 1
            last = push.id
            connections.insert(push.connection)
            let isHeld = push.status == 0 || push.answeredAt - push.arrivedAt > run.circumstances.real(Tolerances.journey)
            if isHeld || spoils(push, run) { held += 1 }
        }

        /// Whether another connection is due behind that answer: behind a word about the provider token (P2) the old one may
        /// serve no more, and what failed by APNs' own fault is sent again over a fresh one.
        private func spoils(_ push: SeenPush, _ run: RunContext) -> Bool {
            guard push.status >= 400 else { return false }
            return push.status >= 500 || [.expired, .token, .tooNew, .key].contains(run.credential(in: push))
        }

        /// Of a pool, for each process. Beyond that connections were not pooled but forgotten.
        private static let mostPooled = 100

        /// The most that each process had open at a time; none where each connection carried one push or little more.
        private func pooled(_ run: RunContext) -> Int {
            let isPool =
                !run.kinds.isEmpty && counted(run).opened >= connections.count && pushes >= 2 * connections.count
                && connections.count <= Self.mostPooled * run.circumstances.relayProcesses
            return isPool ? counted(run).opened - counted(run).replaced : 0
        }

        /// As many as may be closed and opened again in the time that has passed on the host's clock.
        private func lives(_ run: RunContext) -> Int {
            Int(run.connections.span.seconds / max(run.circumstances.pace, 1e-3) / Self.leastLife)
        }

        func verdict(_ run: RunContext) -> Verdict {
            let enough = run.kinds.isEmpty ? Self.enough : Self.enoughOfRun
            guard pushes >= enough, run.malformedKinds.isEmpty else { return .notExercised }
            let circumstances = run.circumstances
            let excused =
                Self.freeConnections * circumstances.relayProcesses * (1 + circumstances.outages.count)
                + circumstances.connectionFirings.count + held
            var tally = Tally()
            tally.test(connections.count)
            if pushes < Self.leastPushesPerConnection * (connections.count - excused - pooled(run)) {
                let tenths = (Double(pushes) / Double(connections.count) * 10).rounded() / 10
                tally.find(
                    "\(pushes) pushes came over \(connections.count) connections",
                    expected: "at least \(Self.leastPushesPerConnection) pushes per connection", seen: "\(tenths)", last)
            } else if !isOfMessages, run.connections.replaced > excused + lives(run) {
                tally.find(
                    "connections were closed and others opened in their place", expected: "connections that last for hours",
                    seen: "\(run.connections.opened) opened in \(run.connections.span), "
                        + "at most \(run.connections.peak) at a time",
                    last)
            }
            return tally.verdict
        }
    }

    static let connectionsReused = Rule(
        "connections-reused", ["R0.35", "P6"], .must,
        requirement: "Connections to APNs are kept and carry many pushes each.",
        norm: "Apple, Sending notification requests to APNs: rapid opening and closing is treated as an attack",
        advice: "keep HTTP/2 connections open and send many streams over each", make: { ConnectionsReused() })

    static let messageConnectionsReused = Rule(
        "message-connections-reused", ["F19"], .must, on: .fcm,
        requirement: "Connections to FCM are kept and carry many messages each.",
        norm: "Google, Best practices when sending FCM messages at scale: reuse connections",
        advice: "keep HTTP/2 connections open and send many streams over each",
        make: { ConnectionsReused(isOfMessages: true) })
}

// What the relay knew of an account's tokens and when: registrations by the calls that made them known, deaths by the
// answers that told of them.

package import Basics
package import Pushes

package struct TokenLife: Sendable {
    package struct Registration: Hashable, Sendable {
        /// When we sent the call, and when the relay answered; both 0 when that never came to be.
        package var sentAt: Instant
        package var answeredAt: Instant
        package var place: UInt64
        package var wasTaken: Bool
    }

    /// An answer after which the token is dead.
    package struct Death: Hashable, Sendable {
        /// Index into the account's pushes.
        package var push: Int
        package var arrivedAt: Instant
        package var answeredAt: Instant
        package var environment: PushEnvironment
        /// An answer of the very moment of a registration, where the relay may take the one for older, or the other; or one
        /// that may not have reached it.
        package var isDoubtful: Bool
    }

    package private(set) var registrations: [TokenHash: [Registration]] = [:]
    package private(set) var deaths: [TokenHash: [Death]] = [:]
    /// Answers to pushes to a token that had died before it was registered: no reason to drop it (P10), but nothing gets
    /// through to it either. None that a fault of ours made up.
    package private(set) var stillbirths: [TokenHash: Death] = [:]
    package private(set) var lanes: [TokenHash: Lane] = [:]
    /// Callers that keep the tokens name one in each call, and do not say by it that it lives.
    private let areOnlyNamed: Bool

    /// `isDeath` says which answers tell of one, whatever they speak of.
    init(_ account: Account, _ circumstances: Circumstances, isDeath: (SeenPush) -> Bool) {
        areOnlyNamed = circumstances.callersKeepTokens
        for call in account.tokenCalls {
            lanes[call.token] = call.lane
            guard call.isRegistration, let made = account.call(at: call.place) else { continue }
            registrations[call.token, default: []].append(
                Registration(
                    sentAt: made.sentAt, answeredAt: made.answeredAt, place: call.place, wasTaken: made.wasTaken))
        }
        for (index, push) in account.pushes.enumerated() where isDeath(push) {
            let token = push.refusedToken
            // What was never an activity's is refused as one, and lives on.
            if token == push.activityToken, let lane = lanes[token], ![.activity, .start].contains(lane.role) { continue }
            var death = Death(
                push: index, arrivedAt: push.arrivedAt, answeredAt: push.answeredAt, environment: push.environment,
                isDoubtful: true)
            if areOnlyNamed {
                death.isDoubtful = push.flags.contains(.isAnswerUndelivered)
                deaths[token, default: []].append(death)
                continue
            }
            let isOfItsRegistration = speaksOfRegistration(push, circumstances)
            if speaksOfThePast(push, circumstances, within: SheetFigures.timestampUnit), !isOfItsRegistration {
                guard !push.flags.contains(.isAnswerUndelivered) else { continue }
                if !push.metFault, stillbirths[push.token] == nil { stillbirths[push.token] = death }
                continue
            }
            // The relay may have read it before its connection broke, or not.
            death.isDoubtful = push.flags.contains(.isAnswerUndelivered)
                || circumstances.isWallTimeSet && push.diedMilliseconds > 0
                || speaksOfThePast(push, circumstances) || isOfItsRegistration
                || crossesRegistration(push, circumstances)
            deaths[token, default: []].append(death)
        }
    }

    /// The answer by which it is known, or has shown by `due`, that a state of then could not get through to the token.
    package func death(of token: TokenHash, plannedAt: Instant, by due: Instant) -> Death? {
        if let death = deaths[token]?.last(where: { death in
            death.arrivedAt <= due && !wasRegistered(token, after: death.arrivedAt, until: plannedAt)
        }) {
            return death
        }
        // Whoever registers it again does not bring it back to life.
        return stillbirths[token].flatMap { $0.arrivedAt <= due ? $0 : nil }
    }

    /// Whether a registration of the token was sent after `first` and not after `second`.
    package func wasRegistered(_ token: TokenHash, after first: Instant, until second: Instant) -> Bool {
        guard !areOnlyNamed else { return false }
        let made = registrations[token] ?? []
        return made.contains { $0.sentAt.nanoseconds != 0 && first < $0.sentAt && $0.sentAt <= second }
    }

    /// The first registration of the token that was sent after an instant.
    package func registration(of token: TokenHash, after instant: Instant) -> Registration? {
        registrations[token]?.filter { instant < $0.sentAt }.min { $0.sentAt < $1.sentAt }
    }

    /// The death that the relay should have known of when it sent the push: no registration that was sent until then has
    /// made the token live again, and the push was not under way. It was, where it came less than `grace` after the answer;
    /// but not where the relay had that answer to the same push, nor where the push's call was sent when a quarter of
    /// `grace` was over. None that is doubtful. `isOfItsHost`: only where the push's own environment has told of it.
    package func death(
        before push: SeenPush, in account: Account, grace: Interval, isOfItsHost: Bool = false
    ) -> Death? {
        let deaths = (deaths[push.token] ?? []) + (push.activityToken.flatMap { self.deaths[$0] } ?? [])
        guard !deaths.isEmpty else { return nil }
        let sentAt = push.isMarked ? account.call(at: push.place)?.sentAt : nil
        return deaths.last { death in
            let answered = account.pushes[death.push]
            if isOfItsHost, death.environment != push.environment { return false }
            // It may speak of the activity's token, and this is another's.
            if answered.flags.contains(.isWordOfAPNs), answered.activityToken != push.activityToken { return false }
            guard !death.isDoubtful, answered.id != push.id, death.answeredAt <= push.arrivedAt,
                !wasRegistered(answered.refusedToken, after: death.arrivedAt, until: push.arrivedAt)
            else { return false }
            let isAgain = answered.identity == push.identity
            let isOfLaterCall = sentAt.map { wasKnown(death, at: $0, grace: grace) } ?? false
            return isAgain || isOfLaterCall || death.answeredAt <= push.arrivedAt - grace
        }
    }

    /// Whether a relay that deletes what it is told of has done so by then.
    package func wasKnown(_ death: Death, at instant: Instant, grace: Interval) -> Bool {
        death.answeredAt + grace * Tolerances.prompt <= instant
    }

    /// A 410 whose timestamp lies before the run, or by at least `resolution` before the token's last registration, kills
    /// nothing (P10). Never where we set the wall time another way meanwhile: then nobody can tell.
    package func speaksOfThePast(
        _ push: SeenPush, _ circumstances: Circumstances, within resolution: Interval = .zero
    ) -> Bool {
        guard push.status == 410, push.diedMilliseconds > 0, !circumstances.isWallTimeSet else { return false }
        let died = WallTime(milliseconds: push.diedMilliseconds)
        if let start = circumstances.startedAt, died < start { return true }
        let ago = push.arrivedWall - died
        return wasRegistered(push.token, after: push.arrivedAt - ago + resolution, until: push.arrivedAt)
    }

    /// An answer that does not say when the token died, to a push that was under way while a call registered the token once
    /// more: which of the two a relay stores first is nobody's mistake.
    private func crossesRegistration(_ push: SeenPush, _ circumstances: Circumstances) -> Bool {
        guard push.diedMilliseconds == 0, let all = registrations[push.token] else { return false }
        return all.contains { again in
            again.sentAt.nanoseconds != 0 && again.sentAt <= push.answeredAt
                && push.arrivedAt <= max(again.sentAt, again.answeredAt) + circumstances.real(Tolerances.wire)
                && all.contains { $0.sentAt.nanoseconds != 0 && $0.sentAt < again.sentAt }
        }
    }

    /// A 410 whose timestamp lies within the registration's call, or so soon after it, or so shortly before that a relay whose
    /// clock is another may take it for younger.
    private func speaksOfRegistration(_ push: SeenPush, _ circumstances: Circumstances) -> Bool {
        guard push.status == 410, push.diedMilliseconds > 0 else { return false }
        let died = push.arrivedAt - (push.arrivedWall - WallTime(milliseconds: push.diedMilliseconds))
        return registrations[push.token]?.contains { registration in
            registration.sentAt.nanoseconds != 0 && registration.sentAt <= push.arrivedAt
                && died <= max(registration.sentAt, registration.answeredAt) + circumstances.real(Tolerances.wire)
                && registration.sentAt <= died + circumstances.real(Tolerances.tick)
        } ?? false
    }
}

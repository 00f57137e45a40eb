// The connection to FCM: messages over HTTP/2, and one access token that they share, asked for once an hour (F10).

import Basics
import EventLoop
import HTTP
import Net

/// Confined to its loop.
final class FCMChannel {
    /// Google asks for ten seconds at least (F24).
    private static let timeout = Interval.seconds(12)
    private static let impatience = Interval.seconds(2)
    private static let savings = Interval.seconds(10)
    /// An access token is replaced so long before its end.
    private static let margin = Interval.seconds(300)

    private let target: FCMTarget
    private let loop: EventLoop
    private let configuration: ClientConfiguration
    private var pool: ClientPool
    private let grants: ClientPool
    private let defects: Set<Defect>
    private let now: () -> WallTime
    /// Told of each request, messages and others, and of what became of it.
    private let count: (_ isOver: Bool) -> Void
    private var access: String?
    private var goodUntil = WallTime(nanoseconds: .min / 2)
    /// Who waits for the one answer of the token endpoint.
    private var waiting: [(String?) -> Void] = []

    init(
        _ target: FCMTarget, loop: EventLoop, options: RelayOptions, now: @escaping () -> WallTime,
        count: @escaping (_ isOver: Bool) -> Void
    ) throws(Failure) {
        self.target = target
        self.loop = loop
        self.now = now
        self.count = count
        defects = options.defects
        var configuration = ClientConfiguration(version: .http2, tls: TLSClientSettings(caFile: options.caFile))
        configuration.maxConnections = options.connections
        configuration.requestTimeout = Self.timeout
        configuration.maxBodyBytes = 65_536
        do {
            self.configuration = configuration
            pool = try ClientPool(loop: loop, target: target.messages, configuration: configuration)
            configuration.maxConnections = 1
            grants = try ClientPool(loop: loop, target: target.grants, configuration: configuration)
        } catch {
            throw (error as? Failure) ?? Failure(.run, "no connection to FCM: \(error)")
        }
    }

    private func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    /// `completion` is called once. An access token that has ended is replaced once, and the message sent again.
    func send(_ push: Push, completion: @escaping (PushOutcome) -> Void) {
        if has(.floodsRegistrations) { for _ in 0..<80 { post(push) { _, _ in } } }
        if has(.savesMessagesUp) {
            let pause = Self.savings - .seconds(Double(now().seconds % Self.savings.wholeSeconds))
            _ = loop.onClock(after: pause) { [self] in attempt(push, completion) }
        } else {
            attempt(push, completion)
        }
    }

    private func attempt(_ push: Push, _ completion: @escaping (PushOutcome) -> Void) {
        post(push) { [self] outcome, used in
            guard case .answered(401, let reason, _) = outcome, !has(.keepsExpiredAccess),
                reason != "THIRD_PARTY_AUTH_ERROR" || has(.renewsForAny401)
            else { return completion(outcome) }
            // Of all that were under way with it the first has it replaced.
            if access == used { access = nil }
            post(push) { outcome, _ in completion(outcome) }
        }
    }

    /// `completion` is told the access token that the message bore.
    private func post(_ push: Push, completion: @escaping (PushOutcome, _ used: String?) -> Void) {
        authorize { [self] access in
            guard let access else { return completion(.failed(isSafeToResend: false, words: "no access token"), nil) }
            let request = OutgoingRequest(
                method: "POST", path: "/v1/projects/\(target.project)/messages:send",
                fields: [("authorization", "Bearer " + access), ("content-type", "application/json")], body: push.payload)
            let timeout = has(.impatientMessages) ? Self.impatience : Self.timeout
            let pool = has(.connectionPerMessage) ? renewed() : pool
            count(false)
            pool.send(request, timeout: timeout) { [self] outcome in
                count(true)
                completion(read(outcome), access)
            }
        }
    }

    /// Defect `connection-per-message`; what is under way on the old one is left to finish.
    private func renewed() -> ClientPool {
        guard let next = try? ClientPool(loop: loop, target: target.messages, configuration: configuration) else { return pool }
        let old = pool
        _ = loop.after(Self.timeout) { old.close() }
        pool = next
        return next
    }

    // MARK: The access token

    private func authorize(_ body: @escaping (String?) -> Void) {
        if let access, now() < goodUntil, !has(.accessTokenPerMessage) { return body(access) }
        waiting.append(body)
        guard waiting.count == 1 || has(.accessTokenPerMessage) else { return }
        ask()
    }

    private func ask() {
        count(false)
        grants.send(target.grantRequest(at: now()), timeout: Self.timeout) { [self] outcome in
            count(true)
            if case .response(let response) = outcome, response.status == 200,
                let json = try? JSONValue(parsing: response.body.bytes, maxDepth: 8), let token = json["access_token"]?.string
            {
                access = token
                goodUntil = now() + .seconds(Double(json["expires_in"]?.int ?? 3_600)) - Self.margin
            } else {
                access = nil
            }
            let bodies = waiting
            waiting = []
            for body in bodies { body(access) }
        }
    }

    func close() {
        pool.close()
        grants.close()
    }

    // MARK: Answers

    /// Google's code, where the answer has one: FcmError's, else ErrorInfo's, else the status of the envelope. Behind an iPhone
    /// APNs has the word: what it calls dead is (F4).
    private func read(_ outcome: ClientOutcome) -> PushOutcome {
        switch outcome {
        case .failed(let failure): return .failed(isSafeToResend: failure.isSafeToResend, words: "\(failure.kind)")
        case .response(let response):
            let error = response.status == 200 ? nil : (try? JSONValue(parsing: response.body.bytes, maxDepth: 16))?["error"]
            let details = error?["details"]?.array ?? []
            if has(.givesUpOnPages), response.status >= 500, details.isEmpty {
                return .answered(status: 400, reason: nil, timestamp: nil)
            }
            if !has(.keepsDisabledTokens), details.contains(where: { $0["statusCode"]?.int == 410 }) {
                return .answered(status: 410, reason: "UNREGISTERED", timestamp: nil)
            }
            let code = details.lazy.compactMap { $0["errorCode"]?.string }.first
                ?? details.lazy.compactMap { $0["reason"]?.string }.first ?? error?["status"]?.string
            return .answered(status: response.status, reason: code, timestamp: nil)
        }
    }
}

extension PushVerdict {
    /// What an answer of FCM means (docs/fcm.md §3, §7). A registration that is malformed is told in the field violations,
    /// which nobody who takes tokens from phones ever sees.
    init(message outcome: PushOutcome) {
        guard case .answered(let status, let reason, _) = outcome else {
            if case .failed(true, _) = outcome { self = .unprocessed } else { self = .busy(isToken: false) }
            return
        }
        switch (status, reason) {
        case (200, _): self = .accepted
        case (404, "UNREGISTERED"), (410, _): self = .dead(since: nil)
        case (429, _): self = .busy(isToken: true)
        case (500..., _): self = .busy(isToken: false)
        default: self = .refused
        }
    }
}

// What the relay calls back, where it is told an address: what becomes of a session, and tokens that APNs calls dead. Signed
// over time and body, one after the other for each session, and again where an answer does not come or says so.
//
//     POST …   { id, type: "session.<event>", sessionID, text? }   { id, type: "token.dead", token, reason }
//     x-webhook-timestamp: seconds    x-webhook-signature: hex HMAC-SHA256 of `<timestamp>.<body>`

import Basics
import EventLoop
import HTTP
package import Net
import TLS

/// Where to, and with what key.
package struct WebhookTarget: Sendable {
    package var origin: CheckedOrigin
    package var path: String
    package var key: [UInt8]
    /// The one before it, which receivers may still go by.
    var former: [UInt8]?

    package init(origin: CheckedOrigin, path: String, key: [UInt8]) {
        self.origin = origin
        self.path = path
        self.key = key
    }
}

/// How a dialect's webhooks look.
struct WebhookStyle {
    /// The code's field; `dated`: with the time in it, as `t=TIME,v1=CODE`, else that has a field of its own.
    var signature = "x-webhook-signature"
    var isDated = false
    /// Between the tries.
    var pauses = (0..<5).map { Interval.milliseconds(300 << $0) }
    /// Tokens that APNs calls dead are called back by the kit.
    var tellsTokens = true
    /// The dialect knows receivers of its own, whether one was given at the start or not.
    var isRegistered = false
}

/// Confined to the relay's thread.
final class WebhookSender {
    private final class Webhook {
        let id: String
        let body: [UInt8]
        /// As it is when it is sent, for a secret may change meanwhile; nil: there is none any more.
        let target: () -> WebhookTarget?
        var attempts = 0

        init(id: String, body: [UInt8], target: @escaping () -> WebhookTarget?) {
            self.id = id
            self.body = body
            self.target = target
        }
    }

    private static let waitingMax = 10_000
    private static let poolsMax = 64
    /// What of a session is called back.
    private static let told: Set<EventType> = [.permission, .complete, .error]

    /// The one that was given at the start.
    private let target: WebhookTarget?
    private let loop: EventLoop
    /// By which webhooks are signed: the relay's clock, where that is not the host's.
    var wall: () -> WallTime
    /// Told when `isUnderWay` has changed.
    var changed: () -> Void = {}
    private var underWay = 0
    /// A webhook is on its way. A receiver that lets it wait is waited for no longer than `patience`.
    var isUnderWay: Bool { underWay > 0 }
    /// Of the host's time.
    private static let patience = Interval.milliseconds(250)
    private var pools: [CheckedOrigin: ClientPool] = [:]
    private let defects: Set<Defect>
    private let style: WebhookStyle
    private var queues: [String: [Webhook]] = [:]
    private var waiting = 0
    private var count = 0

    init(_ target: WebhookTarget?, _ style: WebhookStyle, loop: EventLoop, defects: Set<Defect>) {
        self.target = target
        self.style = style
        self.loop = loop
        wall = { loop.time.wall() }
        self.defects = defects
    }

    /// Nil: there are too many.
    private func pool(of origin: CheckedOrigin) -> ClientPool? {
        if let pool = pools[origin] { return pool }
        var configuration = ClientConfiguration(version: .http1)
        configuration.maxConnections = 8
        configuration.requestTimeout = .seconds(5)
        guard pools.count < Self.poolsMax else { return nil }
        pools[origin] = try? ClientPool(loop: loop, target: origin, configuration: configuration)
        return pools[origin]
    }

    private func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    /// An event was taken. `text`: what it says to people.
    func happened(_ event: RelayEvent, text: String?) {
        guard Self.told.contains(event.type) else { return }
        let send = { [self] in
            post(
                ["type": .string("session.\(event.type.rawValue)"), "sessionID": .string(event.sessionID),
                    "text": text.map { .string($0) } ?? .null], of: has(.swapsWebhooks) ? nil : event.sessionID)
        }
        guard has(.swapsWebhooks), event.type == .permission else { return send() }
        _ = loop.onClock(after: .seconds(3), send)
    }

    /// APNs has refused a push to it for good.
    func refused(_ token: String, words: String) {
        guard style.tellsTokens else { return }
        let isDead = words.hasSuffix("Unregistered") || words.hasSuffix("ExpiredToken")
        guard isDead && !has(.tellsNoDeadTokens) || has(.tellsLivingTokens) else { return }
        post(["type": "token.dead", "token": .string(token), "reason": .string(words)], of: token)
    }

    /// `key`: one after the other for each; nil: by itself. `receiver`: in the place of the one that was given at the start.
    func post(_ members: JSONObject, of key: String?, to receiver: (() -> WebhookTarget?)? = nil) {
        guard waiting < Self.waitingMax, receiver != nil || target != nil else { return }
        count += 1
        waiting += 1
        var object = members
        object["id"] = .string("w\(count)")
        let webhook = Webhook(
            id: "w\(count)", body: Array(JSONValue.object(object).text.utf8),
            target: receiver ?? { [target] in target })
        let key = key ?? webhook.id
        queues[key, default: []].append(webhook)
        if queues[key]?.count == 1 { send(webhook, of: key) }
    }

    private func send(_ webhook: Webhook, of queue: String) {
        webhook.attempts += 1
        guard let target = webhook.target(), let pool = pool(of: target.origin) else { return over(queue) }
        let time = String(wall().seconds)
        let signed = has(.signsWithoutTime) ? webhook.body : Array(time.utf8) + [46] + webhook.body
        let keys = has(.signsWithOldSecret) ? [target.former ?? target.key] : [target.key] + (target.former.map { [$0] } ?? [])
        let codes = keys.map { key in
            let code = hmac(.sha256, key: key.span, signed.span)
            return Hex.encode(code.span)
        }
        let fields = style.isDated
            ? [(style.signature, "t=\(time)" + codes.map { ",v1=" + $0 }.joined())]
            : [("x-webhook-timestamp", time), (style.signature, codes[0])]
        let request = OutgoingRequest(
            method: "POST", path: target.path, fields: [("content-type", "application/json")] + fields, body: webhook.body)
        let arrived = hold()
        pool.send(request) { [self] outcome in
            answered(webhook, outcome, of: queue)
            arrived()
        }
    }

    /// Until what it gives is called, or patience is at its end, one more is under way.
    private func hold() -> () -> Void {
        underWay += 1
        changed()
        var timer: LoopTimer?
        let arrived = { [self] in
            guard let waiting = timer else { return }
            timer = nil
            waiting.cancel()
            underWay -= 1
            changed()
        }
        timer = loop.after(Self.patience, arrived)
        return arrived
    }

    private func answered(_ webhook: Webhook, _ outcome: ClientOutcome, of key: String) {
        let status = if case .response(let response) = outcome { response.status } else { 0 }
        let isPassing = status == 0 || status >= 500 || status == 408 || status == 429
        if isPassing, webhook.attempts <= style.pauses.count, !has(.givesUpWebhooks) {
            _ = loop.onClock(after: style.pauses[webhook.attempts - 1]) { [self] in send(webhook, of: key) }
            return
        }
        if has(.repeatsWebhooks), 200..<300 ~= status, webhook.attempts <= style.pauses.count {
            webhook.attempts = style.pauses.count + 1
            return send(webhook, of: key)
        }
        over(key)
    }

    private func over(_ key: String) {
        waiting -= 1
        queues[key]?.removeFirst()
        if let next = queues[key]?.first { send(next, of: key) } else { queues[key] = nil }
    }

    func close() { for pool in pools.values { pool.close() } }
}

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
}

/// Confined to the relay's thread.
final class WebhookSender {
    private final class Webhook {
        let id: String
        let body: [UInt8]
        var attempts = 0

        init(id: String, body: [UInt8]) {
            self.id = id
            self.body = body
        }
    }

    private static let waitingMax = 10_000
    /// What of a session is called back.
    private static let told: Set<EventType> = [.permission, .complete, .error]

    private let target: WebhookTarget
    private let loop: EventLoop
    private let pool: ClientPool
    private let defects: Set<Defect>
    private let style: WebhookStyle
    private var queues: [String: [Webhook]] = [:]
    private var waiting = 0
    private var count = 0

    init(_ target: WebhookTarget, _ style: WebhookStyle, loop: EventLoop, defects: Set<Defect>) throws {
        self.target = target
        self.style = style
        self.loop = loop
        self.defects = defects
        var configuration = ClientConfiguration(version: .http1)
        configuration.maxConnections = 8
        configuration.requestTimeout = .seconds(5)
        pool = try ClientPool(loop: loop, target: target.origin, configuration: configuration)
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
        _ = loop.after(.seconds(3), send)
    }

    /// APNs has refused a push to it for good.
    func refused(_ token: String, words: String) {
        guard style.tellsTokens else { return }
        let isDead = words.hasSuffix("Unregistered") || words.hasSuffix("ExpiredToken")
        guard isDead && !has(.tellsNoDeadTokens) || has(.tellsLivingTokens) else { return }
        post(["type": "token.dead", "token": .string(token), "reason": .string(words)], of: token)
    }

    /// `key`: one after the other for each; nil: by itself.
    func post(_ members: JSONObject, of key: String?) {
        guard waiting < Self.waitingMax else { return }
        count += 1
        waiting += 1
        var object = members
        object["id"] = .string("w\(count)")
        let webhook = Webhook(id: "w\(count)", body: Array(JSONValue.object(object).text.utf8))
        let key = key ?? webhook.id
        queues[key, default: []].append(webhook)
        if queues[key]?.count == 1 { send(webhook, of: key) }
    }

    private func send(_ webhook: Webhook, of queue: String) {
        webhook.attempts += 1
        let time = String(loop.time.wall().seconds)
        let (key, signed) = (target.key, has(.signsWithoutTime) ? webhook.body : Array(time.utf8) + [46] + webhook.body)
        let code = hmac(.sha256, key: key.span, signed.span)
        let digits = Hex.encode(code.span)
        let fields = style.isDated
            ? [(style.signature, "t=\(time),v1=\(digits)")] : [("x-webhook-timestamp", time), (style.signature, digits)]
        let request = OutgoingRequest(
            method: "POST", path: target.path, fields: [("content-type", "application/json")] + fields, body: webhook.body)
        pool.send(request) { [self] outcome in answered(webhook, outcome, of: queue) }
    }

    private func answered(_ webhook: Webhook, _ outcome: ClientOutcome, of key: String) {
        let status = if case .response(let response) = outcome { response.status } else { 0 }
        let isPassing = status == 0 || status >= 500 || status == 408 || status == 429
        if isPassing, webhook.attempts <= style.pauses.count, !has(.givesUpWebhooks) {
            _ = loop.after(style.pauses[webhook.attempts - 1]) { [self] in send(webhook, of: key) }
            return
        }
        if has(.repeatsWebhooks), 200..<300 ~= status, webhook.attempts <= style.pauses.count {
            webhook.attempts = style.pauses.count + 1
            return send(webhook, of: key)
        }
        waiting -= 1
        queues[key]?.removeFirst()
        if let next = queues[key]?.first { send(next, of: key) } else { queues[key] = nil }
    }

    func close() { pool.close() }
}

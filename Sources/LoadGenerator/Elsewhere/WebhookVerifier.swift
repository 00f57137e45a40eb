// Whether a webhook is signed as its profile says: the code made again, of what came.

import Basics
import HTTP
import Journal
import Net
import Scenarios
import TLS

/// Confined to one thread.
final class WebhookVerifier {
    private let spec: WebhookSpec
    private let message = ByteBuffer(capacity: 1_024)
    private let nothing = NoValues()

    init(_ spec: WebhookSpec) { self.spec = spec }

    /// `secrets`: those that are right. `now`: when it came, by which it is old.
    func verdict(_ exchange: ServerExchange, _ secrets: [[UInt8]], at now: WallTime) -> WebhookNote.Signature {
        guard let signature = spec.signature else { return .unasked }
        switch signature.kind {
        case .plain(let header, let prefix, _):
            guard let given = text(exchange, header) else { return .missing }
            return secrets.contains { Array(given.utf8) == prefix + $0 } ? .right : .wrong
        case .hmac(let hmac): return verdict(exchange, hmac, secrets, at: now)
        case .basic, .jwt, .sigv4, .oauth2: preconditionFailure("no profile signs webhooks so")
        }
    }

    private func verdict(
        _ exchange: ServerExchange, _ spec: HMACSpec, _ secrets: [[UInt8]], at now: WallTime
    ) -> WebhookNote.Signature {
        guard let header = spec.place.header, let given = text(exchange, header) else { return .missing }
        let (codes, time) = parts(of: given, spec, exchange)
        guard !codes.isEmpty else { return .wrong }
        let (message, body) = (message, exchange.body)
        message.clear(keepingUpTo: 16_384)
        for part in spec.over {
            switch part {
            case .body: message.append(body.bytes)
            case .timestamp: message.append(time ?? "")
            case .method: message.append(exchange.head.text(":method") ?? "")
            case .path: message.append(exchange.head.text(":path") ?? "")
            case .header(let name): message.append(exchange.head.text(named: name) ?? "")
            case .text(let template): template.render(into: message, nothing)
            case .resource, .parameters, .digest: preconditionFailure("no profile signs webhooks over that")
            }
        }
        let isSigned = secrets.contains { key in
            let code = hmac(spec.algorithm, key: key.span, message.bytes)
            let wanted = spec.encoding == .hex ? Hex.encode(code.span) : Base64.encode(code.span)
            return codes.contains { spec.encoding == .hex ? $0.lowercased() == wanted : $0 == wanted }
        }
        guard isSigned else { return .wrong }
        return isOld(time, spec, now) ? .old : .right
    }

    /// The codes that the header gives, and the time that goes with them.
    private func parts(of given: String, _ spec: HMACSpec, _ exchange: ServerExchange) -> (codes: [String], time: String?) {
        switch self.spec.form {
        case .plain:
            let prefix = String(decoding: spec.prefix, as: UTF8.self)
            return (given.hasPrefix(prefix) ? [String(given.dropFirst(prefix.count))] : [], time(spec, exchange))
        case .dated:
            var (codes, time) = ([String](), String?.none)
            for item in given.split(separator: ",").map({ $0.drop { $0 == " " } }) {
                let label = self.spec.label + "="
                if item.hasPrefix(label) { codes.append(String(item.dropFirst(label.count))) }
                if item.hasPrefix("t=") { time = String(item.dropFirst(2)) }
            }
            return (codes, time)
        case .listed:
            let label = self.spec.label + ","
            let codes = given.split(separator: " ").filter { $0.hasPrefix(label) }.map { String($0.dropFirst(label.count)) }
            return (codes, time(spec, exchange))
        }
    }

    private func time(_ spec: HMACSpec, _ exchange: ServerExchange) -> String? {
        spec.timestamp?.place.header.flatMap { text(exchange, $0) }
    }

    private func isOld(_ time: String?, _ spec: HMACSpec, _ now: WallTime) -> Bool {
        guard let timestamp = spec.timestamp else { return false }
        guard let number = time.flatMap({ Int64($0) }) else { return true }
        let limit = self.spec.tolerance.nanoseconds
        let (scale, overflow) = number.multipliedReportingOverflow(by: timestamp.unit == .seconds ? 1_000_000_000 : 1_000_000)
        guard !overflow else { return true }
        return !(now.nanoseconds - limit...now.nanoseconds + limit).contains(scale)
    }

    private func text(_ exchange: ServerExchange, _ header: [UInt8]) -> String? {
        exchange.head.text(named: String(decoding: header, as: UTF8.self))
    }
}

/// There is no session that a webhook would belong to.
struct NoValues: TemplateValues {
    func isNull(_ variable: TemplateVariable) -> Bool { true }
    func append(_ variable: TemplateVariable, _ encoding: TemplateEncoding, into buffer: ByteBuffer) {}
}

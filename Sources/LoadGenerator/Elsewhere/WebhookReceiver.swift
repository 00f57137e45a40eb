// Where a relay calls back: looks at each webhook, has it put on record, and answers as the profile says.

import Basics
import EventLoop
import HTTP
import Journal
import Net
import Planning
import Pushes
import Scenarios

/// Confined to its loop.
final class WebhookReceiver: ServerHandler {
    /// Webhooks of which it is known how often they came; beyond them all are forgotten.
    private static let mostKnown = 100_000
    /// So long one waits whose secret may be on its way to us, in the answer that gave it; and so many at a time.
    private static let patience = Interval.seconds(1)
    private static let mostWaiting = 256

    /// One that nobody has judged yet.
    private struct Waiting {
        let exchange: ServerExchange
        var note: WebhookNote
        let answer: WebhookSpec.Answer
        let user: UInt32?
        let cameAt: WallTime
    }

    private let spec: WebhookSpec
    private let loop: EventLoop
    private let plan: Plan
    private let verifier: WebhookVerifier
    private var secrets: WebhookSecrets
    private var waiting: [Waiting] = []
    private let note: (WebhookNote) -> Void
    private let commit: () -> Bool
    private var deliveries: [String: Int] = [:]
    /// Those that are never answered, until their connection ends.
    private var silent: [ServerExchange] = []

    /// `commit` writes what was noted, before the answers of a turn leave; false: nothing may leave.
    init(
        _ spec: WebhookSpec, _ plan: Plan, loop: EventLoop, note: @escaping (WebhookNote) -> Void,
        commit: @escaping () -> Bool
    ) {
        self.spec = spec
        self.plan = plan
        secrets = WebhookSecrets(spec)
        self.loop = loop
        self.note = note
        self.commit = commit
        verifier = WebhookVerifier(spec)
    }

    static var limits: ServerLimits {
        var limits = ServerLimits()
        limits.maxBodyBytes = 1 << 18
        limits.maxConnections = 256
        limits.maxHeldBytes = 64 << 20
        return limits
    }

    func handle(_ exchange: ServerExchange) {
        let path = exchange.head.text(":path") ?? ""
        guard path.prefix(while: { $0 != "?" }) == spec.path else { return exchange.respond(status: 404) }
        guard exchange.head.text(":method") == spec.method.rawValue else { return exchange.respond(status: 405) }
        guard exchange.body.count <= Self.limits.maxBodyBytes else { return exchange.respond(status: 413) }
        let json = try? JSONValue(parsing: exchange.body.text)
        let body = exchange.body
        let query = QueryFields(of: Array(path.utf8))
        let marker = Marker.find(in: body.bytes) ?? query.fields.lazy.compactMap { Marker.find(in: $0.value.span) }.first
        let (event, id, token) = (
            text(json, query, exchange, spec.event) ?? "", text(json, query, exchange, spec.id),
            text(json, query, exchange, spec.token)
        )
        let key = id ?? "\(event) \(marker?.text ?? token ?? "")"
        if deliveries.count >= Self.mostKnown { deliveries.removeAll() }
        let answer = answer(to: deliveries[key, default: 0])
        deliveries[key, default: 0] += 1
        let user = marker.flatMap { $0.run == plan.run ? plan.account(ofSession: $0.session) : nil }
        let come = Waiting(
            exchange: exchange,
            note: WebhookNote(
                event: event, id: id, marker: marker, token: token, signature: .wrong, status: UInt16(answer.status)),
            answer: answer, user: user, cameAt: loop.recordTime.wall())
        if judge(come) == .wrong, secrets.areGiven, waiting.count < Self.mostWaiting { return wait(come) }
        settle(come)
    }

    // MARK: Secrets

    /// An answer gave it to a call of that session.
    func learn(_ secret: [UInt8], of session: UInt32) {
        secrets.learn(secret, of: plan.account(ofSession: session), at: loop.recordTime.wall())
        settle { judge($0) != .wrong }
    }

    private func judge(_ come: Waiting) -> WebhookNote.Signature {
        verifier.verdict(come.exchange, secrets.right(for: come.user, at: come.cameAt), at: come.cameAt)
    }

    private func wait(_ come: Waiting) {
        waiting.append(come)
        _ = loop.after(Self.patience) { [weak self] in self?.settle { $0.exchange === come.exchange } }
    }

    /// Those that wait no longer.
    private func settle(_ isOver: (Waiting) -> Bool) {
        let over = waiting.filter(isOver)
        waiting.removeAll { one in over.contains { $0.exchange === one.exchange } }
        for come in over { settle(come) }
    }

    /// All of them: nothing comes any more.
    func settle() { settle { _ in true } }

    private func settle(_ come: Waiting) {
        var heard = come.note
        heard.signature = judge(come)
        note(heard)
        respond(come.exchange, come.answer)
    }

    private func text(
        _ json: JSONValue?, _ query: QueryFields, _ exchange: ServerExchange, _ place: WebhookSpec.Place?
    ) -> String? {
        let text: String? =
            switch place {
            case .body(let pointer)?:
                json?.at(pointer: pointer.text).flatMap { value in value.string ?? value.int.map { String($0) } }
            case .header(let name)?: exchange.head.text(named: name)
            case .parameter(let name)?: query.text(name)
            case .word(let word)?: word
            case nil: nil
            }
        return text.map { String(decoding: $0.utf8.prefix(WebhookNote.mostBytes), as: UTF8.self) }
    }

    /// To the delivery of that number, from 0.
    private func answer(to delivery: Int) -> WebhookSpec.Answer {
        var first = 0
        for answer in spec.answers {
            if delivery < first + answer.times { return answer }
            first += answer.times
        }
        return WebhookSpec.Answer(status: 200)
    }

    private func respond(_ exchange: ServerExchange, _ answer: WebhookSpec.Answer) {
        guard answer.status != 0 else { return silent.append(exchange) }
        guard answer.delay > .zero else { return exchange.respond(status: answer.status) }
        _ = loop.after(answer.delay) { exchange.respond(status: answer.status) }
    }

    func abandoned(_ exchange: ServerExchange) {
        silent.removeAll { $0 === exchange }
        settle { $0.exchange === exchange }
    }

    func willSend() -> Bool { commit() }
}

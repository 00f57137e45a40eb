// What Google's front end does with every request and every answer, whichever endpoint it is for (docs/fcm.md §1).

import Basics
import Deflate
import FCM
import HTTP
import Net

/// Confined to its loop.
final class FrontEnd {
    /// Bytes of one request's body, packed or not: a thousand registrations of Instance ID have room.
    static let largestBody = 524_288

    private let settings: FCMSettings
    private let clock: AdjustableTime
    /// The fields of every answer in that second.
    private let fields = HeaderBlock()
    private var second = Int64.min
    /// When the answer is given that is being written, by the mock's clock.
    private(set) var answeredAt = WallTime(nanoseconds: 0)

    init(settings: FCMSettings, clock: AdjustableTime) {
        self.settings = settings
        self.clock = clock
    }

    /// Puts what was packed in the body's place, cut to the limit and a byte more: what is longer is refused by the rules like
    /// any body that is. What does not unpack stays as it is, and nobody can read it.
    func unpack(_ exchange: ServerExchange) {
        let (head, body) = (exchange.head, exchange.body)
        guard let field = head.index(of: "content-encoding"), body.count <= Self.largestBody else { return }
        let coding = head.value(at: field)
        guard coding.equals("gzip") || coding.equals("x-gzip") else { return }
        switch GZip.unpacked(body.bytes, atMost: Self.largestBody + 1) {
        case .whole(let bytes), .tooLong(let bytes):
            body.clear()
            body.append(bytes.span)
        case .broken: break
        }
    }

    /// Adds the fields that every answer has, as they were captured.
    func identify(_ exchange: ServerExchange) {
        answeredAt = clock.wall()
        if answeredAt.seconds != second { renew() }
        exchange.responseHead.append(contentsOf: fields)
    }

    private func renew() {
        second = answeredAt.seconds
        fields.clear()
        fields.append("vary", "X-Origin, Referer, Origin,Accept-Encoding")
        fields.append("date", answeredAt.httpDate)
        fields.append("server", "scaffolding on HTTPServer2")
        fields.append("x-xss-protection", "0")
        fields.append("x-frame-options", "SAMEORIGIN")
        fields.append("x-content-type-options", "nosniff")
        fields.append("accept-ranges", "none")
    }

    /// Sends an answer in the form that the request asks for; `identify` came before.
    func send(_ answer: GoogleAnswer, on exchange: ServerExchange) {
        let fields = exchange.responseHead
        fields.append("content-type", answer.contentType)
        let wait = answer.isAboutQuota ? settings.quotaRetryAfter : answer.isAboutLoad ? settings.unavailableRetryAfter : nil
        if let wait { fields.append("retry-after", String(wait)) }
        withBytes(of: answer.body) {
            put($0, status: answer.status, isJSON: answer.contentType == GoogleAnswer.json, on: exchange)
        }
    }

    /// Sends the answer to a message that was taken, which is JSON in Google's form; `identify` came before.
    func send(taken body: Span<UInt8>, on exchange: ServerExchange) {
        exchange.responseHead.append("content-type", GoogleAnswer.json)
        put(body, status: 200, isJSON: true, on: exchange)
    }

    private func put(_ body: Span<UInt8>, status: Int, isJSON: Bool, on exchange: ServerExchange) {
        let head = exchange.head
        if isJSON, let path = head.index(of: ":path"), AnswerParameters(path: head.value(at: path)).isCompact,
            let value = try? JSONValue(parsing: body)
        {
            let compact = value.encoded() + [10]
            return pack(compact.span, status: status, on: exchange)
        }
        pack(body, status: status, on: exchange)
    }

    private func pack(_ body: Span<UInt8>, status: Int, on exchange: ServerExchange) {
        guard settings.compressesAnswers, !body.isEmpty, Self.offersGZip(exchange.head) else {
            return exchange.respond(status: status, bytes: body)
        }
        exchange.responseHead.append("content-encoding", "gzip")
        exchange.respond(status: status, body: GZip.packed(body))
    }

    /// `accept-encoding` has gzip, or all, and does not refuse it.
    private static func offersGZip(_ head: HeaderBlock) -> Bool {
        guard let field = head.index(of: "accept-encoding") else { return false }
        return head.value(at: field).text.lowercased().split(separator: ",").contains { part in
            let words = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let coding = words.first, ["gzip", "x-gzip", "*"].contains(coding) else { return false }
            return !words.dropFirst().contains { $0.hasPrefix("q=0") && $0.dropFirst(3).allSatisfy { $0 == "." || $0 == "0" } }
        }
    }
}

// What the admin API answers, before it is bytes.

import Basics
import HTTP
import Net

struct AdminAnswer: Sendable {
    var status = 200
    var contentType: String?
    var body: [UInt8] = []
    var location: String?
    /// What a browser lets the page do.
    var policy: String?

    /// JSON with a line feed at its end, for those who look at it with curl.
    init(_ json: JSONValue, status: Int = 200, location: String? = nil) {
        self.status = status
        contentType = "application/json"
        body = json.encoded() + [0x0A]
        self.location = location
    }

    init(json body: [UInt8]) {
        contentType = "application/json"
        self.body = body
    }

    init(text: String, contentType: String) {
        self.contentType = contentType
        body = Array(text.utf8)
    }

    private init() { status = 204 }

    /// 204.
    static let done = AdminAnswer()

    static let livePage = {
        var answer = AdminAnswer(text: LivePage.page.text, contentType: "text/html; charset=utf-8")
        answer.policy = LivePage.page.policy
        return answer
    }()

    func send(to exchange: ServerExchange) {
        let fields = exchange.responseHead
        if let contentType { fields.append("content-type", contentType) }
        fields.append("cache-control", "no-store")
        fields.append("x-content-type-options", "nosniff")
        if let policy {
            fields.append("content-security-policy", policy)
            fields.append("referrer-policy", "no-referrer")
        }
        if let location { fields.append("location", location) }
        exchange.respond(status: status, body: body)
    }
}

extension AdminError {
    func send(to exchange: ServerExchange) {
        if let allow { exchange.responseHead.append("allow", allow) }
        if status == 401 { exchange.responseHead.append("www-authenticate", "Bearer realm=\"pushrig\"") }
        AdminAnswer(json, status: status).send(to: exchange)
    }
}

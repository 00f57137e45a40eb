// What goes back to a caller.

import Basics
import HTTP
import Net

struct Reply {
    var status: Int
    var contentType: StaticString = "application/json"
    var body: [UInt8]

    static func json(_ status: Int, _ value: JSONValue) -> Reply { Reply(status: status, body: value.encoded()) }

    func send(on exchange: ServerExchange) {
        let head = exchange.responseHead
        contentType.withUTF8Buffer { head.append("content-type", $0.span) }
        exchange.respond(status: status, body: body)
    }
}

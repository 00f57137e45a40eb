// What goes back, word for word as spec/relays.md §1.1 has it.

import Basics
import HTTP
import Net

struct Reply {
    var status: Int
    var contentType: StaticString = "application/json"
    var body: [UInt8]

    func send(on exchange: ServerExchange) {
        let head = exchange.responseHead
        contentType.withUTF8Buffer { head.append("content-type", $0.span) }
        exchange.respond(status: status, body: body)
    }
}

enum Replies {
    static let done = json(200, ["ok": true])
    static let invalidBody = json(400, ["ok": false, "error": "Invalid request body"])
    static let notFound = json(404, ["ok": false, "error": "Not found"])

    static func failure(_ message: String) -> Reply { json(500, ["ok": false, "error": .string(message)]) }

    static func event(sent: Int, failed: Int) -> Reply {
        json(200, ["ok": true, "sent": .integer(Int64(sent)), "failed": .integer(Int64(failed))])
    }

    static func health(devices: Int64, deliveries: Int64) -> Reply {
        json(200, ["ok": true, "devices": .integer(devices), "deliveries": .integer(deliveries)])
    }

    static func registration(_ refusal: RegistrationRefusal?) -> Reply {
        switch refusal {
        case nil: done
        case .tooManyForSecret: json(429, ["ok": false, "error": "Too many devices for this secret"])
        case .full: json(503, ["ok": false, "error": "No room for more registrations"])
        }
    }

    private static func json(_ status: Int, _ value: JSONValue) -> Reply {
        Reply(status: status, body: value.encoded())
    }
}

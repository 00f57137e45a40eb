// What goes back, word for word as OpenCode's relay has it.

import Basics

enum Replies {
    static let done = Reply.json(200, ["ok": true])

    static func event(sent: Int, failed: Int) -> Reply {
        .json(200, ["ok": true, "sent": .integer(Int64(sent)), "failed": .integer(Int64(failed))])
    }

    static func health(devices: Int64, deliveries: Int64) -> Reply {
        .json(200, ["ok": true, "devices": .integer(devices), "deliveries": .integer(deliveries)])
    }

    static func refusal(_ reason: Refusal) -> Reply {
        switch reason {
        case .notFound: failure(404, "Not found")
        case .invalidBody: failure(400, "Invalid request body")
        case .noToken: failure(409, "No token")
        case .tooManyForSecret: failure(429, "Too many devices for this secret")
        case .full: failure(503, "No room for more registrations")
        case .internalError(let message): failure(500, message)
        }
    }

    private static func failure(_ status: Int, _ words: String) -> Reply {
        .json(status, ["ok": false, "error": .string(words)])
    }
}

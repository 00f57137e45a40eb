// Who calls, by the header `x-api-key`: `sk_prod_growth_<organisation>`. A secret key (`sk`) is a server's, a public one (`pk`)
// an app's, which may register and nothing else; the second part is the environment, the third the tier that is paid for. Such
// a key is a word where the original has a random text that its database knows.

import Basics
import HTTP
import Pushes

struct SendoraKey {
    let isSecret: Bool
    let environment: PushEnvironment
    let hasLiveActivities: Bool
    let organisation: String

    init(_ head: HeaderBlock) throws(SendoraError) {
        let parts = (head.text("x-api-key") ?? "").split(separator: "_", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, ["sk", "pk"].contains(parts[0]), ["prod", "staging", "dev", "live"].contains(parts[1]),
            ["free", "growth"].contains(parts[2]), !parts[3].isEmpty
        else { throw SendoraError(401, "UNAUTHORIZED", "The API key is missing or unknown") }
        isSecret = parts[0] == "sk"
        environment = parts[1] == "prod" || parts[1] == "live" ? .production : .sandbox
        hasLiveActivities = parts[2] == "growth"
        organisation = String(parts[3])
    }

    /// Defect `serves-without-keys`.
    init(anybodyOf organisation: String) {
        (isSecret, environment, hasLiveActivities) = (true, .production, true)
        self.organisation = organisation
    }
}

/// An answer that is no success, in Sendora's envelope.
struct SendoraError: Error {
    let status: Int
    let code: String
    let message: String
    /// When to come back; nil: that is not said.
    let retryAfter: Int64?

    init(_ status: Int, _ code: String, _ message: String, retryAfter: Int64? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    var reply: Reply {
        var error: JSONObject = ["code": .string(code), "message": .string(message)]
        if let retryAfter { error["details"] = ["retryAfterSeconds": .integer(retryAfter)] }
        return .json(status, ["success": false, "error": .object(error)])
    }
}

enum SendoraReplies {
    static let done = success(200, [:])

    static func success(_ status: Int, _ data: JSONObject) -> Reply {
        .json(status, ["success": true, "data": .object(data)])
    }

    static func refusal(_ reason: Refusal) -> Reply {
        switch reason {
        case .notFound: SendoraError(404, "NOT_FOUND", "There is no such endpoint").reply
        case .invalidBody: SendoraError(400, "VALIDATION_ERROR", "The body does not fit").reply
        case .noToken: SendoraError(409, "NO_TOKEN", "The activity has no token").reply
        case .tooManyForSecret: SendoraError(429, "TOO_MANY", "Too many activities").reply
        case .full: SendoraError(503, "FULL", "No room for more activities").reply
        case .internalError(let words): SendoraError(500, "INTERNAL", words).reply
        }
    }
}

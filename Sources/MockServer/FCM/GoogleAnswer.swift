// What FCM answers, before the front end gives it its form (`FrontEnd`).

import Basics
import FCM
import Pushes

struct GoogleAnswer {
    static let json = "application/json; charset=UTF-8"

    var status: Int
    var body: String
    var contentType = json
    /// Has `retry-after`, where the settings say so.
    var isAboutQuota = false
    /// The same of a service that cannot keep up.
    var isAboutLoad = false
    /// What the journal is told beside the status.
    var record: JSONObject = [:]

    init(_ status: Int, body: String) {
        self.status = status
        self.body = body
    }

    init(_ status: Int, _ value: JSONValue) {
        self.init(status, body: String(decoding: value.encoded(pretty: true), as: UTF8.self) + "\n")
    }

    init(_ reason: FCMReason, _ circumstances: RefusalCircumstances) {
        self.init(Int(reason.status), body: ErrorBody.text(of: reason, circumstances))
        contentType = ErrorBody.contentType(of: reason).description
        isAboutQuota = reason == .quotaExceeded || reason == .rateLimitExceeded
        isAboutLoad = reason == .unavailable || reason == .serviceUnavailable
    }

    /// That there is nothing at `path`.
    static func notFound(_ path: String) -> GoogleAnswer {
        var circumstances = RefusalCircumstances()
        circumstances.path = path
        return GoogleAnswer(.notFound, circumstances)
    }

    /// Of an endpoint beside that of sends. `violations` are as `ErrorBody` takes them.
    static func elsewhere(
        _ reason: FCMReason, project: String, violations: [FieldViolation] = [], path: String
    ) -> GoogleAnswer {
        var circumstances = RefusalCircumstances()
        circumstances.project = project
        circumstances.violations = violations
        circumstances.path = path
        circumstances.isElsewhere = true
        return GoogleAnswer(reason, circumstances)
    }
}

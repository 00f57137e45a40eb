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
    /// What the journal is told beside the status.
    var record: JSONObject = [:]

    init(_ status: Int, body: String) {
        self.status = status
        self.body = body
    }

    init(_ status: Int, _ value: JSONValue) {
        self.init(status, body: String(decoding: value.encoded(pretty: true), as: UTF8.self) + "\n")
    }

    /// `violations` and `message` are as `ErrorBody` takes them.
    init(_ reason: FCMReason, project: String = "", violations: [FieldViolation] = [], message: String? = nil) {
        self.init(
            Int(reason.status),
            body: ErrorBody.text(of: reason, project: project, violations: violations, message: message))
        contentType = ErrorBody.contentType(of: reason).description
        isAboutQuota = reason == .quotaExceeded || reason == .rateLimitExceeded
    }
}

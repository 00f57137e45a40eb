// The envelope in which Google tells an error (docs/fcm.md §3): JSON of two blanks' indent with a line's end behind it. Which
// details there are, and in which order, differs from case to case.

import Basics
import Pushes

/// A code of google.rpc, as `status` spells it.
enum RPCStatus: String {
    case invalidArgument = "INVALID_ARGUMENT"
    case unauthenticated = "UNAUTHENTICATED"
    case permissionDenied = "PERMISSION_DENIED"
    case notFound = "NOT_FOUND"
    case resourceExhausted = "RESOURCE_EXHAUSTED"
    case `internal` = "INTERNAL"
    case unavailable = "UNAVAILABLE"
}

/// What a reason answers. `{project}` in the message is the one that was asked for.
struct ErrorReply {
    enum Detail {
        case fcm(StaticString)
        /// With the message as description; of no field at the root of the body.
        case badRequest(field: StaticString?)
        /// Without `fieldViolations`.
        case emptyBadRequest
        case apns(status: Int, reason: StaticString)
        case info(StaticString)
        case quota(subject: StaticString, description: StaticString)
        /// A page that helps, of the project that was asked for.
        case help(description: StaticString, url: String)
    }

    let status: RPCStatus
    let message: String
    let details: [Detail]

    init(_ status: RPCStatus, _ message: String, _ details: [Detail]) {
        self.status = status
        self.message = message
        self.details = details
    }
}

/// One thing that is wrong with a body, as `BadRequest` lists it.
package struct FieldViolation: Hashable, Sendable {
    /// Such as `message.android.ttl`; nil at the root.
    package var field: String?
    package var description: String

    package init(field: String?, description: String) {
        self.field = field
        self.description = description
    }
}

/// What APNs answered a message that FCM went on to it with.
package struct AppleRefusal: Hashable, Sendable {
    package var status: Int
    /// APNs' own word.
    package var reason: String

    package init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// What an answer says beside its reason, of what it answers.
package struct RefusalCircumstances: Sendable {
    /// The one that was asked for.
    package var project = ""
    /// As sent, with its query: a page of HTML names it.
    package var path = ""
    /// What was found in the body, where the reason tells it.
    package var violations: [FieldViolation] = []
    /// In the place of the reason's own.
    package var message: String?
    /// What ApnsError says; nil: what the reason's own does, if it has one.
    package var apple: AppleRefusal?
    /// Not `messages:send`, whose gRPC method ErrorInfo names: those of other endpoints are not known.
    package var isElsewhere = false

    package init() {}
}

/// Writes answers. Not for the data path of accepted messages.
package enum ErrorBody {
    /// The body of a refusal.
    package static func text(
        of reason: FCMReason, project: String = "", violations: [FieldViolation] = [], message: String? = nil
    ) -> String {
        var circumstances = RefusalCircumstances()
        circumstances.project = project
        circumstances.violations = violations
        circumstances.message = message
        return text(of: reason, circumstances)
    }

    package static func text(of reason: FCMReason, _ circumstances: RefusalCircumstances) -> String {
        guard let reply = reason.reply else { return page(of: reason, path: circumstances.path) }
        let (violations, message, project) = (circumstances.violations, circumstances.message, circumstances.project)
        let text = self.message(of: reply, violations, message).replacing("{project}", with: project)
        var error: JSONObject = [
            "code": .integer(Int64(reason.status)), "message": .string(text),
            "status": .string(reply.status.rawValue),
        ]
        var details = reply.details.map { value(of: $0, text, circumstances) }
        if let apple = circumstances.apple {
            details = zip(reply.details, details).filter { !$0.0.isOfAPNs }.map(\.1)
            details.append(
                typed(
                    "google.firebase.fcm.v1.ApnsError",
                    ["statusCode": .integer(Int64(apple.status)), "reason": .string(apple.reason)]))
        }
        if !details.isEmpty { error["details"] = .array(details) }
        let envelope: JSONValue = ["error": .object(error)]
        return String(decoding: envelope.encoded(pretty: true), as: UTF8.self) + "\n"
    }

    static func message(of reply: ErrorReply, _ violations: [FieldViolation], _ message: String?) -> String {
        violations.isEmpty ? message ?? reply.message : violations.map(\.description).joined(separator: "\n")
    }

    package static func contentType(of reason: FCMReason) -> StaticString {
        reason.reply == nil ? "text/html; charset=UTF-8" : "application/json; charset=UTF-8"
    }

    private static func typed(_ name: String, _ members: JSONObject) -> JSONValue {
        var object: JSONObject = ["@type": .string("type.googleapis.com/\(name)")]
        for (key, value) in members { object[key] = value }
        return .object(object)
    }

    private static func value(
        of detail: ErrorReply.Detail, _ text: String, _ circumstances: RefusalCircumstances
    ) -> JSONValue {
        let violations = circumstances.violations
        switch detail {
        case .fcm(let code):
            return typed("google.firebase.fcm.v1.FcmError", ["errorCode": .string(code.description)])
        case .badRequest(let field):
            let listed = violations.isEmpty ? [FieldViolation(field: field?.description, description: text)] : violations
            let rows = listed.map { violation -> JSONValue in
                var row = JSONObject()
                if let field = violation.field { row["field"] = .string(field) }
                row["description"] = .string(violation.description)
                return .object(row)
            }
            return typed("google.rpc.BadRequest", ["fieldViolations": .array(rows)])
        case .emptyBadRequest: return typed("google.rpc.BadRequest", [:])
        case .apns(let status, let reason):
            return typed(
                "google.firebase.fcm.v1.ApnsError",
                ["statusCode": .integer(Int64(status)), "reason": .string(reason.description)])
        case .info(let reason):
            var metadata: JSONObject = ["service": "fcm.googleapis.com"]
            if !circumstances.isElsewhere { metadata["method"] = "google.firebase.fcm.v1.FcmService.SendMessage" }
            return typed(
                "google.rpc.ErrorInfo",
                ["reason": .string(reason.description), "domain": "googleapis.com", "metadata": .object(metadata)])
        case .help(let description, let url):
            let link = url.replacing("{project}", with: circumstances.project)
            return typed(
                "google.rpc.Help",
                ["links": [["description": .string(description.description), "url": .string(link)]]])
        case .quota(let subject, let description):
            return typed(
                "google.rpc.QuotaFailure",
                [
                    "violations": [
                        ["subject": .string(subject.description), "description": .string(description.description)]
                    ]
                ])
        }
    }

    /// The front end's page (docs/fcm.md §1.4, §3).
    private static func page(of reason: FCMReason, path: String) -> String {
        let title = reason == .badGateway ? "Error 502 (Server Error)!!1" : "Error 404 (Not Found)!!1"
        let said =
            reason == .badGateway
            ? "The server encountered a temporary error and could not complete your request."
            : "The requested URL <code>\(escaped(path))</code> was not found on this server."
        return """
            <!DOCTYPE html>
            <html lang=en>
              <meta charset=utf-8>
              <title>\(title)</title>
              <p><b>\(reason.status).</b> <ins>That’s an error.</ins>
              <p>\(said)  <ins>That’s all we know.</ins>

            """
    }

    /// A page is not to be longer for a longer path without end.
    private static let longestPath = 2_048

    private static func escaped(_ path: String) -> String {
        String(path.prefix(longestPath)).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}

extension ErrorReply.Detail {
    fileprivate var isOfAPNs: Bool {
        if case .apns = self { true } else { false }
    }
}

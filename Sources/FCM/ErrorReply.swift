// The envelope in which Google tells an error (spec/fcm.md §3.2): JSON of two blanks' indent with a line's end behind it. Which
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

/// Writes answers. Not for the data path of accepted messages.
package enum ErrorBody {
    /// The body of a refusal. `violations`: what was found in the body, where the reason tells it; `message` stands in the
    /// place of the reason's own.
    package static func text(
        of reason: FCMReason, project: String = "", violations: [FieldViolation] = [], message: String? = nil
    ) -> String {
        guard let reply = reason.reply else { return page(of: reason) }
        let text = self.message(of: reply, violations, message).replacing("{project}", with: project)
        var error: JSONObject = [
            "code": .integer(Int64(reason.status)), "message": .string(text),
            "status": .string(reply.status.rawValue),
        ]
        let details = reply.details.map { value(of: $0, text, violations) }
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

    private static func value(of detail: ErrorReply.Detail, _ text: String, _ violations: [FieldViolation]) -> JSONValue {
        func typed(_ name: String, _ members: JSONObject) -> JSONValue {
            var object: JSONObject = ["@type": .string("type.googleapis.com/\(name)")]
            for (key, value) in members { object[key] = value }
            return .object(object)
        }
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
            return typed(
                "google.rpc.ErrorInfo",
                [
                    "reason": .string(reason.description), "domain": "googleapis.com",
                    "metadata": [
                        "service": "fcm.googleapis.com", "method": "google.firebase.fcm.v1.FcmService.SendMessage",
                    ],
                ])
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

    /// The front end's page (spec/fcm.md §1.4, §3.4).
    private static func page(of reason: FCMReason) -> String {
        let title = reason == .badGateway ? "Error 502 (Server Error)!!1" : "Error 404 (Not Found)!!1"
        let said =
            reason == .badGateway
            ? "The server encountered a temporary error and could not complete your request."
            : "The requested URL was not found on this server."
        return """
            <!DOCTYPE html>
            <html lang=en>
              <meta charset=utf-8>
              <title>\(title)</title>
              <p><b>\(reason.status).</b> <ins>That’s an error.</ins>
              <p>\(said)  <ins>That’s all we know.</ins>

            """
    }
}

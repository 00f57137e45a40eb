// One valid send, and whoever turns a knob of it.

import Basics
import FCM
import HTTP

struct Send {
    var method = "POST"
    var path = "/v1/projects/demo/messages:send"
    var authorization: String? = "Bearer good"
    var body = #"{"message":{"token":"\#(Send.token)","data":{"k":"v"}}}"#

    static let token = "dGVzdC1pbnN0YW5jZQ:APA91bGoodToken"
    /// Of an app on iOS.
    static let phone = "dGVzdC1pbnN0YW5jZQ:APA91bPhone"
    static let gone = "dGVzdC1pbnN0YW5jZQ:APA91bGone"
    static let foreign = "dGVzdC1pbnN0YW5jZQ:APA91bForeign"

    init() {}
    init(_ message: String) { body = #"{"message":\#(message)}"# }

    /// A message to the good token with more members.
    static func with(_ members: String) -> Send { Send(#"{"token":"\#(token)",\#(members)}"#) }
}

struct Registrations: RegistrationDirectory {
    func isApp(_ name: Span<UInt8>, of hash: Hash128) -> Bool { name.equals("com.example.app") }

    func isAndroid(_ hash: Hash128) -> Bool { hash != withBytes(of: Send.phone) { Hash128(hashing: $0) } }

    func standing(
        of registration: Span<UInt8>, hash: Hash128, project: Span<UInt8>, now: WallTime
    ) -> RegistrationStanding {
        if registration.equals("dGVzdC1pbnN0YW5jZQ:APA91bGone") { return .unregistered }
        if registration.equals("dGVzdC1pbnN0YW5jZQ:APA91bForeign") { return .ofOtherProject }
        return .active
    }
}

struct Access: AccessDirectory {
    func grant(of accessToken: Span<UInt8>) -> AccessGrant? {
        let project = Array("demo".utf8)
        let later = WallTime(nanoseconds: 3_600_000_000_000)
        if accessToken.equals("good") { return AccessGrant(project: project, expiresAt: later, maySend: true) }
        if accessToken.equals("old") {
            return AccessGrant(project: project, expiresAt: WallTime(nanoseconds: 0), maySend: true)
        }
        if accessToken.equals("narrow") { return AccessGrant(project: project, expiresAt: later, maySend: false) }
        return nil
    }
}

/// A judge and what it said last.
final class Judge {
    let validator: FCMValidator
    let connection = SenderConnection()

    init(_ settings: FCMSettings = FCMSettings()) {
        validator = FCMValidator(settings: settings, access: Access(), registrations: Registrations())
    }

    func judge(_ send: Send) -> FCMVerdict {
        let head = HeaderBlock()
        head.append(":method", send.method)
        head.append(":path", send.path)
        if let authorization = send.authorization { head.append("authorization", authorization) }
        let body = ByteBuffer()
        body.append(send.body)
        return validator.validate(head, body: body, connection: connection, now: WallTime(nanoseconds: 1))
    }

    func reason(_ send: Send) -> FCMReason? { judge(send).rejection }

    /// The answer's body, read again.
    func answer(_ send: Send) throws -> JSONValue {
        guard let reason = reason(send) else { return .null }
        return try JSONValue(
            parsing: ErrorBody.text(of: reason, project: "demo", violations: validator.violations, message: validator.message))
    }

    func message(_ send: Send) throws -> String? { try answer(send)["error"]?["message"]?.string }
    func field(_ send: Send) throws -> String? {
        try answer(send)["error"]?["details"]?.array?.lazy.compactMap { $0["fieldViolations"]?.array?.first?["field"]?.string }.first
    }
}

// What FCM says of the form of a message, found again from its body: journals keep no bodies of answers.

import Basics
import HTTP
import Pushes

package enum MessageReview {
    /// Those that look at nothing but the body.
    private static let checks = FCMCheck.sends.filter { check in
        switch check.step {
        case .fields, .target, .androidForms, .targetForm, .dataKeys, .timeToLive, .webpushTTL, .size, .activityToken: true
        case .path, .form, .credential, .project, .bodySize, .registration, .restrictedPackage: false
        }
    }

    /// The message of the refusal that this body earns by itself, in one line; nil where nothing is wrong with its form.
    package static func objection(to body: [UInt8]) -> String? {
        let validator = FCMValidator(settings: FCMSettings(), access: Nobody(), registrations: Nobody(), checks: checks)
        let buffer = ByteBuffer(capacity: max(body.count, 1))
        buffer.append(body.span)
        let verdict = validator.validate(
            HeaderBlock(), body: buffer, connection: SenderConnection(), now: WallTime(nanoseconds: 0))
        guard let reply = verdict.rejection?.reply else { return nil }
        let words = ErrorBody.message(of: reply, validator.violations, validator.message).replacing("\n", with: "; ")
        return words + (validator.unnamed.map { " (\($0))" } ?? "")
    }
}

/// Asked by none of those checks.
private struct Nobody: AccessDirectory, RegistrationDirectory {
    func grant(of accessToken: Span<UInt8>) -> AccessGrant? { nil }

    func standing(
        of registration: Span<UInt8>, hash: Hash128, project: Span<UInt8>, now: WallTime
    ) -> RegistrationStanding { .active }

    func isApp(_ name: Span<UInt8>, of hash: Hash128) -> Bool { true }
}

// The checks of a send, in their order: observed in parts and unsure in others (docs/fcm.md §3), so another order is another
// array.

package import Pushes

package typealias FCMCheck = CheckRow<SendStep, Never>

extension CheckRow where Step == SendStep, Scope == Never {
    package static var sends: [FCMCheck] { sendChecks }
}

private let sendChecks: [FCMCheck] = [
    FCMCheck(.path, "path", "§1.1"),
    FCMCheck(.form, "form", "§1.1, order unsure"),
    FCMCheck(.credential, "credential", "§3.4"),
    FCMCheck(.project, "project", "§3.4, order unsure"),
    FCMCheck(.bodySize, "body-size", "order unsure"),
    FCMCheck(.fields, "fields", "§2, §3.2"),
    FCMCheck(.target, "target", "§2.1, §3.4"),
    FCMCheck(.androidForms, "android-forms", "§0"),
    FCMCheck(.targetForm, "target-form", "§2.1, §3.4, §5"),
    FCMCheck(.dataKeys, "data-keys", "§2.1, §3.4"),
    FCMCheck(.timeToLive, "ttl", "§2.2"),
    FCMCheck(.webpushTTL, "webpush-ttl", "§2.1, §3.4"),
    FCMCheck(.size, "size", "§2.4"),
    FCMCheck(.activityToken, "activity-token", "§6.1, order unsure"),
    FCMCheck(.registration, "registration", "§3.3, §5"),
    FCMCheck(.restrictedPackage, "restricted-package", "§2.2, order unsure"),
]

/// The rows' functions by number.
package enum SendStep: UInt8, Sendable {
    case path, form, credential, project, bodySize, fields, target, androidForms, targetForm, dataKeys, timeToLive, webpushTTL
    case size, activityToken, registration, restrictedPackage
}

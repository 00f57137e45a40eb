// The names that clients of push services have hard-coded, and what of a mock plays each.

/// docs/apns.md §1, and the hosts of Google's that `firebase-admin` and its like call.
enum ProviderName {
    /// What stands behind a name.
    enum Role: Hashable, CaseIterable {
        case production, sandbox
        /// FCM and its token endpoint, at port 443 alone.
        case google
    }

    static let all: [(name: String, role: Role)] = [
        ("api.push.apple.com", .production),
        ("api-broadcast.push.apple.com", .production),
        ("api-manage-broadcast.push.apple.com", .production),
        ("api.sandbox.push.apple.com", .sandbox),
        ("api.development.push.apple.com", .sandbox),
        ("api-broadcast.sandbox.push.apple.com", .sandbox),
        ("api-manage-broadcast.sandbox.push.apple.com", .sandbox),
        ("fcm.googleapis.com", .google),
        ("fcm.mtls.googleapis.com", .google),
        ("oauth2.googleapis.com", .google),
        ("www.googleapis.com", .google),
        ("iid.googleapis.com", .google),
        ("iamcredentials.googleapis.com", .google),
    ]

    /// Where pushes are taken.
    static let pushPort: UInt16 = 443
    /// Its twin, for firewalls.
    static let twinPort: UInt16 = 2197
    /// Where broadcast channels are managed.
    static let channelPort: UInt16 = 2196
    static let sandboxChannelPort: UInt16 = 2195

    /// What of `addresses` a role has, by the lines of a hosts file.
    static func hosts(_ addresses: [Role: String]) -> [(address: String, name: String)] {
        all.compactMap { entry in addresses[entry.role].map { ($0, entry.name) } }
    }
}

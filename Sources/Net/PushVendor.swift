// The networks from which pushes reach real people, by address and by name. Nothing of ours ever connects there.

/// A vendor whose network is known by its addresses.
package enum PushVendor: String, CaseIterable, Hashable, Sendable {
    case apple = "Apple"
    case google = "Google"

    /// Apple: 17.0.0.0/8 and its IPv6 blocks, in which those lie that Apple names for APNs (2620:149:a44::/48,
    /// 2403:300:a42::/48, 2403:300:a51::/48, 2a01:b740:a42::/48). Google: the blocks of its own services, where FCM is
    /// served, and the addresses of private.googleapis.com and restricted.googleapis.com; not those of its cloud's
    /// customers, where a relay of the user's own may stand.
    var ranges: [AddressRange] {
        switch self {
        case .apple: Self.appleRanges
        case .google: Self.googleRanges
        }
    }

    private static let appleRanges: [AddressRange] = [
        AddressRange("17.0.0.0/8"), AddressRange("2620:149::/36"), AddressRange("2403:300::/32"),
        AddressRange("2a01:b740::/32"),
    ]

    private static let googleRanges: [AddressRange] = [
        AddressRange("64.233.160.0/19"), AddressRange("66.102.0.0/20"), AddressRange("66.249.64.0/19"),
        AddressRange("72.14.192.0/18"), AddressRange("74.125.0.0/16"), AddressRange("108.177.0.0/17"),
        AddressRange("142.250.0.0/15"), AddressRange("172.217.0.0/16"), AddressRange("172.253.0.0/16"),
        AddressRange("173.194.0.0/16"), AddressRange("192.178.0.0/15"), AddressRange("199.36.153.0/24"),
        AddressRange("207.223.160.0/20"), AddressRange("209.85.128.0/17"), AddressRange("216.58.192.0/19"),
        AddressRange("216.239.32.0/19"), AddressRange("2001:4860::/32"), AddressRange("2404:6800::/32"),
        AddressRange("2600:2d00:2::/48"), AddressRange("2607:f8b0::/32"), AddressRange("2800:3f0::/32"),
        AddressRange("2a00:1450::/32"), AddressRange("2c0f:fb50::/32"),
    ]

    /// Hosts that send pushes to real people; each stands for itself and every name below it.
    package static let hosts = [
        // Platforms
        "push.apple.com", "apple.com", "icloud.com", "googleapis.com", "google.com", "notify.windows.com",
        "push.services.mozilla.com", "push.hicloud.com", "servicebus.windows.net", "xmpush.xiaomi.com",
        "push.oppomobile.com", "vivo.com.cn",
        // Services and hosted relays
        "exp.host", "expo.dev", "onesignal.com", "braze.com", "braze.eu", "airship.com", "urbanairship.com",
        "customer.io", "pushwoosh.com", "pushwoosh.eu", "clix.so", "activitysmith.com", "ably.io", "ably.com",
        "ably.net", "knock.app", "novu.co", "pusher.com", "pushy.me", "courier.com", "iterable.com", "clevertap.com",
        "moengage.com", "batch.com", "pushover.net", "pushbullet.com", "ntfy.sh", "day.app", "home-assistant.io",
        "push.mattermost.com", "matrix.org", "jpush.cn", "getui.com",
    ]
    /// The same for services that have a name per region: first label and suffix.
    private static let regionalHosts = [("sns", "amazonaws.com"), ("pinpoint", "amazonaws.com")]

    /// What a name (lower case, no dot behind) belongs to, if it is a vendor's.
    static func owner(of host: String) -> String? {
        if let found = hosts.first(where: { host == $0 || host.hasSuffix("." + $0) }) { return found }
        let regional = regionalHosts.first { host.hasPrefix($0.0 + ".") && host.hasSuffix("." + $0.1) }
        return regional.map { $0.0 + ".*." + $0.1 }
    }
}

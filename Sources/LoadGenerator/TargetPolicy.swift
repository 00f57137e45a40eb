// Whom load may be sent to. Loopback, and hosts the user named; never a push vendor, whoever names it.

package import Basics
import Glibc
package import Net

/// Where a host name leads.
package struct ResolvedHost: Hashable, Sendable {
    package var isLoopback: Bool
    /// Lies in address space that Apple publishes for its push service.
    package var isApple: Bool
}

package enum TargetPolicy {
    /// Hosts that send pushes to real people; each stands for itself and every name below it.
    package static let vendorHosts = [
        // Platforms
        "push.apple.com", "apple.com", "googleapis.com", "google.com", "notify.windows.com",
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
    private static let regionalVendors = [("sns", "amazonaws.com"), ("pinpoint", "amazonaws.com")]

    /// The vendor a name belongs to, if it is one's.
    static func vendor(of host: String) -> String? {
        if let found = vendorHosts.first(where: { host == $0 || host.hasSuffix("." + $0) }) { return found }
        let regional = regionalVendors.first { host.hasPrefix($0.0 + ".") && host.hasSuffix("." + $0.1) }
        return regional.map { $0.0 + ".*." + $0.1 }
    }

    /// Throws a usage `Failure` unless `target` may be loaded. A name is looked up with `resolve`, which gives every
    /// address it leads to, or none; the caller's thread waits for it.
    package static func check(
        _ target: Origin, allowHosts: Set<String> = [], resolve: (String) -> [ResolvedHost] = TargetPolicy.resolve
    ) throws(Failure) {
        let host = normal(target.host)
        let addresses = resolve(host)
        if !addresses.isEmpty, addresses.allSatisfy(\.isLoopback) { return }
        if let vendor = vendor(of: host) {
            throw Failure(
                .usage, "\(host) belongs to a push vendor (\(vendor)); load is never sent there",
                hint: "point the target at a mock or at a relay of your own; a name that resolves to 127.0.0.1 is fine")
        }
        if addresses.contains(where: \.isApple) {
            throw Failure(
                .usage, "\(host) leads to Apple's push network; load is never sent there",
                hint: "point the target at a mock or at a relay of your own")
        }
        guard !addresses.isEmpty else {
            throw Failure(.usage, "cannot resolve \(host)", hint: "check the name, or write the address")
        }
        if allowHosts.contains(where: { normal($0) == host }) { return }
        throw Failure(
            .usage, "\(host) is not this machine, and load goes to other machines only on demand",
            hint: "if it is yours to load, add --allow-host \(host)")
    }

    /// Lower case, without the root's dot and without brackets.
    private static func normal(_ host: String) -> String {
        var name = Substring(host.lowercased())
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        while name.hasSuffix(".") { name.removeLast() }
        return String(name)
    }

    /// Asks the system for every address of a name or a literal.
    package static func resolve(_ host: String) -> [ResolvedHost] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [ResolvedHost] = []
        var next = list
        while let entry = next {
            if let address = bytes(of: entry.pointee) { found.append(classify(address)) }
            next = entry.pointee.ai_next
        }
        return found
    }

    private static func bytes(of entry: addrinfo) -> [UInt8]? {
        guard let address = entry.ai_addr else { return nil }
        let raw = UnsafeRawPointer(address)
        switch entry.ai_family {
        case AF_INET:
            let number = raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_addr
            return withUnsafeBytes(of: number) { Array($0) }
        case AF_INET6:
            let number = raw.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_addr
            return withUnsafeBytes(of: number) { Array($0) }
        default: return nil
        }
    }

    /// `address`: 4 or 16 bytes in network order.
    static func classify(_ address: [UInt8]) -> ResolvedHost {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
        if address.count == 16, Array(address[0..<12]) == mapped { return classify(Array(address[12...])) }
        if address.count == 4 { return ResolvedHost(isLoopback: address[0] == 127, isApple: address[0] == 17) }
        let isLoopback = address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
        // 17.0.0.0/8 and these are what Apple tells administrators to open for APNs.
        let apple: [[UInt8]] = [
            [0x26, 0x20, 0x01, 0x49, 0x0A, 0x44], [0x24, 0x03, 0x03, 0x00, 0x0A, 0x42],
            [0x24, 0x03, 0x03, 0x00, 0x0A, 0x51], [0x2A, 0x01, 0xB7, 0x40, 0x0A, 0x42],
        ]
        return ResolvedHost(isLoopback: isLoopback, isApple: apple.contains { address.starts(with: $0) })
    }
}

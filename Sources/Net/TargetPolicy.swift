// Whom we call: loopback, and hosts the user named; never a push vendor, whoever names it. A name is looked up once, here,
// and every connection goes to the addresses that were checked, wherever the name may lead by then.

package import Basics
import CLinux
import Glibc

/// An origin that may be called, with the addresses that it led to when it was checked. Only `TargetPolicy` makes one,
/// and a client takes nothing else.
package struct CheckedOrigin: Hashable, Sendable, CustomStringConvertible {
    package let origin: Origin
    /// In the system's order, at least one.
    package let addresses: [SocketAddress]

    fileprivate init(_ origin: Origin, _ addresses: [IPAddress]) {
        var seen: Set<IPAddress> = []
        self.origin = origin
        self.addresses = addresses.filter { seen.insert($0).inserted }
            .map { SocketAddress(host: $0.description, port: origin.port) }
    }

    fileprivate init(_ origin: Origin, socketPath: String) {
        self.origin = origin
        addresses = [SocketAddress(host: socketPath, port: 0)]
    }

    package var description: String { origin.description }
}

package enum TargetPolicy {
    /// Gives `origin` with its addresses, or throws a usage `Failure` when it may not be called. `resolve` gives every
    /// address that a name leads to, or none; the caller's thread waits for it, so this is no call for a loop's thread.
    package static func check(
        _ origin: Origin, allowHosts: Set<String> = [], resolve: (String) -> [IPAddress] = TargetPolicy.resolve
    ) throws(Failure) -> CheckedOrigin {
        // A socket in the file system is this machine's.
        if let path = origin.socketPath { return CheckedOrigin(origin, socketPath: path) }
        let host = normal(origin.host)
        let found = resolve(host).map { $0.isUnspecified ? $0.loopback : $0 }
        if !found.isEmpty, found.allSatisfy(\.isLoopback) { return CheckedOrigin(origin, found) }
        if let owner = PushVendor.owner(of: host) {
            throw Failure(
                .usage, "\(host) belongs to a push vendor (\(owner)); nothing is ever sent there",
                hint: "point it at a mock or at a relay of your own; a name that resolves to 127.0.0.1 is fine")
        }
        if let vendor = found.lazy.compactMap(\.vendor).first {
            throw Failure(
                .usage, "\(host) leads to \(vendor.rawValue)'s push network; nothing is ever sent there",
                hint: "point it at a mock or at a relay of your own")
        }
        guard !found.isEmpty else {
            throw Failure(.usage, "cannot resolve \(host)", hint: "check the name, or write the address")
        }
        guard allowHosts.contains(where: { normal($0) == host }) else {
            throw Failure(
                .usage, "\(host) is not this machine, and other machines are called only on demand",
                hint: "if it is yours, add --allow-host \(host)")
        }
        return CheckedOrigin(origin, found)
    }

    /// A literal loopback address, looked up nowhere; for a client in this process.
    package static func loopback(_ origin: Origin) throws(Failure) -> CheckedOrigin {
        try check(origin) { host in IPAddress(literal: host).map { [$0] } ?? [] }
    }

    /// Lower case, without the root's dot and without brackets.
    private static func normal(_ host: String) -> String {
        var name = Substring(host.lowercased())
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        while name.hasSuffix(".") { name.removeLast() }
        return String(name)
    }

    /// Asks the system for every address of a name or a literal. Waits for name servers.
    package static func resolve(_ host: String) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [IPAddress] = []
        var next = list
        while let entry = next {
            if let address = address(of: entry.pointee) { found.append(address) }
            next = entry.pointee.ai_next
        }
        return found
    }

    private static func address(of entry: addrinfo) -> IPAddress? {
        guard let address = entry.ai_addr else { return nil }
        let raw = UnsafeRawPointer(address)
        switch entry.ai_family {
        case AF_INET:
            let number = raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_addr
            return withUnsafeBytes(of: number) { IPAddress(Array($0)) }
        case AF_INET6:
            let number = raw.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_addr
            return withUnsafeBytes(of: number) { IPAddress(Array($0)) }
        default: return nil
        }
    }
}

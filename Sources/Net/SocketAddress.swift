// Addresses as people write them: a literal IP and a port.

package import Basics
import CLinux
import Glibc

/// A literal IPv4 or IPv6 address and a port. Names are not resolved here.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:2197` or `[::1]:2197`; `localhost` stands for 127.0.0.1.
    package init(parsing text: String) throws(Failure) {
        let hint = "write ADDRESS:PORT, for example 127.0.0.1:2197 or [::1]:2197"
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw Failure(.usage, "'\(text)' is not an address with a port", hint: hint)
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" { host = "127.0.0.1" }
        self.init(host: host, port: port)
        guard isLiteral else { throw Failure(.usage, "'\(host)' is not a literal IP address", hint: hint) }
    }

    /// Of a socket in the file system, in bytes (unix(7)).
    package static let longestPath = 107

    /// `host` is the path of a socket in the file system.
    private var isPath: Bool { host.hasPrefix("/") }

    package var description: String { isPath ? "unix:" + host : host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    package var isLoopback: Bool { host == "::1" || (host.hasPrefix("127.") && isLiteral) }

    package func with(port: UInt16) -> SocketAddress { SocketAddress(host: host, port: port) }

    private var isLiteral: Bool {
        var room = in6_addr()
        return inet_pton(AF_INET, host, &room) == 1 || inet_pton(AF_INET6, host, &room) == 1
    }

    var family: Int32 { isPath ? AF_UNIX : host.contains(":") ? AF_INET6 : AF_INET }

    /// Lends the address in the kernel's form.
    func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        if isPath {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: host.utf8.prefix(Self.longestPath)) }
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        if family == AF_INET6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// The address of a socket's own end or of its peer.
    static func of(_ descriptor: Int32, peer: Bool) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = peer ? getpeername(descriptor, generic, &length) : getsockname(descriptor, generic, &length)
            }
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            if pointer.pointee.ss_family == sa_family_t(AF_INET6) {
                return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    inet_ntop(AF_INET6, &address.pointee.sin6_addr, &text, socklen_t(text.count))
                    return SocketAddress(host: string(text), port: UInt16(bigEndian: address.pointee.sin6_port))
                }
            }
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                inet_ntop(AF_INET, &address.pointee.sin_addr, &text, socklen_t(text.count))
                return SocketAddress(host: string(text), port: UInt16(bigEndian: address.pointee.sin_port))
            }
        }
    }

    private static func string(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

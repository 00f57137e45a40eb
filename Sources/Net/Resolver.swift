// Names to addresses, before a connection is opened. Blocks for names; literal addresses cost nothing.

package import Basics
import CLinux
import Glibc

package enum Resolver {
    /// All addresses of a host, in the system's order. A literal IP gives itself.
    package static func resolve(_ host: String, port: UInt16) throws(Failure) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, nil, &hints, &list)
        guard result == 0 else {
            throw Failure(.run, "cannot find the host '\(host)': \(String(cString: gai_strerror(result)))")
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var cursor = list
        while let entry = cursor?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(
                entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, Int32(NI_NUMERICHOST)) == 0
            {
                let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                found.append(SocketAddress(host: name, port: port))
            }
            cursor = entry.ai_next
        }
        return found
    }
}

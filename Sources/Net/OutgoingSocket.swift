// Sockets to an origin, and the addresses of this host that they come from.

package import Basics
import CLinux
import Glibc
import OperatingSystem

extension CheckedOrigin {
    /// Of those literal addresses; throws a usage `Failure` for one that is not this host's, or of no family of the origin's.
    package func sources(_ literals: [String]) throws(Failure) -> [IPAddress] {
        var sources: [IPAddress] = []
        for text in literals {
            guard let source = IPAddress(literal: text) else {
                throw Failure(.usage, "'\(text)' is not an IP address", hint: "write one of this host's, such as 127.0.0.2")
            }
            guard addresses.contains(where: { $0.family == source.family }) else {
                throw Failure(
                    .usage, "no connection to \(origin) can come from \(source), an address of another family",
                    hint: "write an address of the same family in `sources`")
            }
            let number = socket(source.family, Int32(SOCK_STREAM.rawValue) | 0o2000000, 0)
            defer { close(number) }
            guard source.bind(number) else {
                throw Failure(
                    .usage, "connections cannot come from \(source): \(SystemCall.describe(errno))",
                    hint: "write addresses of this host in `sources` (`ip address` lists them)")
            }
            sources.append(source)
        }
        return sources
    }
}

extension CheckedOrigin {
    /// A socket that is on its way to one of the origin's addresses; whoever asks owns it.
    ///
    /// `source`: an address of this host's that it comes from, of the kernel's choice where nil.
    func call(_ address: SocketAddress, from source: IPAddress? = nil) throws(Failure) -> Int32 {
        precondition(addresses.contains(address), "only what was checked is called")
        let number = socket(address.family, Int32(SOCK_STREAM.rawValue) | 0o2000000 | 0o4000, 0)
        guard number >= 0 else { throw Failure(.run, "cannot make a socket: \(SystemCall.describe(errno))") }
        var one: Int32 = 1
        setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        if let source {
            // The port is chosen at connect, so that each peer has all of them (ip(7), IP_BIND_ADDRESS_NO_PORT).
            setsockopt(number, Int32(IPPROTO_IP), 24, &one, 4)
            guard source.bind(number) else {
                let error = errno
                Glibc.close(number)
                throw Failure(.run, "cannot connect to \(address) from \(source): \(SystemCall.describe(error))")
            }
        }
        let result = address.withSockaddr { connect(number, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            let error = errno
            Glibc.close(number)
            throw Failure(.run, "cannot connect to \(address): \(SystemCall.describe(error))")
        }
        return number
    }
}

extension IPAddress {
    var family: Int32 { bytes.count == 4 ? AF_INET : AF_INET6 }

    /// Whether that socket comes from here now, from any port.
    func bind(_ socket: Int32) -> Bool {
        SocketAddress(host: description, port: 0).withSockaddr { Glibc.bind(socket, $0, $1) } == 0
    }
}

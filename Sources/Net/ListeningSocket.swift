// The socket that waits for connections, opened before anything else so that a busy port is told at once.

package import Basics
import CLinux
package import EventLoop
import Glibc
import OperatingSystem

/// A bound, listening, non-blocking TCP socket.
package final class ListeningSocket: Sendable {
    let descriptor: Int32
    /// With the real port where port 0 was asked for.
    package let boundAddress: SocketAddress

    /// `sharesPort`: other processes of the same user may listen there too, each of which has asked for it; the kernel
    /// deals connections out among them.
    package init(_ address: SocketAddress, backlog: Int32 = 4096, sharesPort: Bool = false) throws(Failure) {
        let number = socket(address.family, Int32(SOCK_STREAM.rawValue) | 0o2000000 | 0o4000, 0)
        guard number >= 0 else {
            throw Failure(.run, "cannot make a socket: \(SystemCall.describe(errno))", hint: "check `ulimit -n`")
        }
        var one: Int32 = 1
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        if sharesPort { setsockopt(number, SOL_SOCKET, SO_REUSEPORT, &one, 4) }
        let bound = address.withSockaddr { bind(number, $0, $1) }
        guard bound == 0, Glibc.listen(number, backlog) == 0 else {
            let error = errno
            close(number)
            let hint =
                switch error {
                case EADDRINUSE:
                    "something else listens on port \(address.port): stop it" + Self.otherPort
                case EACCES: Self.portRights + "; or choose a port above 1023"
                default: "choose an address of this machine"
                }
            throw Failure(.run, "cannot listen on \(address): \(SystemCall.describe(error))", hint: hint)
        }
        descriptor = number
        boundAddress = SocketAddress.of(number, peer: false)
    }

    deinit { close(descriptor) }

    /// What helps where the port is whose listener chose it.
    package static let otherPort = ", or choose another port (0 picks a free one)"

    /// What a small port such as 443 needs (ip(7)).
    package static let portRights =
        "such a port needs root, CAP_NET_BIND_SERVICE (sudo setcap cap_net_bind_service=+ep \"$(command -v pushrig)\"),"
        + " or a lower net.ipv4.ip_unprivileged_port_start"
}

/// Accepts connections on a loop and deals their descriptors to whoever serves them.
package final class Acceptor: ReadinessHandler {
    private let loop: EventLoop
    private let socket: ListeningSocket
    private let deal: (Int32) -> Void
    private var ticket: Ticket?

    /// `deal` owns each descriptor it is given.
    package init(loop: EventLoop, socket: ListeningSocket, deal: @escaping (Int32) -> Void) {
        self.loop = loop
        self.socket = socket
        self.deal = deal
        ticket = loop.register(socket.descriptor, for: .read, self)
    }

    package func stop() {
        if let ticket { loop.deregister(ticket) }
        ticket = nil
    }

    /// At most 64 a turn, so that a storm of connections does not starve those that are open.
    package func ready(_ readiness: Readiness) {
        for _ in 0..<64 {
            let result = SystemCall.run { Int(accept4(socket.descriptor, nil, nil, 0o2000000 | 0o4000)) }
            switch result {
            case .done(let descriptor):
                var one: Int32 = 1
                setsockopt(Int32(descriptor), Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
                deal(Int32(descriptor))
            case .wouldBlock: return
            case .failed(let number):
                // Out of descriptors: leave the rest in the backlog for a moment instead of spinning.
                if number == EMFILE || number == ENFILE || number == ENOMEM { pause(for: .milliseconds(50)) }
                return
            }
        }
    }

    private func pause(for interval: Interval) {
        guard let ticket else { return }
        loop.change(ticket, to: [])
        _ = loop.after(interval) { [self] in
            if let ticket = self.ticket { loop.change(ticket, to: .read) }
        }
    }
}

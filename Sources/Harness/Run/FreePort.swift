// A port for a relay that is to be told where to listen before it is started.

import Basics
import Glibc
import Net

enum FreePort {
    /// Below the ports that the kernel gives to outgoing connections (`net.ipv4.ip_local_port_range`, from 32,768 unless
    /// changed): any of these could be taken by a connection before the relay listens there.
    static let range = 20_000..<32_768
    private static let attempts = 64

    /// `address` with a port that is free now; the relay takes it a moment later. Runs side by side begin to look at
    /// different places.
    static func on(_ address: SocketAddress, process: Int32 = getpid()) throws(Failure) -> SocketAddress {
        for attempt in 0..<attempts {
            let place = (Int(process) &* 7_919 &+ attempt &* 131) % range.count
            let port = UInt16(range.lowerBound + (place + range.count) % range.count)
            if let socket = try? ListeningSocket(SocketAddress(host: address.host, port: port)) { return socket.boundAddress }
        }
        return try ListeningSocket(address).boundAddress
    }
}

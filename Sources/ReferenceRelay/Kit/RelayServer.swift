// The relay as a running service: one loop thread that owns everything.

package import Basics
import EventLoop
package import Net
import OperatingSystem
import TLS

/// Where APNs is, looked up once and checked: a relay of ours calls no push vendor either.
struct APNsHosts: Sendable {
    let production: CheckedOrigin
    let sandbox: CheckedOrigin

    init(_ options: RelayOptions) throws(Failure) {
        production = try TargetPolicy.check(options.production, allowHosts: options.allowHosts)
        sandbox =
            options.sandbox == options.production
            ? production : try TargetPolicy.check(options.sandbox, allowHosts: options.allowHosts)
    }
}

/// An honest relay in the dialect of its options, listening when the initializer returns.
package final class RelayServer: Sendable {
    package let boundAddress: SocketAddress
    private let thread: LoopThread<RelayService>

    /// Fails with a usage error for an APNs host that may not be called (see `TargetPolicy`), for a key or CA file that
    /// cannot be read and for a storage file of another kind, and with one about the address where the port is taken.
    package init(options: RelayOptions) throws(Failure) {
        let hosts = try APNsHosts(options)
        let key = try Self.readKey(options.keyFile)
        let socket = try ListeningSocket(options.listen, sharesPort: options.isShared)
        boundAddress = socket.boundAddress
        do {
            let owner = try options.clockOwner.map { origin throws(Failure) in
                try TargetPolicy.check(origin, allowHosts: options.allowHosts)
            }
            let clock = owner.map { _ in RunClock(base: SystemTime(), mode: .stepped) }
            thread = try LoopThread(name: "relay", clock: clock) { loop in
                let service = try RelayService(loop: loop, options: options, hosts: hosts, key: key)
                let listen = { try service.listen(on: socket) }
                if let owner { try service.takePart(in: owner, ready: listen) } else { try listen() }
                return service
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.run, "the relay cannot start: \(error)")
        }
    }

    /// Stops accepting, lets requests and pushes in flight finish (a few seconds at most), closes the storage.
    /// Waits for it.
    package func drainAndStop() {
        let drained = Handover<Bool>()
        thread.post { service in service.drain { drained.give(true) } }
        _ = drained.take()
        thread.stop()
    }

    private static func readKey(_ path: String) throws(Failure) -> P256PrivateKey {
        let bytes: [UInt8]
        // Such a file has about 260 bytes.
        do { bytes = try FileSystem.start(of: path, count: 16_384) } catch {
            throw Failure(
                .usage, "cannot read the provider key \(path): \(error.words)",
                hint: "give the .p8 file of an APNs key, usually named AuthKey_KEYID.p8")
        }
        do {
            return try P256PrivateKey(pem: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw Failure(.usage, error.message, hint: error.hint, place: path)
        }
    }
}

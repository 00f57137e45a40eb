// The mock behind a program's hard-coded names: one of its own at the real ports, or one that is up.

import Basics
import Glibc
import MockServer
import Net
import Pushes

/// Ends with the value.
final class ExecMock {
    let coordinates: MockCoordinates
    /// By what a name stands for; a role that is not there has an address where nothing listens.
    let addresses: [ProviderName.Role: String]
    /// Roles that the mock does not play: whoever calls their names is told that nobody listens.
    let closed: Set<ProviderName.Role>
    /// Nil when it runs elsewhere.
    let service: MockService?

    /// Of its own: `options` with free addresses of 127.0.0.0/8, on which the real ports are taken.
    init(starting options: MockOptions, omitting443 isWithout443: Bool, onFailure: @escaping @Sendable (Failure) -> Void)
        throws(Failure)
    {
        var options = options
        let hosts = try Self.freeHosts(isWithout443)
        func at(_ role: ProviderName.Role, _ port: UInt16) -> SocketAddress { SocketAddress(host: hosts[role]!, port: port) }
        let main = isWithout443 ? ProviderName.twinPort : ProviderName.pushPort
        options.apns = at(.production, main)
        options.sandbox = at(.sandbox, main)
        if !isWithout443 {
            options.apnsTwin = at(.production, ProviderName.twinPort)
            options.sandboxTwin = at(.sandbox, ProviderName.twinPort)
            options.fcm = at(.google, ProviderName.pushPort)
        }
        options.channels = at(.production, ProviderName.channelPort)
        options.sandboxChannels = at(.sandbox, ProviderName.sandboxChannelPort)
        let mock = try MockService(options: options, onFailure: onFailure)
        (service, coordinates, addresses, closed) = (mock, mock.coordinates, hosts, isWithout443 ? [.google] : [])
    }

    /// One that is up on this state directory. Throws when no program could reach it by a name of Apple's.
    init(runningOn directory: String) throws(Failure) {
        let found = try RunningMock.coordinates(in: directory)
        let sandbox = found.environment == .sandbox
        let places: [ProviderName.Role: [SocketAddress]] = [
            sandbox ? .sandbox : .production: [found.apns, found.apnsTwin].compactMap { $0 },
            sandbox ? .production : .sandbox: [found.sandbox, found.sandboxTwin].compactMap { $0 },
        ]
        var addresses: [ProviderName.Role: String] = [:]
        for (role, list) in places {
            addresses[role] = list.first { [ProviderName.pushPort, ProviderName.twinPort].contains($0.port) }?.host
        }
        guard !addresses.isEmpty else {
            throw Failure(
                .usage, "the mock of \(directory) is at \(found.apns), and programs call Apple at port 443 or 2197",
                hint: "start it with --apns 127.0.0.1:443 --apns-twin 127.0.0.1:2197, or leave --mock out")
        }
        if let fcm = found.fcm, fcm.port == ProviderName.pushPort { addresses[.google] = fcm.host }
        if let shared = addresses[.production], shared == addresses[.sandbox] {
            throw Failure(
                .usage, "the mock of \(directory) plays production and sandbox at \(shared), and a name has no port",
                hint: "give sandbox an address of its own, such as --sandbox 127.0.0.2:443")
        }
        var closed: Set<ProviderName.Role> = []
        for role in ProviderName.Role.allCases where addresses[role] == nil {
            addresses[role] = try Self.closedHost()
            closed.insert(role)
        }
        (service, coordinates, self.addresses, self.closed) = (nil, found, addresses, closed)
    }

    /// Not said of a program's end: what the mock has must be on disk first.
    func stop() { service?.drainAndStop() }

    // MARK: Addresses

    private static let attempts = 32

    /// Three neighbours of 127.64.0.0/10, different for runs side by side, at which all ports are free.
    private static func freeHosts(_ isWithout443: Bool) throws(Failure) -> [ProviderName.Role: String] {
        let pushes = (isWithout443 ? [] : [ProviderName.pushPort]) + [ProviderName.twinPort]
        var trouble: Failure?
        for attempt in 0..<attempts {
            let hosts = hosts(number: Int(getpid()) &+ attempt &* 7_919)
            do throws(Failure) {
                for port in pushes + [ProviderName.channelPort] {
                    _ = try ListeningSocket(SocketAddress(host: hosts[.production]!, port: port))
                }
                for port in pushes + [ProviderName.sandboxChannelPort] {
                    _ = try ListeningSocket(SocketAddress(host: hosts[.sandbox]!, port: port))
                }
                if !isWithout443 { _ = try ListeningSocket(SocketAddress(host: hosts[.google]!, port: ProviderName.pushPort)) }
                return hosts
            } catch {
                trouble = error
            }
        }
        throw Self.told(trouble!)
    }

    /// The ports are the providers' own, and not ours to choose: what helps beside the rights is to leave 443 out.
    static func told(_ trouble: Failure) -> Failure {
        guard let hint = trouble.hint else { return trouble }
        var told = trouble
        let without443 = "; or say --no-443, for a program that calls APNs at port 2197"
        if hint.hasPrefix(ListeningSocket.portRights) {
            told.hint = ListeningSocket.portRights + without443
        } else if hint.hasSuffix(ListeningSocket.otherPort) {
            let rest = String(hint.dropLast(ListeningSocket.otherPort.count))
            told.hint = rest + (rest.contains("port \(ProviderName.pushPort):") ? without443 : "")
        }
        return told
    }

    /// An address of which no port was taken by us.
    private static func closedHost() throws(Failure) -> String { hosts(number: Int(getpid()))[.google]! }

    private static func hosts(number: Int) -> [ProviderName.Role: String] {
        let base = "127.\(64 + number >> 8 & 63).\(number & 255)"
        return [.production: base + ".1", .sandbox: base + ".2", .google: base + ".3"]
    }
}

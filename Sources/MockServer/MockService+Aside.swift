// A mock that lets another one have its place for a while: its addresses and its state directory. What it knows stays.

package import Basics
import Net

extension MockService {
    /// Closes what providers have opened, with GOAWAY, and lets go of addresses and state directory. The admin API goes on.
    package func standAside() {
        drain()
        lend()
    }

    /// Takes its place again, with the tokens, phones, channels and faults that it had. False while somebody has the state
    /// directory; throws when an address is taken.
    package func comeBack() throws(Failure) -> Bool {
        guard takeBack() else { return false }
        do throws(Failure) {
            let sockets = try coordinates.places.map { place throws(Failure) in try place.address.map(Self.listening) }
            let channels = try [coordinates.channels, coordinates.sandboxChannels].map { address throws(Failure) in
                try address.map(Self.listening)
            }
            serve(sockets, channels, try coordinates.fcm.map(Self.listening))
        } catch {
            lend()
            throw error
        }
        return true
    }

    private static func listening(_ address: SocketAddress) throws(Failure) -> ListeningSocket { try ListeningSocket(address) }

    /// Where a mock with these options would be, its keys and authority made; listens nowhere. Throws as the start does.
    package static func prepare(_ options: MockOptions) throws(Failure) -> MockCoordinates {
        let state = try StateDirectory(path: options.stateDirectory)
        var found = MockCoordinates(options, try MockIdentity(options, in: state))
        found.fcm = options.fcm
        if options.fcm != nil { found.serviceAccount = try FCMIdentity(in: state, seed: options.seed).file }
        return found
    }
}

extension MockIdentity {
    /// The server's certificate is good for the names and the addresses that are asked for.
    init(_ options: MockOptions, in directory: borrowing StateDirectory) throws(Failure) {
        let places = options.listeners.compactMap(\.?.address) + [options.fcm].compactMap { $0 }
        let hosts = places.filter { !$0.isWildcard }.map(\.host)
        try self.init(
            in: directory, seed: options.seed, extraNames: options.serverNames,
            extraAddresses: Set(hosts).subtracting(Self.serverAddresses).sorted())
    }
}

extension SocketAddress {
    /// Each address of the machine.
    package var isWildcard: Bool { host == "0.0.0.0" || host == "::" }
}

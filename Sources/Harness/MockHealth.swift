// `pushrig mock --health`: whether a mock is up and answers, for the health check of a container or of a service.

package import Basics
import MockServer
import Net

package enum MockHealth {
    /// Asks the mock that is up on the state directory, or the one whose admin API listens at `admin`. Throws why it is not
    /// healthy.
    package static func check(stateDirectory: String, admin: String?) throws(Failure) -> ExitCode {
        let found = admin == nil ? try RunningMock.coordinates(in: stateDirectory) : nil
        let named = try admin.map { text throws(Failure) in try SocketAddress(parsing: text) } ?? found?.admin
        guard let named else {
            throw Failure(.run, "the mock on \(stateDirectory) has no admin API", hint: "start it with --admin ADDR")
        }
        // It listens everywhere, and so on this host.
        let host = named.host == "::" ? "::1" : "127.0.0.1"
        let address = named.isWildcard ? SocketAddress(host: host, port: named.port) : named
        let client = try AdminClient("http://\(address)", allowHosts: [address.host], token: found?.adminToken)
        let status = try client.ask("GET", "/v1/health").status
        // One that wants a token is up as well.
        guard status == 200 || status == 401 else { throw Failure(.run, "the mock at \(client.url) says \(status)") }
        Console.out("healthy: \(client.url)\n")
        return .passed
    }
}

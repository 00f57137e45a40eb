// Where a connection string leads. Nothing of the string itself is in any word said here, for it may hold a password.

package import Basics
import Glibc

package struct PostgreSQLAddress: Sendable {
    /// `postgresql://…`, or pairs of keyword and value.
    let text: String
    /// A name or an address; nil: a socket in the file system.
    package let host: String?
    package let port: UInt16

    /// Throws a run `Failure` where there is no libpq, and a usage `Failure` for a string that says no single server.
    package init(_ text: String) throws(Failure) {
        self.text = text
        let values = try Self.values(text)
        if values["service"] != nil {
            throw Failure(.usage, "a `service` hides where PostgreSQL is", hint: "write the host into the connection string")
        }
        let host = values["hostaddr"] ?? values["host"] ?? "/var/run/postgresql"
        guard !host.contains(","), let port = UInt16(values["port"] ?? "5432") else {
            throw Failure(.usage, "the connection string has several hosts, or a port that is none", hint: "name one server")
        }
        self.host = host.hasPrefix("/") || host.hasPrefix("@") ? nil : host
        self.port = port
        if values["host"] == nil, values["hostaddr"] == nil { socketFolder = host } else { socketFolder = nil }
    }

    /// Where it names no host: Debian's, whatever the environment says.
    let socketFolder: String?

    private static func values(_ text: String) throws(Failure) -> [String: String] {
        let library = try PostgreSQLLibrary.load()
        var message: UnsafeMutablePointer<CChar>?
        let parsed = text.withCString { library.parse($0, &message) }
        if let message { library.free(message) }
        guard let parsed else {
            throw Failure(
                .usage, "what `state` has for PostgreSQL is no connection string",
                hint: "such as postgresql://user:password@host:5432/database")
        }
        defer { library.freeParsed(parsed) }
        // PQconninfoOption: six pointers and a number; the first is the keyword, the fourth the value.
        var (values, option) = ([String: String](), parsed)
        let (pointer, stride) = (MemoryLayout<UnsafeRawPointer>.stride, 7 * MemoryLayout<UnsafeRawPointer>.stride)
        while let keyword = option.load(as: UnsafePointer<CChar>?.self) {
            if let value = option.load(fromByteOffset: 3 * pointer, as: UnsafePointer<CChar>?.self), value.pointee != 0 {
                values[String(cString: keyword)] = String(cString: value)
            }
            option += stride
        }
        return values
    }
}

// Web pages of others that reach for a server on their reader's machine. Who serves a page of his own asks here first.

package import HTTP

/// Why a request is not answered: it comes from a page that is not the server's own, or by a name that is not the machine's.
package struct StrangePage: Error, Hashable, Sendable {
    /// Kebab-case, for programs.
    package var code: String
    /// One clear line, for people.
    package var message: String

    /// Nil where the request may be answered. `isDocument`: a browser may go to it from another site, as by a link.
    /// `isLocal`: the server listens on loopback only, and is known by an address or as localhost; a page whose own name was
    /// pointed at this machine (DNS rebinding) is known by that name.
    package init?(_ head: HeaderBlock, isDocument: Bool, isLocal: Bool) {
        // What a page loads without asking (an image, a frame) bears no origin, but browsers say whose page it is.
        if let site = head.text("sec-fetch-site"), site != "same-origin", site != "none",
            !isDocument || head.text("sec-fetch-mode") != "navigate"
        {
            self.init(code: "foreign-origin", message: "a page of another origin may not use this API")
            return
        }
        let host = head.text(":authority")
        if let origin = head.text("origin"), let host, origin != "http://" + host, origin != "https://" + host {
            self.init(code: "foreign-origin", message: "a page of \(origin) may not use this API")
            return
        }
        guard isLocal, let host, !Self.isAddressOrLocal(host) else { return nil }
        self.init(code: "foreign-host", message: "'\(host)' is not a name of this machine's loopback")
    }

    private init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    /// Whether a host, with or without a port, is an IP address or `localhost`, which no resolver is asked about.
    private static func isAddressOrLocal(_ host: String) -> Bool {
        if host.hasPrefix("[") { return true }
        let name = host.prefix { $0 != ":" }.lowercased()
        return name == "localhost" || name.hasSuffix(".localhost") || name.utf8.allSatisfy { 48...57 ~= $0 || $0 == 46 }
    }
}

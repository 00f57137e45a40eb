// The file of the repository that a result of SARIF points to, and the line in it.

import Basics

/// A scenario or profile as its user named it, with its text.
struct SarifFile {
    private let path: String
    private let lines: [Substring]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Below the repository's root where the name is relative to it, and else a file's own URI.
    var uri: String {
        let plain = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        let encoded = plain.utf8.map { byte in
            Self.unreserved.contains(byte)
                ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
        return path.hasPrefix("/") ? "file://" + encoded : encoded
    }

    private static let unreserved = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)

    /// The line where the session makes the call, or where a profile describes it; else where the relay is named.
    func line(ofCall kind: String?) -> Int {
        if let kind, let line = first({ $0.contains("call: " + kind) || $0.drop { $0 == " " }.hasPrefix(kind + ":") }) {
            return line
        }
        return first { $0.hasPrefix("relay:") } ?? 1
    }

    /// The line that has the gate; where none has, it stood on the command line.
    func line(ofGate text: String) -> Int { first { $0.contains(text) } ?? first { $0.hasPrefix("gates:") } ?? 1 }

    private func first(_ fits: (Substring) -> Bool) -> Int? { lines.firstIndex(where: fits).map { $0 + 1 } }
}

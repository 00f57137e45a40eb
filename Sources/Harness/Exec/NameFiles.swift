// The files by which the C library finds an address for a name, with some names led elsewhere.

enum NameFiles {
    /// `/etc/hosts` with these names led to these addresses, and to nothing else. Each stands there as IPv4 and, mapped, as
    /// IPv6 (RFC 4291 §2.5.5.2): whoever looks for IPv6 alone would ask a name server otherwise, and find the real one.
    static func hosts(_ entries: [(address: String, name: String)], beside own: String) -> String {
        let names = Set(entries.map(\.name))
        let kept = own.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
            return !words.dropFirst().contains { names.contains($0.lowercased()) }
        }
        let ours = entries.flatMap { ["\($0.address) \($0.name)", "::ffff:\($0.address) \($0.name)"] }
        return ours.joined(separator: "\n") + "\n" + kept.joined(separator: "\n") + (own.hasSuffix("\n") ? "" : "\n")
    }

    /// `/etc/nsswitch.conf` with `files` first where hosts are looked up.
    static func nsswitch(_ own: String) -> String {
        var isThere = false
        let lines = own.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            guard line.drop(while: { $0 == " " || $0 == "\t" }).hasPrefix("hosts:"), let colon = line.firstIndex(of: ":")
            else { return String(line) }
            isThere = true
            let rest = line[line.index(after: colon)...].split { $0 == " " || $0 == "\t" }.filter { $0 != "files" }
            return (["hosts:", "files"] + rest.map(String.init)).joined(separator: " ")
        }
        return lines.joined(separator: "\n") + (isThere ? "" : "hosts: files dns\n")
    }
}

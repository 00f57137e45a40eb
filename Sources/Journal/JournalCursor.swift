// Where a reader stands: an offset into each file. Its text form goes into URLs and comes back from strangers.

/// A position in a journal; files it does not name are read from their start. As text `apns-0:4096,apns-1:128`.
package struct JournalCursor: Hashable, Sendable {
    private var offsets: [String: Int] = [:]

    /// The start of everything.
    package init() {}

    /// Nil when the text is not a cursor. Empty text is the start. A made-up offset is harmless: nothing is read there.
    package init?(parsing text: String) {
        guard text.utf8.count <= 1 << 20 else { return nil }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) where !text.isEmpty {
            guard let colon = part.lastIndex(of: ":") else { return nil }
            let name = String(part[..<colon])
            let digits = part[part.index(after: colon)...]
            guard Self.isFileName(name), digits.utf8.allSatisfy({ 48...57 ~= $0 }), let offset = Int(digits),
                offset < 1 << 43, offsets[name] == nil
            else { return nil }
            offsets[name] = offset
        }
    }

    package var text: String {
        offsets.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
    }

    /// Bytes between here and a later cursor; a file that is not named here counts from its start.
    package func bytes(to end: JournalCursor) -> Int {
        end.offsets.reduce(0) { $0 + max(0, $1.value - (offsets[$1.key] ?? 0)) }
    }

    subscript(name: String) -> Int? {
        get { offsets[name] }
        set { offsets[name] = newValue }
    }

    /// Letters, digits, `-`, `_` and `.`; not starting with a dot.
    static func isFileName(_ name: String) -> Bool {
        let length = 1...Format.maxNameLength + 8
        guard length.contains(name.utf8.count), name.utf8.first != 46 else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case 45, 46, 48...57, 65...90, 95, 97...122: true
            default: false
            }
        }
    }
}

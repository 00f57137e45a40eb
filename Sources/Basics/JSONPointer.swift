// RFC 6901: a path into a tree, such as `/aps/alert/title` or `/pushes/0`.

extension JSONValue {
    /// The value at `pointer`; the empty pointer is the whole. Nil when there is nothing, or the pointer is malformed.
    package func at(pointer: String) -> JSONValue? {
        guard !pointer.isEmpty else { return self }
        guard pointer.utf8.first == UInt8(ascii: "/") else { return nil }
        var value = self
        for token in pointer.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let name = Self.unescape(token) else { return nil }
            switch value {
            case .object(let object):
                guard let member = object[name] else { return nil }
                value = member
            case .array(let array):
                guard let index = Self.index(name), index < array.count else { return nil }
                value = array[index]
            default:
                return nil
            }
        }
        return value
    }

    /// `~1` is a slash and `~0` a tilde; a tilde before anything else is an error (§3).
    private static func unescape(_ token: Substring.UTF8View) -> String? {
        var name: [UInt8] = []
        var bytes = token.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "~") else {
                name.append(byte)
                continue
            }
            switch bytes.next() {
            case UInt8(ascii: "0"): name.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): name.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Digits without leading zeros (§4).
    private static func index(_ name: String) -> Int? {
        guard let first = name.utf8.first, name.utf8.allSatisfy({ 48...57 ~= $0 }), first != 48 || name == "0" else {
            return nil
        }
        return Int(name)
    }
}

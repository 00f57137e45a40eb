// Reads the header blocks of answers, strictly, and keeps how each field was written (RFC 7541).

/// A field and its representation on the wire.
package struct DecodedField: Equatable, Sendable, CustomStringConvertible {
    package enum Form: Equatable, Sendable { case indexed(Int), literal(HPACK.Literal, nameIndex: Int) }

    package var name: String
    package var value: String
    package var form: Form

    package var description: String { "\(name): \(value)" }
}

package struct HPACKDecoder {
    private var dynamic: [(name: String, value: String)] = []
    private var size = 0
    private var limit = 4_096
    /// The most the encoder may choose: what our SETTINGS said.
    package var allowed = 4_096
    /// The size updates of the last block.
    package private(set) var sizeUpdates: [Int] = []

    package init() {}

    /// Nil when the block breaks a rule.
    package mutating func decode(_ block: [UInt8]) -> [DecodedField]? {
        var input = block[...]
        var fields: [DecodedField] = []
        sizeUpdates = []
        while let first = input.first {
            if first & 0x80 != 0 {
                guard let index = Self.integer(&input, prefix: 7), let entry = entry(index) else { return nil }
                fields.append(DecodedField(name: entry.name, value: entry.value, form: .indexed(index)))
            } else if first & 0x40 != 0 {
                guard let field = literal(&input, prefix: 6, .incremental) else { return nil }
                add(field.name, field.value)
                fields.append(field)
            } else if first & 0x20 != 0 {
                guard fields.isEmpty, let size = Self.integer(&input, prefix: 5), size <= allowed else { return nil }
                sizeUpdates.append(size)
                limit = size
                evict()
            } else {
                guard let field = literal(&input, prefix: 4, first & 0x10 != 0 ? .neverIndexed : .withoutIndexing)
                else { return nil }
                fields.append(field)
            }
        }
        return fields
    }

    private func literal(_ input: inout ArraySlice<UInt8>, prefix: Int, _ form: HPACK.Literal) -> DecodedField? {
        guard let index = Self.integer(&input, prefix: prefix) else { return nil }
        let name: String
        if index == 0 {
            guard let read = Self.string(&input) else { return nil }
            name = read
        } else {
            guard let entry = entry(index) else { return nil }
            name = entry.name
        }
        guard let value = Self.string(&input) else { return nil }
        return DecodedField(name: name, value: value, form: .literal(form, nameIndex: index))
    }

    private func entry(_ index: Int) -> (name: String, value: String)? {
        guard index > 0 else { return nil }
        if index <= Self.fixed.count { return Self.fixed[index - 1] }
        let place = index - Self.fixed.count - 1
        return place < dynamic.count ? dynamic[place] : nil
    }

    private mutating func add(_ name: String, _ value: String) {
        dynamic.insert((name, value), at: 0)
        size += name.utf8.count + value.utf8.count + 32
        evict()
    }

    private mutating func evict() {
        while size > limit, let oldest = dynamic.popLast() {
            size -= oldest.name.utf8.count + oldest.value.utf8.count + 32
        }
    }

    private static func integer(_ input: inout ArraySlice<UInt8>, prefix: Int) -> Int? {
        guard let first = input.popFirst() else { return nil }
        let limit = 1 << prefix - 1
        var value = Int(first) & limit
        guard value == limit else { return value }
        for shift in stride(from: 0, through: 28, by: 7) {
            guard let byte = input.popFirst() else { return nil }
            value += Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    private static func string(_ input: inout ArraySlice<UInt8>) -> String? {
        guard let first = input.first, let count = integer(&input, prefix: 7), count <= input.count else { return nil }
        let bytes = input.prefix(count)
        input.removeFirst(count)
        guard first & 0x80 != 0 else { return String(decoding: bytes, as: UTF8.self) }
        return Huffman.decode(bytes).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The static table (Appendix A).
    private static let fixed: [(name: String, value: String)] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
        (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
        (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
        ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""), ("cache-control", ""),
        ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""),
        ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""),
        ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""),
        ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""),
        ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
        ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""),
        ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ]
}

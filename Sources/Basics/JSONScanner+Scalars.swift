// Strings, numbers and words as the scanner passes over them, and the space between them.

extension JSONScanner {
    /// The byte behind the string that starts at `p`, behind its quote. Nil with `failure` set.
    @inline(__always)
    func string(_ p: JSONText.Bytes, hasEscapes: inout Bool) -> JSONText.Bytes? {
        let special = JSONText.plainRun(p)
        if special.pointee == UInt8(ascii: "\"") { return special + 1 }
        var flaw: JSONText.Flaw?
        if let end = JSONText.finishString(special, hasEscapes: &hasEscapes, flaw: &flaw) { return end }
        if let flaw { _ = fail(flaw.code, flaw.at) }
        return nil
    }

    /// The byte behind the string, number or word at `p`. Nil with `failure` set.
    @inline(__always)
    func scalar(_ p: JSONText.Bytes, into node: UnsafeMutablePointer<JSONNode>) -> JSONText.Bytes? {
        switch p.pointee {
        case UInt8(ascii: "\""):
            node.pointee.kind = .string
            return string(p + 1, hasEscapes: &node.pointee.hasEscapes)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            node.pointee.kind = .number
            return number(p, into: node)
        case UInt8(ascii: "t"):
            node.pointee.kind = .true
            if JSONText.word(p) & 0xFFFF_FFFF == 0x6575_7274 { return p + 4 }
        case UInt8(ascii: "f"):
            node.pointee.kind = .false
            if JSONText.word(p) & 0xFF_FFFF_FFFF == 0x65_736C_6166 { return p + 5 }
        case UInt8(ascii: "n"):
            if JSONText.word(p) & 0xFFFF_FFFF == 0x6C6C_756E { return p + 4 }
        default:
            break
        }
        _ = fail(.unexpectedByte, p)
        return nil
    }

    /// An integer of usual length here, all other numbers elsewhere.
    @inline(__always)
    private func number(_ start: JSONText.Bytes, into node: UnsafeMutablePointer<JSONNode>) -> JSONText.Bytes? {
        var p = start
        let first = p.pointee
        repeat { p += 1 } while p.pointee &- UInt8(ascii: "0") < 10
        if first &- UInt8(ascii: "1") < 9, p.pointee != UInt8(ascii: "."), p.pointee | 0x20 != UInt8(ascii: "e"),
            p - start < 200
        {
            node.pointee.isInteger = true
            return p
        }
        return anyNumber(start, into: node)
    }

    @inline(never)
    private func anyNumber(_ start: JSONText.Bytes, into node: UnsafeMutablePointer<JSONNode>) -> JSONText.Bytes? {
        var p = start
        if p.pointee == UInt8(ascii: "-") { p += 1 }
        if p.pointee == UInt8(ascii: "0") {
            p += 1
        } else {
            guard digits(&p) else { return nil }
        }
        node.pointee.isInteger = true
        if p.pointee == UInt8(ascii: ".") {
            node.pointee.isInteger = false
            p += 1
            guard digits(&p) else { return nil }
        }
        var mayOverflow = p - start >= 200
        if p.pointee | 0x20 == UInt8(ascii: "e") {
            node.pointee.isInteger = false
            p += 1
            if p.pointee == UInt8(ascii: "+") || p.pointee == UInt8(ascii: "-") { p += 1 }
            let exponent = p
            guard digits(&p) else { return nil }
            mayOverflow = mayOverflow || p - exponent > 2
        }
        if mayOverflow, !JSONText.isFiniteNumber(start, p) {
            _ = fail(.numberOutOfRange, start)
            return nil
        }
        return p
    }

    /// At least one digit.
    @inline(__always)
    private func digits(_ p: inout JSONText.Bytes) -> Bool {
        let start = p
        while p.pointee &- UInt8(ascii: "0") < 10 { p += 1 }
        if p == start { _ = fail(.unexpectedByte, p) }
        return p > start
    }

    @inline(__always)
    static func skipSpace(_ start: JSONText.Bytes) -> JSONText.Bytes {
        var p = start
        while true {
            let byte = p.pointee
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return p }
            p += 1
        }
    }
}

// What bytes HTTP/1.1 allows where (RFC 9110 §5.6.2, §5.5; RFC 9112 §3), and the few loops that look at every byte.

enum HTTP1Bytes {
    static let cr = UInt8(ascii: "\r")
    static let lf = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let colon = UInt8(ascii: ":")

    /// For each byte of a token its lower case, for all other bytes 0. Never freed, never changed.
    nonisolated(unsafe) static let tokens: UnsafePointer<UInt8> = {
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        table.initialize(repeating: 0, count: 256)
        for byte in "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8 { table[Int(byte)] = byte }
        for byte in "ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8 { table[Int(byte)] = byte + 32 }
        return UnsafePointer(table)
    }()

    @inline(__always)
    static func word(_ p: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self))
    }

    /// Not 0 when a byte of the word is below `bound` (at most 0x80) or is DEL.
    @inline(__always)
    private static func controls(_ w: UInt64, below bound: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let delete = w ^ (ones &* 0x7F)
        return ((w &- ones &* bound) & ~w | (delete &- ones) & ~delete) & (ones &* 0x80)
    }

    /// Copies a field value. False when it holds a byte that no value may: a control character other than a tab.
    @inline(__always)
    static func copyValue(_ from: UnsafePointer<UInt8>, _ count: Int, to: UnsafeMutablePointer<UInt8>) -> Bool {
        var found: UInt64 = 0
        var index = 0
        while index &+ 8 <= count {
            let w = word(from + index)
            UnsafeMutableRawPointer(to + index).storeBytes(of: w.littleEndian, as: UInt64.self)
            found |= controls(w, below: 0x20)
            index &+= 8
        }
        while index < count {
            let byte = from[index]
            to[index] = byte
            if byte < 0x20 || byte == 0x7F { found |= 1 }
            index &+= 1
        }
        return found == 0 || hasOnlyTabs(from, count)
    }

    @inline(never)
    private static func hasOnlyTabs(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        for index in 0..<count where isControl(bytes[index]) { return false }
        return true
    }

    /// Whether no value may hold the byte.
    static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != tab || byte == 0x7F }

    /// Whether all bytes are visible ASCII, as in a request target.
    static func isVisible(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var found: UInt64 = 0
        var index = 0
        while index &+ 8 <= count {
            let w = word(bytes + index)
            found |= controls(w, below: 0x21) | w & 0x8080_8080_8080_8080
            index &+= 8
        }
        while index < count {
            if bytes[index] < 0x21 || bytes[index] > 0x7E { return false }
            index &+= 1
        }
        return found == 0
    }

    /// Whether the bytes can be a host with an optional port, or nothing (RFC 3986 §3.2.2, user information refused).
    static func isAuthority(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        for index in 0..<count {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "%"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "!"),
                UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "="):
                continue
            default:
                return false
            }
        }
        return true
    }

    /// Whether the bytes say `word` (given in lower case), in whatever case.
    @inline(__always)
    static func says(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        let wanted = word.utf8Start
        for index in 0..<count {
            let byte = bytes[index]
            guard (byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte) == wanted[index] else { return false }
        }
        return true
    }
}

// Room of known size being written, and the small things that heads are made of.

import Glibc

struct HTTP1Sink {
    private let start: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private(set) var written = 0

    init(start: UnsafeMutablePointer<UInt8>, capacity: Int) {
        self.start = start
        self.capacity = capacity
    }

    /// Where the next `count` bytes go.
    @inline(__always)
    private mutating func take(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        precondition(written &+ count <= capacity, "a head is longer than was reckoned")
        let place = start + written
        written &+= count
        return place
    }

    @inline(__always)
    mutating func put(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        take(count).update(from: text.utf8Start, count: count)
    }

    /// A method or field name: what is no token there is our own mistake.
    @inline(__always)
    mutating func put(token: UnsafeBufferPointer<UInt8>) {
        let tokens = HTTP1Bytes.tokens
        let place = take(token.count)
        for index in 0..<token.count {
            precondition(tokens[Int(token[index])] != 0, "a method or a field name holds a byte it may not")
            place[index] = token[index]
        }
    }

    /// A field value; control characters become spaces (RFC 9110 §5.5).
    @inline(__always)
    mutating func put(value: UnsafeBufferPointer<UInt8>) {
        guard let from = value.baseAddress else { return }
        let place = take(value.count)
        if !HTTP1Bytes.copyValue(from, value.count, to: place) {
            for index in 0..<value.count where HTTP1Bytes.isControl(place[index]) { place[index] = HTTP1Bytes.space }
        }
    }

    /// A request target; what is not visible ASCII is percent-encoded.
    mutating func put(path: UnsafeBufferPointer<UInt8>) {
        guard let from = path.baseAddress else { return }
        if HTTP1Bytes.isVisible(from, path.count) {
            take(path.count).update(from: from, count: path.count)
            return
        }
        for byte in path {
            if 0x21...0x7E ~= byte {
                take(1).pointee = byte
            } else {
                let place = take(3)
                place[0] = UInt8(ascii: "%")
                place[1] = Self.hexDigit(Int(byte) >> 4)
                place[2] = Self.hexDigit(Int(byte) & 15)
            }
        }
    }

    mutating func put(field head: HeaderBlock, _ index: Int) {
        put(token: head.rawName(index))
        put(": ")
        put(value: head.rawValue(index))
        put("\r\n")
    }

    mutating func put(statusLine status: Int) {
        precondition(100..<1000 ~= status, "a status has three digits")
        put("HTTP/1.1 ")
        put(number: status)
        put(" ")
        put(HTTP1Writer.reason(status))
        put("\r\n")
    }

    /// The fields of a response, without those that frame it.
    mutating func put(fields head: HeaderBlock, keepAlive: Bool) {
        for index in 0..<head.count {
            let name = head.rawName(index)
            guard let start = name.baseAddress, name.count > 0, start[0] != HTTP1Bytes.colon else { continue }
            switch name.count {
            case 10 where !keepAlive && HTTP1Bytes.says(start, 10, "connection"): continue
            case 14 where HTTP1Bytes.says(start, 14, "content-length"): continue
            case 17 where HTTP1Bytes.says(start, 17, "transfer-encoding"): continue
            default: put(field: head, index)
            }
        }
        if !keepAlive { put("connection: close\r\n") }
    }

    /// A number that is not negative, in decimal digits.
    mutating func put(number: Int) {
        var count = 1
        var rest = number
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        let place = take(count)
        rest = number
        for index in stride(from: count - 1, through: 0, by: -1) {
            place[index] = UInt8(truncatingIfNeeded: 48 + rest % 10)
            rest /= 10
        }
    }

    /// A number greater than 0, in hex digits.
    mutating func put(hex number: Int) {
        let count = (Int.bitWidth - number.leadingZeroBitCount + 3) / 4
        let place = take(count)
        for index in 0..<count { place[index] = Self.hexDigit(number >> (4 * (count - 1 - index)) & 15) }
    }

    private static func hexDigit(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 10 ? 48 + value : 55 + value)
    }
}

// A text as it reads when one of the ways is undone in which programs write texts into others. Each byte knows where it
// stood in the text that all began with, so that what is found in a decoded one can be struck there.

import Basics

struct DecodedText {
    private(set) var bytes: [UInt8]
    /// Of each byte, in the first text: all that it was written with.
    private(set) var places: [Range<Int>]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        places = bytes.indices.map { $0..<$0 + 1 }
    }

    private init() { (bytes, places) = ([], []) }

    func place(of range: Range<Int>) -> Range<Int> {
        // Each byte of a longer form, such as `%2B`, has the whole of it.
        places[range.lowerBound].lowerBound..<places[range.upperBound - 1].upperBound
    }

    /// All that it may be taken for, those left out in which nothing is written so.
    var decoded: [DecodedText] {
        let escapes = [read(Self.json), read(Self.percent), read(Self.form), read(Self.html)].compactMap { $0 }
        // Somewhere in a longer word a text may begin at any of the four digits of a group.
        return escapes + (0..<4).compactMap { digits(Self.base64, bits: 6, leaving: $0) }
            + (0..<2).compactMap { digits({ Hex.value($0) }, bits: 4, leaving: $0) }
    }

    // MARK: Escapes

    /// What stands at a place written otherwise, and how long it is there.
    private typealias Escaped = (text: [UInt8], count: Int)

    private func read(_ escape: (_ bytes: [UInt8], _ place: Int) -> Escaped?) -> DecodedText? {
        var text = DecodedText()
        var (place, isOther) = (0, false)
        while place < bytes.count {
            if let (decoded, count) = escape(bytes, place) {
                for byte in decoded { text.append(byte, at: self.place(of: place..<place + count)) }
                place += count
                isOther = true
            } else {
                text.append(bytes[place], at: places[place])
                place += 1
            }
        }
        return isOther ? text : nil
    }

    private mutating func append(_ byte: UInt8, at place: Range<Int>) {
        bytes.append(byte)
        places.append(place)
    }

    private static let jsonLetters: [UInt8: UInt8] = [34: 34, 92: 92, 47: 47, 98: 8, 102: 12, 110: 10, 114: 13, 116: 9]

    /// RFC 8259 §7.
    private static func json(_ bytes: [UInt8], _ place: Int) -> Escaped? {
        guard bytes[place] == 92, let letter = bytes[safe: place + 1] else { return nil }
        if let plain = jsonLetters[letter] { return ([plain], 2) }
        guard letter == 117, let high = number(bytes, place + 2, digits: 4) else { return nil }
        if 0xD800...0xDBFF ~= high, bytes[safe: place + 6] == 92, bytes[safe: place + 7] == 117,
            let low = number(bytes, place + 8, digits: 4), 0xDC00...0xDFFF ~= low
        {
            return (utf8(0x10000 + (high & 0x3FF) << 10 + low & 0x3FF), 12)
        }
        return (utf8(high), 6)
    }

    /// RFC 3986 §2.1.
    private static func percent(_ bytes: [UInt8], _ place: Int) -> Escaped? {
        guard bytes[place] == 37, let value = number(bytes, place + 1, digits: 2) else { return nil }
        return ([UInt8(value)], 3)
    }

    /// As forms have it: a plus for a blank.
    private static func form(_ bytes: [UInt8], _ place: Int) -> Escaped? {
        bytes[place] == 43 ? ([32], 1) : percent(bytes, place)
    }

    private static let entities: [String: UInt8] = ["amp": 38, "lt": 60, "gt": 62, "quot": 34, "apos": 39]

    private static func html(_ bytes: [UInt8], _ place: Int) -> Escaped? {
        guard bytes[place] == 38, let end = bytes[place..<min(place + 10, bytes.count)].firstIndex(of: 59) else { return nil }
        let name = String(decoding: bytes[place + 1..<end], as: UTF8.self)
        let count = end + 1 - place
        if let plain = entities[name] { return ([plain], count) }
        guard name.hasPrefix("#") else { return nil }
        let isHex = name.dropFirst().first.map { "xX".contains($0) } ?? false
        return UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10).map { (utf8($0), count) }
    }

    private static func number(_ bytes: [UInt8], _ place: Int, digits: Int) -> UInt32? {
        guard place + digits <= bytes.count else { return nil }
        var number: UInt32 = 0
        for digit in bytes[place..<place + digits] {
            guard let value = Hex.value(digit) else { return nil }
            number = number << 4 | UInt32(value)
        }
        return number
    }

    private static func utf8(_ scalar: UInt32) -> [UInt8] {
        Unicode.Scalar(scalar).map { Array(String(Character($0)).utf8) } ?? [63]
    }

    // MARK: Digits

    private static let shortestWord = 6

    /// Both alphabets (RFC 4648 §4, §5).
    private static func base64(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 65...90: byte - 65
        case 97...122: byte - 71
        case 48...57: byte + 4
        case 43, 45: 62
        case 47, 95: 63
        default: nil
        }
    }

    /// The words of digits alone, each read without its first few, with a zero byte between two of them.
    private func digits(_ value: (UInt8) -> UInt8?, bits: UInt32, leaving first: Int) -> DecodedText? {
        var text = DecodedText()
        var word: [(place: Int, value: UInt8)] = []
        for place in 0...bytes.count {
            if let digit = bytes[safe: place].flatMap(value) {
                word.append((place, digit))
            } else if let byte = bytes[safe: place], byte == 10 || byte == 13, !word.isEmpty {
                // Long ones are broken into lines.
                continue
            } else {
                if word.count >= Self.shortestWord { text.append(word.dropFirst(first), bits, of: self) }
                word = []
            }
        }
        return text.bytes.isEmpty ? nil : text
    }

    private mutating func append(_ word: ArraySlice<(place: Int, value: UInt8)>, _ bits: UInt32, of text: DecodedText) {
        var (group, held): (UInt32, UInt32) = (0, 0)
        var start = word.startIndex
        for index in word.indices {
            (group, held) = (group << bits | UInt32(word[index].value), held + bits)
            guard held >= 8 else { continue }
            held -= 8
            append(UInt8(truncatingIfNeeded: group >> held), at: text.place(of: word[start].place..<word[index].place + 1))
            // A digit of which bits are left belongs to the next byte as well.
            start = held > 0 ? index : index + 1
        }
        guard let last = word.last else { return }
        var end = last.place + 1
        while text.bytes[safe: end] == 61 { end += 1 }
        if bits == 6, end > last.place + 1, let place = places.last {
            places[places.count - 1] = place.lowerBound..<text.places[end - 1].upperBound
        }
        append(0, at: text.places[end - 1].upperBound..<text.places[end - 1].upperBound)
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

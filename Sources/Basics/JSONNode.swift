// What the JSON scanner leaves behind: a row of offsets for each value of the scanned text, or the reason why not.

/// One value of a scanned document. Offsets count bytes from the start of the text; -1 means none.
package struct JSONNode: Sendable {
    package enum Kind: UInt8, Sendable { case object, array, string, number, `true`, `false`, null }

    package internal(set) var kind = Kind.null
    /// A number without fraction and exponent; it may still be too large for 64 bits.
    package internal(set) var isInteger = false
    /// A string with at least one backslash: its raw text is not its content.
    package internal(set) var hasEscapes = false
    package internal(set) var keyHasEscapes = false
    /// The value's text, quotes and brackets included.
    package internal(set) var start: Int32 = 0
    package internal(set) var end: Int32 = 0
    /// The raw text of its key, without the quotes.
    package internal(set) var keyStart: Int32 = -1
    package internal(set) var keyEnd: Int32 = -1
    package internal(set) var firstChild: Int32 = -1
    /// The next value of the same object or array.
    package internal(set) var next: Int32 = -1
    package internal(set) var childCount: Int32 = 0

    static let blank = JSONNode()
}

/// Why a text is not JSON as we take it, and at which byte.
package struct JSONScanError: Error, Hashable, Sendable {
    package enum Code: UInt8, Sendable, CaseIterable {
        case unexpectedEnd, unexpectedByte, trailingBytes, invalidUTF8, invalidEscape, loneSurrogate
        case controlCharacter, numberOutOfRange, tooDeep, tooManyNodes, tooLong, duplicateKey
    }

    package var code: Code
    /// The length of the text for `unexpectedEnd`.
    package var offset: Int

    package init(code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// The reason in words.
    package var explanation: StaticString {
        switch code {
        case .unexpectedEnd: "the text ends too early"
        case .unexpectedByte: "a byte that does not belong here"
        case .trailingBytes: "more text after the value"
        case .invalidUTF8: "a string is not valid UTF-8"
        case .invalidEscape: "an unknown escape in a string"
        case .loneSurrogate: "half of a surrogate pair in a string"
        case .controlCharacter: "an unescaped control character in a string"
        case .numberOutOfRange: "a number too large for a double"
        case .tooDeep: "objects and arrays are nested too deeply"
        case .tooManyNodes: "too many values"
        case .tooLong: "the text is too long"
        case .duplicateKey: "the same key twice in one object"
        }
    }
}

// Reading `apns-id`, once per push: eight digits at a time.

import Basics

extension UUIDBytes {
    /// The same as `init(_:)`, without going through the digits one by one.
    init?(messageID text: Span<UInt8>) {
        guard text.count == 36, text[8] == 45, text[13] == 45, text[18] == 45, text[23] == 45 else { return nil }
        let words = text.withUnsafeBytes { bytes in
            (
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                Self.halves(bytes, 9, 14), Self.halves(bytes, 19, 24),
                bytes.loadUnaligned(fromByteOffset: 28, as: UInt64.self)
            )
        }
        guard HexWord.isHex(words.0), HexWord.isHex(words.1), HexWord.isHex(words.2), HexWord.isHex(words.3) else {
            return nil
        }
        self.init(
            high: HexWord.value(words.0) << 32 | HexWord.value(words.1),
            low: HexWord.value(words.2) << 32 | HexWord.value(words.3))
    }

    /// Four bytes from here and four from there.
    private static func halves(_ bytes: UnsafeRawBufferPointer, _ first: Int, _ second: Int) -> UInt64 {
        UInt64(bytes.loadUnaligned(fromByteOffset: first, as: UInt32.self))
            | UInt64(bytes.loadUnaligned(fromByteOffset: second, as: UInt32.self)) << 32
    }
}

// zlib's own format (RFC 1950), in which histograms are packed.

import CZlib

package enum Zlib {
    package static func packed(_ bytes: Span<UInt8>) -> [UInt8] {
        let most = Int(compressBound(uLong(bytes.count)))
        return bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: most) { output, count in
                var length = uLong(most)
                let result = compress2(
                    output.baseAddress, &length, input.baseAddress, uLong(input.count), Z_DEFAULT_COMPRESSION)
                precondition(result == Z_OK, "zlib packs into a buffer of the size it asked for")
                count = Int(length)
            }
        }
    }

    /// Nil: it is broken, or longer than `limit` bytes.
    package static func unpacked(_ bytes: Span<UInt8>, atMost limit: Int) -> [UInt8]? {
        var isWhole = false
        let plain = bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: limit) { output, count in
                var length = uLong(limit)
                isWhole = uncompress(output.baseAddress, &length, input.baseAddress, uLong(input.count)) == Z_OK
                count = isWhole ? Int(length) : 0
            }
        }
        return isWhole ? plain : nil
    }
}

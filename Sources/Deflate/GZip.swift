// gzip (RFC 1952), as HTTP's content codings have it, on zlib. What is unpacked is bounded: a few bytes may stand for many.

import CZlib

/// What came out of packed bytes.
package enum Unpacked: Hashable, Sendable {
    case whole([UInt8])
    /// There is more than was asked for: the first of it.
    case tooLong([UInt8])
    /// It is no gzip, is cut off, does not have the sum that it says, or something stands behind it.
    case broken
}

package enum GZip {
    private static let windowBits: Int32 = 15
    /// Added to `windowBits`: a gzip head and end in place of those of zlib.
    private static let withGZipHead: Int32 = 16
    private static let piece = 16_384

    /// Packs a short text with little memory: a window of 4 KiB.
    package static func packed(_ bytes: Span<UInt8>) -> [UInt8] {
        var stream = z_stream()
        return withUnsafeMutablePointer(to: &stream) { stream in
            let begun = deflateInit2_(
                stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 12 + withGZipHead, 5, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size))
            precondition(begun == Z_OK, "zlib has memory for a window of 4 KiB")
            defer { deflateEnd(stream) }
            let most = Int(deflateBound(stream, uLong(bytes.count)))
            return bytes.withUnsafeBufferPointer { input in
                [UInt8](unsafeUninitializedCapacity: most) { output, count in
                    stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                    stream.pointee.avail_in = uInt(input.count)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = uInt(most)
                    let result = deflate(stream, Z_FINISH)
                    precondition(result == Z_STREAM_END, "zlib packs into a buffer of the size it asked for")
                    count = most - Int(stream.pointee.avail_out)
                }
            }
        }
    }

    /// Unpacks at most `limit` bytes.
    package static func unpacked(_ bytes: Span<UInt8>, atMost limit: Int) -> Unpacked {
        var stream = z_stream()
        return withUnsafeMutablePointer(to: &stream) { stream in
            let begun = inflateInit2_(
                stream, windowBits + withGZipHead, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            guard begun == Z_OK else { return .broken }
            defer { inflateEnd(stream) }
            return bytes.withUnsafeBufferPointer { input in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = uInt(input.count)
                var plain: [UInt8] = []
                while true {
                    var result = Z_OK
                    plain += [UInt8](unsafeUninitializedCapacity: piece) { output, count in
                        stream.pointee.next_out = output.baseAddress
                        stream.pointee.avail_out = uInt(piece)
                        result = inflate(stream, Z_NO_FLUSH)
                        count = piece - Int(stream.pointee.avail_out)
                    }
                    guard plain.count <= limit else { return .tooLong(Array(plain.prefix(limit))) }
                    switch result {
                    case Z_STREAM_END: return stream.pointee.avail_in == 0 ? .whole(plain) : .broken
                    case Z_OK: continue
                    default: return .broken
                    }
                }
            }
        }
    }
}

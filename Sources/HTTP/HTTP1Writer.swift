// Messages of HTTP/1.1 out: heads straight from bytes to bytes, in one piece of known size.
//
// What frames a message is written here and nowhere else: fields of those names in a head are left out. No value can
// end its line early: a control character in it becomes a space, and in a path it is percent-encoded.

package import Basics
import Glibc

package enum HTTP1Writer {
    /// A whole request. `head` holds `:method` and `:path`; `:authority`, or else a `host` field, becomes the Host.
    /// Other pseudo-header fields are left out. Content-Length is written for a body, and for methods that expect one.
    package static func request(_ head: HeaderBlock, body: ByteBuffer, into output: ByteBuffer) {
        guard let method = head.index(of: ":method"), let path = head.index(of: ":path") else {
            preconditionFailure("a request has a method and a path")
        }
        let host = head.index(of: ":authority") ?? head.index(of: "host")
        let pathCount = head.rawValue(path).count
        write(into: output, upTo: fieldBytes(head) + 2 * pathCount + 64) { sink in
            sink.put(token: head.rawValue(method))
            sink.put(" ")
            sink.put(path: head.rawValue(path))
            sink.put(" HTTP/1.1\r\nhost: ")
            if let host { sink.put(value: head.rawValue(host)) }
            sink.put("\r\n")
            for index in 0..<head.count where !isFraming(head.rawName(index)) {
                sink.put(field: head, index)
            }
            if !body.isEmpty || expectsBody(head.rawValue(method)) {
                sink.put("content-length: ")
                sink.put(number: body.count)
                sink.put("\r\n")
            }
            sink.put("\r\n")
        }
        output.append(body.bytes)
    }

    /// A whole response. `head` holds its fields, without a status. 1xx, 204 and 304 have neither length nor body; the
    /// answer to HEAD has the length of `body` only.
    package static func response(
        status: Int, head: HeaderBlock, body: Span<UInt8>, keepAlive: Bool, isHEAD: Bool, into output: ByteBuffer
    ) {
        let hasBody = status >= 200 && status != 204 && status != 304
        let length = body.count
        write(into: output, upTo: fieldBytes(head) + 128) { sink in
            sink.put(statusLine: status)
            sink.put(fields: head, keepAlive: keepAlive)
            if hasBody {
                sink.put("content-length: ")
                sink.put(number: length)
                sink.put("\r\n")
            }
            sink.put("\r\n")
        }
        if hasBody, !isHEAD { output.append(body) }
    }

    /// The head of a response whose body follows as chunks. The peer must speak HTTP/1.1.
    package static func streamingHead(
        status: Int, head: HeaderBlock, keepAlive: Bool = true, into output: ByteBuffer
    ) {
        write(into: output, upTo: fieldBytes(head) + 128) { sink in
            sink.put(statusLine: status)
            sink.put(fields: head, keepAlive: keepAlive)
            sink.put("transfer-encoding: chunked\r\n\r\n")
        }
    }

    /// One chunk; nothing for no bytes, for an empty chunk would end the body.
    package static func chunk(_ bytes: Span<UInt8>, into output: ByteBuffer) {
        guard bytes.count > 0 else { return }
        let size = bytes.count
        write(into: output, upTo: 20) { sink in
            sink.put(hex: size)
            sink.put("\r\n")
        }
        output.append(bytes)
        output.append("\r\n")
    }

    /// The end of a body in chunks.
    package static func lastChunk(into output: ByteBuffer) { output.append("0\r\n\r\n") }

    /// `100 Continue`, which invites the body.
    package static func continueResponse(into output: ByteBuffer) { output.append("HTTP/1.1 100 Continue\r\n\r\n") }

    // MARK: Parts

    /// What the fields take at most: name, colon, space, value, line end.
    private static func fieldBytes(_ head: HeaderBlock) -> Int { head.byteCount + 4 * head.count }

    private static func write(into output: ByteBuffer, upTo count: Int, _ body: (inout HTTP1Sink) -> Void) {
        output.append(upTo: count) { room in
            room.withUnsafeMutableBufferPointer { buffer, written in
                var sink = HTTP1Sink(start: buffer.baseAddress!, capacity: buffer.count)
                body(&sink)
                written = sink.written
            }
        }
    }

    /// Fields that this writer decides on, and pseudo-header fields.
    private static func isFraming(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = name.baseAddress, name.count > 0 else { return true }
        if start[0] == HTTP1Bytes.colon { return true }
        switch name.count {
        case 4: return HTTP1Bytes.says(start, 4, "host")
        case 14: return HTTP1Bytes.says(start, 14, "content-length")
        case 17: return HTTP1Bytes.says(start, 17, "transfer-encoding")
        default: return false
        }
    }

    /// RFC 9110 §8.6: these methods name a length even without a body.
    private static func expectsBody(_ method: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = method.baseAddress else { return false }
        return HTTP1Bytes.says(start, method.count, "post") || HTTP1Bytes.says(start, method.count, "put")
            || HTTP1Bytes.says(start, method.count, "patch")
    }
}

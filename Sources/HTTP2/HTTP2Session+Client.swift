// What only a client does: requests.

package import Basics
import CNghttp2
package import HTTP

extension HTTP2Session {
    /// Opens a stream. `body` is read as it is sent and must stay as it is until the stream is over. False when the
    /// session takes no more (GOAWAY, or stream ids used up).
    package func request(_ head: HeaderBlock, body: ByteBuffer, owner: AnyObject) -> Bool {
        guard let sentHead else { preconditionFailure("only a client makes requests") }
        let stream = pool.take()
        stream.owner = owner
        if !body.isEmpty { stream.lentBody = .passUnretained(body) }
        let id: Int32
        if sentHead.replaces(head, bodyCount: body.count, on: stream) {
            stream.headState = .replaced
            id = submitStaticHead(like: head, scheme: sentHead.scheme, stream)
        } else {
            stream.headState = .awaited
            sentHead.await(head, bodyCount: body.count, on: stream)
            id = submit(head, sentHead, bodyCount: body.count, stream)
        }
        guard id > 0 else {
            if stream.headState == .awaited { sentHead.forgo() }
            pool.give(stream)
            return false
        }
        stream.id = id
        keep(stream)
        return true
    }

    private func submit(_ head: HeaderBlock, _ origin: SentHead, bodyCount: Int, _ stream: HTTP2Stream) -> Int32 {
        var authority = origin.authority
        return authority.withUTF8 { authority in
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: head.count + 3) { fields in
                // Pseudo-header fields come first in `head` and must stay first on the wire.
                fields[0] = Self.field(":scheme", origin.scheme.utf8Start, origin.scheme.utf8CodeUnitCount)
                fields[1] = Self.field(":authority", authority.baseAddress, authority.count)
                fill(fields, from: 2, head)
                guard bodyCount > 0 else {
                    return submit(UnsafeBufferPointer(rebasing: fields[..<(head.count + 2)]), stream)
                }
                var length = String(bodyCount)
                return length.withUTF8 { length in
                    fields[head.count + 2] = Self.field("content-length", length.baseAddress, length.count)
                    return submit(UnsafeBufferPointer(fields), stream)
                }
            }
        }
    }

    /// Three fields of the static table, for a block that will be replaced.
    private func submitStaticHead(like head: HeaderBlock, scheme: StaticString, _ stream: HTTP2Stream) -> Int32 {
        let method: StaticString = head.value(at: 0).count == 3 ? "GET" : "POST"
        let path: StaticString = "/"
        return withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: 3) { fields in
            fields[0] = Self.field(":method", method.utf8Start, method.utf8CodeUnitCount)
            fields[1] = Self.field(":scheme", scheme.utf8Start, scheme.utf8CodeUnitCount)
            fields[2] = Self.field(":path", path.utf8Start, path.utf8CodeUnitCount)
            return submit(UnsafeBufferPointer(fields), stream)
        }
    }

    private func submit(_ fields: UnsafeBufferPointer<nghttp2_nv>, _ stream: HTTP2Stream) -> Int32 {
        let address = Unmanaged.passUnretained(stream).toOpaque()
        guard stream.lentBody != nil else {
            return nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, nil, address)
        }
        var provider = provider(for: stream)
        return nghttp2_submit_request(session, nil, fields.baseAddress, fields.count, &provider, address)
    }

    private static func field(_ name: StaticString, _ value: UnsafePointer<UInt8>?, _ count: Int) -> nghttp2_nv {
        nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.utf8Start), value: UnsafeMutablePointer(mutating: value),
            namelen: name.utf8CodeUnitCount, valuelen: count, flags: noCopyName)
    }

    /// Passes a HEADERS frame on, or what it stands for.
    func append(headers frame: UnsafeBufferPointer<UInt8>, to output: ByteBuffer) {
        let id = Int32(frame[5]) << 24 | Int32(frame[6]) << 16 | Int32(frame[7]) << 8 | Int32(frame[8])
        guard let sentHead, let pointer = nghttp2_session_get_stream_user_data(session, id) else {
            return output.append(frame.span)
        }
        Unmanaged<HTTP2Stream>.fromOpaque(pointer)._withUnsafeGuaranteedRef { stream in
            switch stream.headState {
            case .out: output.append(frame.span)
            case .awaited:
                output.append(frame.span)
                sentHead.observe(frame, of: stream)
            case .replaced: sentHead.write(stream, for: frame, to: output)
            }
            stream.headState = .out
        }
    }
}

// What only a server does: answers.

import Basics
import CNghttp2
package import HTTP

extension HTTP2Session {
    /// Sends an answer on a stream whose request is whole. Without `body`, HEADERS end the stream; with a body that
    /// does not end, `send(on:)` goes on.
    package func respond(_ stream: HTTP2Stream, status: Int, head: HeaderBlock, body: Span<UInt8>, ends: Bool = true) {
        guard !stream.isClosed else { return }
        stream.outBody.append(body)
        heldByStreams += body.count
        stream.outEnds = ends
        let hasBody = !(ends && body.isEmpty)
        if isReplaced(stream, status: status, head, hasBody: hasBody) { return submitStaticHead(on: stream) }
        var digits = (UInt8(48 + status / 100 % 10), UInt8(48 + status / 10 % 10), UInt8(48 + status % 10))
        withUnsafeMutableBytes(of: &digits) { digits in
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: head.count + 1) { fields in
                let name: StaticString = ":status"
                fields[0] = nghttp2_nv(
                    name: UnsafeMutablePointer(mutating: name.utf8Start),
                    value: digits.bindMemory(to: UInt8.self).baseAddress, namelen: name.utf8CodeUnitCount, valuelen: 3,
                    flags: Self.noCopyName)
                fill(fields, from: 1, head)
                submit(response: UnsafeBufferPointer(fields), on: stream, hasBody: hasBody)
            }
        }
    }

    /// Whether the block of this answer will be written from the last one; nghttp2 gets it otherwise. Of one without a body
    /// it never is: with its HEADERS the stream is over, before they are seen on their way out.
    private func isReplaced(_ stream: HTTP2Stream, status: Int, _ head: HeaderBlock, hasBody: Bool) -> Bool {
        if answerHead == nil, head.count >= AnswerHead.fewestFields { answerHead = AnswerHead() }
        guard let answerHead else { return false }
        if head !== stream.outHead {
            stream.outHead.clear()
            stream.outHead.append(contentsOf: head)
        }
        stream.status = status
        stream.headState = hasBody && answerHead.replaces(head, status: status) ? .replaced : .awaited
        if stream.headState == .awaited { answerHead.await() }
        return stream.headState == .replaced
    }

    /// One field of the static table, for a block that will be replaced.
    private func submitStaticHead(on stream: HTTP2Stream) {
        let (name, value): (StaticString, StaticString) = (":status", "200")
        var field = nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.utf8Start), value: UnsafeMutablePointer(mutating: value.utf8Start),
            namelen: name.utf8CodeUnitCount, valuelen: value.utf8CodeUnitCount, flags: Self.noCopyName)
        withUnsafePointer(to: &field) {
            submit(response: UnsafeBufferPointer(start: $0, count: 1), on: stream, hasBody: true)
        }
    }

    /// Passes the HEADERS frame of an answer on, or what it stands for.
    func append(answer frame: UnsafeBufferPointer<UInt8>, _ answerHead: AnswerHead, to output: ByteBuffer) {
        let id = FrameHeader(frame, at: 0).streamID
        guard let pointer = nghttp2_session_get_stream_user_data(session, id) else {
            answerHead.pass(frame)
            return output.append(frame.span)
        }
        Unmanaged<HTTP2Stream>.fromOpaque(pointer)._withUnsafeGuaranteedRef { stream in
            switch stream.headState {
            case .out: output.append(frame.span)
            case .awaited:
                output.append(frame.span)
                answerHead.observe(frame, stream.outHead, status: stream.status)
            case .replaced: answerHead.write(stream.outHead, status: stream.status, for: frame, to: output)
            }
            stream.headState = .out
        }
    }

    private func submit(response fields: UnsafeBufferPointer<nghttp2_nv>, on stream: HTTP2Stream, hasBody: Bool) {
        guard hasBody else {
            nghttp2_submit_response(session, stream.id, fields.baseAddress, fields.count, nil)
            return
        }
        var provider = provider(for: stream)
        nghttp2_submit_response(session, stream.id, fields.baseAddress, fields.count, &provider)
    }

    /// Adds to a body that was begun with `ends: false`.
    package func send(_ bytes: Span<UInt8>, on stream: HTTP2Stream, ends: Bool) {
        guard !stream.isClosed else { return }
        stream.outBody.append(bytes)
        heldByStreams += bytes.count
        stream.outEnds = ends
        guard stream.isDeferred else { return }
        stream.isDeferred = false
        nghttp2_session_resume_data(session, stream.id)
    }
}

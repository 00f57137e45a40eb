// First lines and header fields (RFC 9112 §3 to §6).

import Basics

/// What a head says about the message around it.
struct HTTP1Framing {
    var minorVersion: UInt8 = 1
    /// -1 when there is none.
    var contentLength = -1
    var isChunked = false
    var hasHost = false
    /// The request target is a whole URL; its authority counts, not the Host field.
    var targetHasAuthority = false
    var saysClose = false
    var saysKeepAlive = false
    var expectsContinue = false
    var skippedEmptyLine = false
    var isDelimitedByClose = false
    var status = 0
    /// The response is one to a HEAD request.
    var isHEAD = false
    /// 101 is a response, for its request asks for it.
    var switches = false
    var interimCount = 0
}

extension HTTP1Machine {
    private static let maxMethodBytes = 32
    private static let maxInterimResponses = 16
    /// Places of the pseudo-header fields of a request.
    private static let authorityIndex = 2

    // MARK: First lines

    /// `POST /path HTTP/1.1`. One empty line before it is let pass (§2.2).
    mutating func takeRequestLine(_ p: Bytes, _ count: Int) {
        if count == 0, !framing.skippedEmptyLine {
            framing.skippedEmptyLine = true
            return
        }
        let tokens = HTTP1Bytes.tokens
        var method = 0
        while tokens[Int(p[method])] != 0 { method += 1 }
        let target = p + method + 1
        let targetCount = count - 9 - (method + 1)
        guard method > 0, method <= Self.maxMethodBytes, p[method] == HTTP1Bytes.space, targetCount > 0,
            target[targetCount] == HTTP1Bytes.space
        else { return fail(400, "the request line is malformed") }
        guard takeVersion(target + targetCount + 1) else { return }
        guard HTTP1Bytes.isVisible(target, targetCount) else {
            return fail(400, "the request target holds a character that must be percent-encoded")
        }
        head.append(":method", Span(_unsafeStart: p, count: method))
        if takeTarget(target, targetCount, isOptions: HTTP1Bytes.says(p, method, "options")) {
            phase = .fields
        } else if HTTP1Bytes.says(p, method, "connect") {
            fail(501, "CONNECT is not implemented")
        } else {
            fail(400, "the request target is neither a path nor a URL")
        }
    }

    /// Adds `:path` and `:authority`, the latter empty for now unless the target is a whole URL (§3.2).
    private mutating func takeTarget(_ p: Bytes, _ count: Int, isOptions: Bool) -> Bool {
        if p[0] == UInt8(ascii: "/") || isOptions && count == 1 && p[0] == UInt8(ascii: "*") {
            head.append(":path", Span(_unsafeStart: p, count: count))
            head.append(":authority", Span(_unsafeStart: p, count: 0))
            return true
        }
        var path = 0
        if count > 7, HTTP1Bytes.says(p, 7, "http://") { path = 7 }
        if count > 8, HTTP1Bytes.says(p, 8, "https://") { path = 8 }
        let scheme = path
        guard scheme > 0 else { return false }
        while path < count, p[path] != UInt8(ascii: "/"), p[path] != UInt8(ascii: "?") { path += 1 }
        guard path > scheme, HTTP1Bytes.isAuthority(p + scheme, path - scheme) else { return false }
        let needsSlash = path == count || p[path] != UInt8(ascii: "/")
        let name: StaticString = ":path"
        let nameCount = name.utf8CodeUnitCount
        let room = head.room(nameCount + 1 + count)
        room.update(from: name.utf8Start, count: nameCount)
        room[nameCount] = UInt8(ascii: "/")
        (room + nameCount + (needsSlash ? 1 : 0)).update(from: p + path, count: count - path)
        head.commit(nameCount: nameCount, valueCount: count - path + (needsSlash ? 1 : 0))
        head.append(":authority", Span(_unsafeStart: p + scheme, count: path - scheme))
        framing.targetHasAuthority = true
        return true
    }

    /// `HTTP/1.1 200 OK`; the reason may be missing, with its space.
    mutating func takeStatusLine(_ p: Bytes, _ count: Int) {
        guard count >= 12, p[8] == HTTP1Bytes.space, count == 12 || p[12] == HTTP1Bytes.space else {
            return fail(502, "the status line is malformed")
        }
        guard takeVersion(p) else { return }
        var status = 0
        for index in 9..<12 {
            guard 48...57 ~= p[index] else { return fail(502, "the status is not a number") }
            status = status * 10 + Int(p[index] - 48)
        }
        guard 100..<600 ~= status else { return fail(502, "the status is out of range") }
        for index in 12..<count where HTTP1Bytes.isControl(p[index]) {
            return fail(502, "the reason phrase holds a control character")
        }
        framing.status = status
        phase = .fields
    }

    /// Eight bytes: any minor version of HTTP/1 is read, and 1.2 and later as 1.1 (RFC 9110 §2.5).
    private mutating func takeVersion(_ p: Bytes) -> Bool {
        guard HTTP1Bytes.word(p) & 0xFF_FFFF_FFFF == 0x2F_5054_5448, 48...57 ~= p[5], p[6] == UInt8(ascii: "."),
            48...57 ~= p[7]
        else {
            fail(400, "the first line names no HTTP version")
            return false
        }
        guard p[5] == UInt8(ascii: "1") else {
            fail(505, "only HTTP/1 is spoken here")
            return false
        }
        framing.minorVersion = p[7] == UInt8(ascii: "0") ? 0 : 1
        return true
    }

    // MARK: Fields

    /// Validates a field line and writes name and value where the head's next field goes, uncommitted.
    mutating func readField(_ p: Bytes, _ count: Int) -> (name: Int, value: Int)? {
        let room = head.room(count)
        let tokens = HTTP1Bytes.tokens
        var name = 0
        // The CR behind the line is no token and ends the loop.
        while true {
            let byte = tokens[Int(p[name])]
            if byte == 0 { break }
            room[name] = byte
            name &+= 1
        }
        guard name > 0, p[name] == HTTP1Bytes.colon else {
            let isFolded = p[0] == HTTP1Bytes.space || p[0] == HTTP1Bytes.tab
            fail(400, isFolded ? "a folded header field" : "a malformed header field name")
            return nil
        }
        var start = name &+ 1
        var end = count
        while start < end, p[start] == HTTP1Bytes.space || p[start] == HTTP1Bytes.tab { start &+= 1 }
        while end > start, p[end &- 1] == HTTP1Bytes.space || p[end &- 1] == HTTP1Bytes.tab { end &-= 1 }
        guard HTTP1Bytes.copyValue(p + start, end &- start, to: room + name) else {
            fail(400, "a header field value holds a control character")
            return nil
        }
        return (name, end &- start)
    }

    mutating func takeField(_ p: Bytes, _ count: Int) {
        guard head.count < limits.maxFields + (role == .request ? Self.authorityIndex + 1 : 0) else {
            return fail(431, "there are more header fields than accepted")
        }
        guard let field = readField(p, count) else { return }
        let name = Bytes(head.room(0))
        head.commit(nameCount: field.name, valueCount: field.value)
        switch field.name {
        case 4, 6, 10, 14, 17: note(name, field.name, name + field.name, field.value)
        default: break
        }
    }

    /// Remembers a field that frames the message.
    private mutating func note(_ name: Bytes, _ nameCount: Int, _ value: Bytes, _ count: Int) {
        if HTTP1Bytes.says(name, nameCount, "content-length") {
            noteLength(value, count)
        } else if HTTP1Bytes.says(name, nameCount, "transfer-encoding") {
            guard !framing.isChunked else { return fail(400, "two Transfer-Encoding fields") }
            guard HTTP1Bytes.says(value, count, "chunked") else {
                return fail(501, "a transfer coding other than chunked")
            }
            framing.isChunked = true
        } else if HTTP1Bytes.says(name, nameCount, "connection") {
            noteConnection(value, count)
        } else if role == .request, HTTP1Bytes.says(name, nameCount, "host") {
            noteHost(value, count)
        } else if role == .request, HTTP1Bytes.says(name, nameCount, "expect") {
            guard HTTP1Bytes.says(value, count, "100-continue") else {
                return fail(417, "an expectation other than 100-continue")
            }
            framing.expectsContinue = true
        }
    }

    private mutating func noteLength(_ value: Bytes, _ count: Int) {
        var length = 0
        for index in 0..<count {
            guard 48...57 ~= value[index] else { return fail(400, "Content-Length is not a number") }
            guard index < 18 else { return fail(413, "the body is larger than accepted") }
            length = length * 10 + Int(value[index] - 48)
        }
        guard count > 0 else { return fail(400, "Content-Length is not a number") }
        guard framing.contentLength < 0 || framing.contentLength == length else {
            return fail(400, "two different Content-Length fields")
        }
        framing.contentLength = length
    }

    private mutating func noteConnection(_ value: Bytes, _ count: Int) {
        var start = 0
        while start < count {
            var end = start
            while end < count, value[end] != UInt8(ascii: ",") { end += 1 }
            let next = end + 1
            while start < end, value[start] == HTTP1Bytes.space || value[start] == HTTP1Bytes.tab { start += 1 }
            while end > start, value[end - 1] == HTTP1Bytes.space || value[end - 1] == HTTP1Bytes.tab { end -= 1 }
            if HTTP1Bytes.says(value + start, end - start, "close") { framing.saysClose = true }
            if HTTP1Bytes.says(value + start, end - start, "keep-alive") { framing.saysKeepAlive = true }
            start = next
        }
    }

    /// The Host field becomes `:authority` (RFC 9112 §3.2).
    private mutating func noteHost(_ value: Bytes, _ count: Int) {
        guard !framing.hasHost else { return fail(400, "two Host fields") }
        guard HTTP1Bytes.isAuthority(value, count) else { return fail(400, "the Host field is malformed") }
        framing.hasHost = true
        if framing.targetHasAuthority {
            head.remove(at: head.count - 1)
        } else {
            head.moveLastValue(to: Self.authorityIndex)
        }
    }

    // MARK: The end of the head

    /// Decides where the body ends (RFC 9112 §6.3).
    mutating func endOfHead() {
        if framing.isChunked, framing.contentLength >= 0 {
            return fail(400, "both Content-Length and Transfer-Encoding")
        }
        if framing.isChunked, framing.minorVersion == 0 { return fail(400, "Transfer-Encoding in HTTP/1.0") }
        if role == .request {
            endOfRequestHead()
        } else if framing.status < 200 {
            return endOfInterimHead()
        } else if framing.isHEAD || framing.status == 204 || framing.status == 304 {
            phase = .complete
            return
        }
        guard phase != .failed else { return }
        if framing.isChunked {
            expectChunk()
        } else if framing.contentLength > limits.maxBodyBytes {
            fail(413, "the body is larger than accepted")
        } else if framing.contentLength >= 0 || role == .request {
            expectBody(of: max(framing.contentLength, 0))
        } else {
            framing.isDelimitedByClose = true
            phase = .untilClose
        }
    }

    private mutating func endOfRequestHead() {
        if framing.minorVersion == 0 {
            framing.expectsContinue = false
            if !framing.hasHost, !framing.targetHasAuthority { head.remove(at: Self.authorityIndex) }
        } else if !framing.hasHost {
            fail(400, "no Host field")
        }
    }

    private mutating func endOfInterimHead() {
        if framing.status == 101, framing.switches {
            phase = .complete
            return
        }
        guard framing.status != 101 else { return fail(502, "a switch of protocols nobody asked for") }
        guard framing.interimCount < Self.maxInterimResponses else { return fail(502, "too many interim responses") }
        var fresh = HTTP1Framing()
        fresh.isHEAD = framing.isHEAD
        fresh.switches = framing.switches
        fresh.interimCount = framing.interimCount + 1
        framing = fresh
        head.clear()
        expectStartLine()
    }
}

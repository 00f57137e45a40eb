// HTTP/2 frames as bytes: lawful ones by name, unlawful ones by setting whatever one likes (RFC 9113 §4, §6).

package enum FrameType {
    package static let data: UInt8 = 0
    package static let headers: UInt8 = 1
    package static let priority: UInt8 = 2
    package static let reset: UInt8 = 3
    package static let settings: UInt8 = 4
    package static let pushPromise: UInt8 = 5
    package static let ping: UInt8 = 6
    package static let goAway: UInt8 = 7
    package static let windowUpdate: UInt8 = 8
    package static let continuation: UInt8 = 9
}

package enum FrameFlag {
    package static let acknowledge: UInt8 = 0x1
    package static let endStream: UInt8 = 0x1
    package static let endHeaders: UInt8 = 0x4
    package static let padded: UInt8 = 0x8
    package static let priority: UInt8 = 0x20
}

/// RFC 9113 §7.
package enum ErrorCode {
    package static let none: UInt32 = 0
    package static let protocolError: UInt32 = 1
    package static let internalError: UInt32 = 2
    package static let flowControl: UInt32 = 3
    package static let streamClosed: UInt32 = 5
    package static let frameSize: UInt32 = 6
    package static let refusedStream: UInt32 = 7
    package static let cancel: UInt32 = 8
    package static let compression: UInt32 = 9
    package static let enhanceYourCalm: UInt32 = 11
}

package struct Frame: Equatable, Sendable, CustomStringConvertible {
    package var type: UInt8
    package var flags: UInt8
    /// All 32 bits, so that the reserved one can be set.
    package var stream: UInt32
    package var payload: [UInt8]
    /// What the header block of a received HEADERS frame means.
    package var fields: [DecodedField] = []

    package init(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    package var bytes: [UInt8] {
        let count = UInt32(payload.count)
        return Array(count.bigEndianBytes.dropFirst()) + [type, flags] + stream.bigEndianBytes + payload
    }

    package func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

    /// The 32-bit number at that place of the payload; 0 beyond its end.
    package func number(at offset: Int) -> UInt32 {
        guard payload.count >= offset + 4 else { return 0 }
        return payload[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    package var description: String {
        let names = [
            "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
            "CONTINUATION",
        ]
        let name = Int(type) < names.count ? names[Int(type)] : "type \(type)"
        let detail =
            type == FrameType.reset
            ? " code \(number(at: 0))" : type == FrameType.goAway ? " code \(number(at: 4))" : ""
        let status = fields.first { $0.name == ":status" }.map { " " + $0.value } ?? ""
        return "\(name) flags \(flags) stream \(stream) (\(payload.count) bytes)\(detail)\(status)"
    }
}

// MARK: Frames by name

extension Frame {
    package static func data(_ stream: UInt32, _ bytes: [UInt8], end: Bool = true) -> Frame {
        Frame(FrameType.data, flags: end ? FrameFlag.endStream : 0, stream: stream, bytes)
    }

    package static func headers(_ stream: UInt32, _ block: [UInt8], end: Bool = false, whole: Bool = true) -> Frame {
        Frame(
            FrameType.headers, flags: (end ? FrameFlag.endStream : 0) | (whole ? FrameFlag.endHeaders : 0),
            stream: stream, block)
    }

    package static func continuation(_ stream: UInt32, _ block: [UInt8], whole: Bool = true) -> Frame {
        Frame(FrameType.continuation, flags: whole ? FrameFlag.endHeaders : 0, stream: stream, block)
    }

    package static func settings(_ entries: [(UInt16, UInt32)] = []) -> Frame {
        Frame(
            FrameType.settings,
            entries.flatMap { [UInt8($0.0 >> 8), UInt8(truncatingIfNeeded: $0.0)] + $0.1.bigEndianBytes })
    }

    package static let settingsAcknowledgement = Frame(FrameType.settings, flags: FrameFlag.acknowledge)

    package static func ping(_ opaque: String = "12345678", acknowledges: Bool = false) -> Frame {
        Frame(FrameType.ping, flags: acknowledges ? FrameFlag.acknowledge : 0, Array(opaque.utf8))
    }

    package static func reset(_ stream: UInt32, _ code: UInt32 = ErrorCode.cancel) -> Frame {
        Frame(FrameType.reset, stream: stream, code.bigEndianBytes)
    }

    package static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> Frame {
        Frame(FrameType.windowUpdate, stream: stream, increment.bigEndianBytes)
    }

    package static func goAway(last: UInt32 = 0, code: UInt32 = 0, debug: String = "") -> Frame {
        Frame(FrameType.goAway, last.bigEndianBytes + code.bigEndianBytes + Array(debug.utf8))
    }

    package static func priority(_ stream: UInt32, dependsOn parent: UInt32 = 0, weight: UInt8 = 15) -> Frame {
        Frame(FrameType.priority, stream: stream, parent.bigEndianBytes + [weight])
    }

    /// The same frame with `count` bytes of padding (§6.1).
    package func padded(_ count: UInt8) -> Frame {
        var frame = self
        frame.flags |= FrameFlag.padded
        frame.payload = [count] + payload + [UInt8](repeating: 0, count: Int(count))
        return frame
    }

    /// The same HEADERS frame with priority fields (§6.2).
    package func prioritised(dependsOn parent: UInt32 = 0, weight: UInt8 = 15) -> Frame {
        var frame = self
        frame.flags |= FrameFlag.priority
        frame.payload = parent.bigEndianBytes + [weight] + payload
        return frame
    }

    package func adding(flags more: UInt8) -> Frame {
        var frame = self
        frame.flags |= more
        return frame
    }

    package func on(stream: UInt32) -> Frame {
        var frame = self
        frame.stream = stream
        return frame
    }
}

extension UInt32 {
    package var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}

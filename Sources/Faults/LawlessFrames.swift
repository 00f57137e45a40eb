// Lawless answers that are worth a name, frame by frame (RFC 9113 §4.1). Their header blocks add nothing to the peer's
// HPACK table, so what follows on the connection can still be read.

import Basics

/// One named sequence of frames.
package struct LawlessFrames: Sendable {
    package let name: String
    /// What is lawless or awkward about it, in one sentence.
    package let summary: String
    package let place: RawFault.Place
    /// It speaks of the connection only, so it can meet one before any push.
    package let isForConnections: Bool
    package let template: RawTemplate
    /// The same in answer to a broadcast or an operation on channels: their id and reasons have other names.
    let broadcastTemplate: RawTemplate

    package static let all: [LawlessFrames] = [
        LawlessFrames("empty-data", .instead, "A success that ends with an empty DATA frame, not with its HEADERS.") {
            $0.headers([0x88], endsStream: false)
            $0.data("", endsStream: true)
        },
        LawlessFrames("data-after-end", .instead, "DATA on a stream that the server has ended (STREAM_CLOSED).") {
            $0.headers([0x88], endsStream: true)
            $0.data("{}", endsStream: true)
        },
        LawlessFrames("content-type", .instead, "A refusal whose HEADERS name a content-type, which the wire never has.") {
            // Index 31 is content-type; never indexed.
            $0.headers([0x8C], more: [0x1F, 0x10, 16] + Array("application/json".utf8), endsStream: false)
            $0.data(#"{"reason":"\#($0.reason)"}"#, endsStream: true)
        },
        LawlessFrames("spaced-body", .instead, "A refusal whose JSON is printed with blanks, as in Apple's samples.") {
            $0.headers([0x8C], endsStream: false)
            $0.data(#"{ "reason" : "\#($0.reason)" }"#, endsStream: true)
        },
        LawlessFrames("split-body", .instead, "A refusal whose JSON comes in two DATA frames.") {
            $0.headers([0x8C], endsStream: false)
            $0.data(#"{"reason":"#, endsStream: false)
            $0.data(#""\#($0.reason)"}"#, endsStream: true)
        },
        LawlessFrames("goaway-empty", .after, "GOAWAY with NO_ERROR and no debug data.", forConnections: true) {
            $0.frame(type: 7, stream: .none, count: 8) {
                $0.add(.stream)
                $0.add([0, 0, 0, 0])
            }
        },
        LawlessFrames("oversized-frame", .instead, "DATA one byte longer than MAX_FRAME_SIZE (FRAME_SIZE_ERROR).") {
            $0.headers([0x88], endsStream: false)
            $0.data(String(repeating: " ", count: 16_385), endsStream: true)
        },
        LawlessFrames("bad-setting", .before, "SETTINGS with a MAX_FRAME_SIZE below 16384.", forConnections: true) {
            $0.frame(type: 4, stream: .none, count: 6) { $0.add([0, 5, 0, 0, 0, 100]) }
        },
        LawlessFrames("unknown-frame", .before, "A frame of an unknown type, to be ignored.", forConnections: true) {
            $0.frame(type: 0xFA, stream: .none, count: 8) { $0.add([1, 2, 3, 4, 5, 6, 7, 8]) }
        },
        LawlessFrames("bad-hpack", .instead, "HEADERS that HPACK cannot read: index 0 (COMPRESSION_ERROR).") {
            $0.frame(type: 1, flags: 5, stream: .own, count: 1) { $0.add([0x80]) }
        },
        LawlessFrames("informational", .before, "HEADERS with status 103 before those of the answer; lawful.") {
            $0.frame(type: 1, flags: 4, stream: .own, count: 5) { $0.add([0x08, 3] + Array("103".utf8)) }
        },
        LawlessFrames("zero-window-update", .before, "WINDOW_UPDATE by 0 (PROTOCOL_ERROR).", forConnections: true) {
            $0.frame(type: 8, stream: .none, count: 4) { $0.add([0, 0, 0, 0]) }
        },
        LawlessFrames("push-promise", .before, "PUSH_PROMISE to a client that takes none (PROTOCOL_ERROR).") {
            $0.frame(type: 5, flags: 4, stream: .own, count: 7) { $0.add([0, 0, 0, 2, 0x82, 0x87, 0x84]) }
        },
        LawlessFrames("data-before-headers", .instead, "DATA where HEADERS should come first (PROTOCOL_ERROR).") {
            $0.data("{}", endsStream: true)
        },
    ]

    /// Nil for none, and for what was written out.
    static func named(_ name: String?) -> LawlessFrames? { all.first { $0.name == name } }

    private init(
        _ name: String, _ place: RawFault.Place, _ summary: String, forConnections: Bool = false,
        _ build: (inout FrameWriter) -> Void
    ) {
        var push = FrameWriter(idField: "apns-id", reason: "BadDeviceToken")
        var broadcast = FrameWriter(idField: "apns-request-id", reason: "BadChannelId")
        build(&push)
        build(&broadcast)
        self.name = name
        self.summary = summary
        self.place = place
        isForConnections = forConnections
        template = push.template
        broadcastTemplate = broadcast.template
    }
}

private struct FrameWriter {
    enum Stream { case own, none }

    /// The field that has the answer's id.
    let idField: String
    /// Of a refusal with status 400.
    let reason: String
    private(set) var template = RawTemplate()

    init(idField: String, reason: String) {
        self.idField = idField
        self.reason = reason
    }

    /// `count` is the length of what `payload` adds.
    mutating func frame(
        type: UInt8, flags: UInt8 = 0, stream: Stream, count: Int, _ payload: (inout RawTemplate) -> Void
    ) {
        template.add([UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), type, flags])
        if stream == .own { template.add(.stream) } else { template.add([0, 0, 0, 0]) }
        payload(&template)
    }

    mutating func data(_ text: String, endsStream: Bool) {
        frame(type: 0, flags: endsStream ? 1 : 0, stream: .own, count: text.utf8.count) { $0.add(Array(text.utf8)) }
    }

    /// `status` is an indexed field; the id follows as a literal that is never indexed.
    mutating func headers(_ status: [UInt8], more: [UInt8] = [], endsStream: Bool) {
        let name: [UInt8] = [0x10, UInt8(idField.utf8.count)] + Array(idField.utf8) + [36]
        let count = status.count + name.count + 36 + more.count
        frame(type: 1, flags: endsStream ? 5 : 4, stream: .own, count: count) {
            $0.add(status + name)
            $0.add(.apnsID)
            $0.add(more)
        }
    }
}

// A provider's whole connection: frames of all kinds, lawful and not, against the mock with its pipeline behind it.

import Basics

/// Byte 0: bit 0: no preface and no SETTINGS, raw bytes only; bits 1 to 3: a fault rule; bit 4: the port where broadcast
/// channels are managed. Then a list of moves.
final class ConnectionEater: FuzzEater {
    private static let rules = [
        "", #"{"action":{"respond":{"reason":"Unregistered"}}}"#, #"{"action":{"silence":true}}"#,
        #"{"action":{"delay":"1us"}}"#, #"{"match":{"fraction":0.5},"action":{"respond":{"reason":"Shutdown"}}}"#,
        #"{"action":{"reset-stream":{}}}"#, #"{"action":{"goaway":{}}}"#, #"{"action":{"close":true}}"#,
    ]

    private let supply: HandMock.Supply

    init(folder: String) { supply = HandMock.Supply(folder: folder) }

    func eat(_ input: Span<UInt8>) throws(Violation) {
        var choices = FuzzInput(input)
        let bits = choices.byte()
        let mock = supply.mockForOneInput()
        mock.add(rule: Self.rules[Int(bits >> 1 & 7)])
        let managesChannels = bits & 16 != 0
        let wire = HandWire(to: managesChannels ? mock.channels : mock.pushes, on: mock.loop)
        var sent = FrameLog()
        if bits & 1 == 0 {
            var player = FramePlayer(mock: mock, managesChannels: managesChannels)
            send(player.opening, wire, &sent)
            for _ in 0..<64 where !choices.isEmpty && !wire.isEnded {
                if case .wire(let isReading) = player.move(&choices, { send($0, wire, &sent) }) { wire.isReading = isReading }
            }
        } else {
            while !choices.isEmpty { send(choices.short(), wire, &sent) }
        }
        wire.isReading = true
        wire.settle()
        try judge(wire, sent)
        try wire.leave()
        try hold(mock.failure == nil, "the mock failed: \(mock.failure!)")
        try hold(mock.openConnections == 0, "a closed connection is counted as open")
        try hold(mock.openStreams == 0, "\(mock.openStreams) streams of no connection are open")
    }

    private func send(_ bytes: [UInt8], _ wire: HandWire, _ sent: inout FrameLog) {
        sent.note(bytes)
        wire.send(bytes)
    }

    /// What the mock sent: whole frames, SETTINGS first, one answer at most for a stream and none without a request, and
    /// an end where a connection error was announced.
    private func judge(_ wire: HandWire, _ sent: FrameLog) throws(Violation) {
        var answered = FrameLog(expectsPreface: false)
        answered.note(wire.received)
        if let first = answered.frames.first { try hold(first.type == 4, "the first frame is of type \(first.type)") }
        try hold(answered.rest == 0 || wire.isEnded, "\(answered.rest) bytes are no whole frame")
        let asked = Set(sent.frames.filter { $0.type == 1 }.map(\.stream))
        var answers: Set<UInt32> = []
        for frame in answered.frames {
            try hold(frame.length <= 16_384 || sent.raisesFrameSize, "a frame of \(frame.length) bytes")
            switch frame.type {
            case 1:
                try hold(asked.contains(frame.stream), "stream \(frame.stream) is answered and was never asked")
                try hold(answers.insert(frame.stream).inserted, "stream \(frame.stream) is answered twice")
            case 0: try hold(answers.contains(frame.stream), "DATA on stream \(frame.stream) without HEADERS")
            case 7: if frame.code != 0 { try hold(wire.isEnded, "GOAWAY with code \(frame.code), and the connection goes on") }
            case 2, 5: throw Violation(description: "a server sent a frame of type \(frame.type)")
            default: break
            }
        }
    }
}

/// The frames in a stream of bytes, as far as they can be told apart.
struct FrameLog {
    struct Frame {
        var type: UInt8
        var stream: UInt32
        var length: Int
        /// Of GOAWAY.
        var code: UInt32 = 0
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private(set) var frames: [Frame] = []
    /// A SETTINGS frame speaks of larger frames.
    private(set) var raisesFrameSize = false
    private var bytes: [UInt8] = []
    private var start = 0
    private var hasPreface: Bool

    init(expectsPreface: Bool = true) { hasPreface = !expectsPreface }

    /// Bytes behind the last whole frame.
    var rest: Int { bytes.count - start }

    mutating func note(_ more: [UInt8]) {
        bytes += more
        if !hasPreface {
            guard bytes.count >= Self.preface.count, bytes.starts(with: Self.preface) else { return }
            hasPreface = true
            start = Self.preface.count
        }
        while bytes.count - start >= 9 {
            let length = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            guard bytes.count - start >= 9 + length else { return }
            var frame = Frame(type: bytes[start + 3], stream: number(at: start + 5) & 0x7FFF_FFFF, length: length)
            if frame.type == 7, length >= 8 { frame.code = number(at: start + 13) }
            if frame.type == 4 {
                for entry in stride(from: start + 9, to: start + 9 + length - 5, by: 6)
                where bytes[entry] == 0 && bytes[entry + 1] == 5 { raisesFrameSize = true }
            }
            frames.append(frame)
            start += 9 + length
        }
    }

    private func number(at place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

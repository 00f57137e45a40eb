// A grammar of HTTP/2 for fuzzing: each move is a frame or a few, lawful unless the input says otherwise, so that most
// inputs get past the preface and SETTINGS.

import Basics

struct FramePlayer {
    enum Effect {
        case none
        case wire(isReading: Bool)
    }

    private let mock: HandMock
    private let path: String
    private var nextStream: UInt32 = 1

    init(mock: HandMock, managesChannels: Bool) {
        self.mock = mock
        path = managesChannels
            ? "/1/apps/com.example.app/channels" : "/3/device/" + String(repeating: "0123456789abcdef", count: 4)
    }

    /// Preface and empty SETTINGS.
    let opening = FrameLog.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0]

    mutating func move(_ choices: inout FuzzInput, _ send: ([UInt8]) -> Void) -> Effect {
        switch choices.byte() % 16 {
        case 0, 1: request(&choices, send)
        case 2: send(frame(1, choices.byte(), stream(choices.byte()), choices.short()))
        case 3: send(frame(0, choices.byte(), stream(choices.byte()), choices.short()))
        case 4:
            var settings: [UInt8] = []
            for _ in 0..<Int(choices.byte() % 8) { settings += [0] + choices.bytes(1) + choices.bytes(4) }
            send(frame(4, choices.byte() & 1, 0, settings))
        case 5: send(frame(6, choices.byte() & 1, 0, padded(choices.bytes(8), 8)))
        case 6: send(frame(7, 0, 0, padded(choices.bytes(8), 8) + choices.short()))
        case 7: send(frame(3, 0, stream(choices.byte()), padded(choices.bytes(4), 4)))
        case 8: send(frame(8, 0, stream(choices.byte()), padded(choices.bytes(4), 4)))
        case 9: send(frame(2, 0, stream(choices.byte()), padded(choices.bytes(5), 5)))
        case 10: send(frame(9, choices.byte(), stream(choices.byte()), choices.short()))
        case 11: send(frame(choices.byte(), choices.byte(), stream(choices.byte()), choices.short()))
        case 12: send(choices.short())
        case 13: return .wire(isReading: choices.byte() & 1 == 1)
        case 14: mock.time.advance(by: .milliseconds(Int64(choices.word())))
        default:
            // The same frame many times, in one piece: bursts.
            let one = frame(choices.byte() % 10, choices.byte(), stream(choices.byte()), choices.bytes(Int(choices.byte() % 16)))
            send([UInt8]([[UInt8]](repeating: one, count: Int(choices.byte())).joined()))
        }
        return .none
    }

    /// A push with a few things turned, cut into HEADERS, CONTINUATION and DATA as the input likes.
    private mutating func request(_ choices: inout FuzzInput, _ send: ([UInt8]) -> Void) {
        let id = nextStream
        nextStream &+= 2
        let shape = choices.byte()
        var fields: [(String, [UInt8])] = [
            (":method", Array("POST".utf8)), (":scheme", Array("https".utf8)),
            (":path", Array(path.utf8)),
            (":authority", Array("localhost".utf8)), ("authorization", Array(mock.authorization.utf8)),
            ("apns-topic", Array("com.example.app".utf8)), ("apns-push-type", Array("alert".utf8)),
        ]
        for _ in 0..<Int(shape & 3) {
            let turn = choices.byte()
            let value = choices.short()
            if turn & 0x80 != 0 {
                fields.append((String(decoding: choices.short(), as: UTF8.self), value))
            } else {
                fields[Int(turn) % fields.count].1 = value
            }
        }
        let isIndexed = shape & 4 != 0
        let block = fields.flatMap { literal(Array($0.0.utf8), $0.1, isIndexed: isIndexed) }
        let body = shape & 8 != 0 ? choices.short() : Array(#"{"aps":{"alert":"Hello"}}"#.utf8)
        var pieces: [[UInt8]] = []
        let endsWithHead: UInt8 = shape & 16 != 0 ? 1 : 0
        if shape & 32 != 0 {
            let cut = Int(choices.byte()) % (block.count + 1)
            pieces.append(frame(1, endsWithHead, id, Array(block[..<cut])))
            pieces.append(frame(9, 4, id, Array(block[cut...])))
        } else {
            pieces.append(frame(1, 4 | endsWithHead, id, block))
        }
        if endsWithHead == 0 {
            if shape & 64 != 0 { pieces.append(frame(0, 0, id, Array(body.prefix(5)))) }
            pieces.append(frame(0, 1, id, shape & 64 != 0 ? Array(body.dropFirst(5)) : body))
        }
        if shape & 128 != 0 { for piece in pieces { send(piece) } } else { send([UInt8](pieces.joined())) }
    }

    /// The streams worth speaking of: the next one, the latest, an early one, none, one of the server's, a far one.
    private mutating func stream(_ choice: UInt8) -> UInt32 {
        switch choice % 8 {
        case 0:
            defer { nextStream &+= 2 }
            return nextStream
        case 1, 2: return nextStream >= 3 ? nextStream - 2 : 1
        case 3: return 1
        case 4: return 0
        case 5: return 2
        case 6: return UInt32(choice)
        default: return 0x7FFF_FFFF
        }
    }

    private func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count
        return [
            UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8),
            UInt8(truncatingIfNeeded: length), type, flags, UInt8(truncatingIfNeeded: stream >> 24),
            UInt8(truncatingIfNeeded: stream >> 16), UInt8(truncatingIfNeeded: stream >> 8),
            UInt8(truncatingIfNeeded: stream),
        ] + payload
    }

    /// HPACK: a literal with a new name, without Huffman, with or without indexing (RFC 7541 §6.2).
    private func literal(_ name: [UInt8], _ value: [UInt8], isIndexed: Bool) -> [UInt8] {
        [isIndexed ? 0x40 : 0x00] + string(name) + string(value)
    }

    private func string(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    private func padded(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: max(0, count - bytes.count))
    }
}

// A case: what the client does, and what the RFC lets a server answer. The judge sends a good push after it, which shows
// whether the connection lives on.

import Pushes
import Testing
import WireClient

struct ConformanceCase: Sendable, CustomTestStringConvertible {
    /// Such as "RFC 9113 §6.5".
    var section: String
    var name: String
    /// The stream that the case is about.
    var stream: UInt32
    /// Any of these.
    var lawful: [Lawful]
    /// Nil: without preface and SETTINGS.
    var hello: [(UInt16, UInt32)]?
    var act: @Sendable (WireClient) throws -> Void

    var testDescription: String { "\(section) \(name)" }
}

/// What may come of a case.
enum Lawful: Sendable, CustomStringConvertible {
    /// GOAWAY with one of these codes, then the end. RFC 9113 §5.4.1 lets a stream error be taken as one.
    case connectionError([UInt32])
    /// RST_STREAM with one of these codes; the connection serves on.
    case streamError([UInt32])
    /// An answer with one of these statuses; the connection serves on.
    case answer([Int])
    /// Neither; the connection serves on.
    case nothing
    /// The end without a GOAWAY.
    case close

    var description: String {
        switch self {
        case .connectionError(let codes): "GOAWAY \(codes)"
        case .streamError(let codes): "RST_STREAM \(codes)"
        case .answer(let statuses): "answer \(statuses)"
        case .nothing: "nothing"
        case .close: "close"
        }
    }
}

/// What came.
enum Outcome: Equatable { case goAway(UInt32), reset(UInt32), answer(Int), nothing, close }

extension Outcome {
    func isLawful(_ lawful: Lawful) -> Bool {
        switch (self, lawful) {
        case (.goAway(let code), .connectionError(let codes)): codes.contains(code)
        case (.reset(let code), .streamError(let codes)): codes.contains(code)
        case (.answer(let status), .answer(let statuses)): statuses.contains(status)
        case (.nothing, .nothing), (.close, .close): true
        default: false
        }
    }
}

extension ConformanceCase {
    /// The stream of the push that shows that the connection serves on.
    private static let last: UInt32 = 0x7FFF_FFFF

    func judge() throws {
        let client = try SharedMock.instance.connect(hello: hello)
        try act(client)
        if stream != Self.last { client.push(Self.last) }
        let outcome = try outcome(client)
        #expect(
            lawful.contains { outcome.isLawful($0) },
            "\(testDescription): \(outcome), lawful: \(lawful), frames: \(client.received)")
    }

    /// The first thing that happened to the case's stream, or to the connection.
    private func outcome(_ client: WireClient) throws -> Outcome {
        var found: Outcome?
        var seen = client.mark
        var isLast = false
        while true {
            if seen == client.received.count, try client.next() == nil { return .close }
            let frame = client.received[seen]
            seen += 1
            if frame.type == FrameType.goAway {
                while try client.next() != nil {}
                return .goAway(frame.number(at: 4))
            }
            if frame.stream == stream, found == nil { found = Outcome(frame) }
            if frame.stream == Self.last, frame.type == FrameType.headers {
                #expect(frame.fields.first?.value == "200", "\(testDescription): the push that follows")
                // What was sent with its answer comes before this.
                client.send(.ping("lastping"))
                isLast = true
            }
            if isLast, frame == .ping("lastping", acknowledges: true) { return found ?? .nothing }
        }
    }
}

extension Outcome {
    /// Nil for a frame that decides nothing.
    fileprivate init?(_ frame: Frame) {
        switch frame.type {
        case FrameType.reset: self = .reset(frame.number(at: 0))
        case FrameType.headers: self = .answer(frame.fields.first.flatMap { Int($0.value) } ?? 0)
        default: return nil
        }
    }
}

// MARK: Writing cases

/// Lists of cases, each checked by the compiler on its own.
@resultBuilder enum Cases {
    static func buildExpression(_ one: ConformanceCase) -> [ConformanceCase] { [one] }
    static func buildExpression(_ several: [ConformanceCase]) -> [ConformanceCase] { several }
    static func buildBlock(_ parts: [ConformanceCase]...) -> [ConformanceCase] { parts.flatMap { $0 } }
}

func section(_ section: String, @Cases _ cases: () -> [ConformanceCase]) -> [ConformanceCase] {
    cases().map { one in
        var one = one
        one.section = section
        return one
    }
}

func when(
    _ name: String, _ lawful: Lawful..., stream: UInt32 = 1, hello: [(UInt16, UInt32)]? = [],
    _ act: @escaping @Sendable (WireClient) throws -> Void
) -> ConformanceCase {
    ConformanceCase(section: "", name: name, stream: stream, lawful: lawful, hello: hello, act: act)
}

/// A request that RFC 9113 §8.1.1 calls malformed: a stream error PROTOCOL_ERROR.
func malformed(_ name: String, _ request: @autoclosure @escaping @Sendable () -> Request) -> ConformanceCase {
    when(name, .malformed) { $0.push(1, request()) }
}

extension Lawful {
    static let malformed = Lawful.streamError([ErrorCode.protocolError])
    static let protocolError = Lawful.connectionError([ErrorCode.protocolError])
    static let frameSizeError = Lawful.connectionError([ErrorCode.frameSize])
    static let compressionError = Lawful.connectionError([ErrorCode.compression])
    static let accepted = Lawful.answer([200])
    /// A frame on a stream whose other end is closed (§5.1, §6.1).
    static let streamClosed = Lawful.streamError([ErrorCode.streamClosed])
    static let connectionStreamClosed = Lawful.connectionError([ErrorCode.streamClosed])
}

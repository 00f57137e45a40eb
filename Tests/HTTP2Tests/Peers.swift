// A client and a server session joined in memory.

import Basics
import HTTP

@testable import HTTP2

final class Peers {
    let client: HTTP2Session
    let server: HTTP2Session
    private let cut: Int
    private let ear = Ear()
    private let clientEar = Ear()

    /// The server reads `cut` bytes at a time.
    init(cut: Int = 100_000, serverSettings: [HTTP2Setting] = []) {
        self.cut = cut
        let limits = HTTP2Limits(maxBodyBytes: 1_000, maxHeaderListBytes: 8_000)
        client = HTTP2Session(
            role: .client, settings: [], limits: limits, pool: HTTP2Pool(), scheme: "https", authority: "localhost")
        server = HTTP2Session(role: .server, settings: serverSettings, limits: limits, pool: HTTP2Pool())
    }

    func request(
        _ fields: [(String, String)], method: String = "POST", path: String = "/", body: String = ""
    ) {
        let (head, bytes) = (HeaderBlock(), ByteBuffer())
        head.append(":method", method)
        head.append(":path", path)
        for (name, value) in fields { head.append(name: name, value: value) }
        bytes.append(body)
        ear.kept.append((head, bytes))
        precondition(client.request(head, body: bytes, owner: ear))
    }

    func clientBytes() -> [UInt8] {
        let output = ByteBuffer()
        precondition(client.takeOutput(into: output))
        return output.array()
    }

    /// The fields of each request that has come to the server, as `name: value`.
    @discardableResult func exchange() -> [[String]] { deliver(clientBytes(), cut: cut) }

    func deliver(_ bytes: [UInt8], cut: Int) -> [[String]] {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(cut))
            rest = rest.dropFirst(cut)
            precondition(server.receive(piece.span) == nil)
            server.handOutEvents(to: ear)
        }
        return ear.requests
    }

    /// Answers what has come, and lets the client read that and the server's SETTINGS.
    func answer() {
        let none = HeaderBlock()
        for stream in server.streams where stream.isComplete {
            server.respond(stream, status: 200, head: none, body: Span())
        }
        readAnswers()
    }

    /// Lets the client read what the server has to say: of each answer its status, its fields and its body.
    @discardableResult func readAnswers() -> [String] {
        let output = ByteBuffer()
        precondition(server.takeOutput(into: output))
        precondition(client.receive(output.array().span) == nil)
        clientEar.answers = []
        client.handOutEvents(to: clientEar)
        server.handOutEvents(to: ear)
        return clientEar.answers
    }
}

private final class Ear: HTTP2EventHandler {
    var requests: [[String]] = []
    /// Of a client.
    var answers: [String] = []
    /// What must live as long as its stream.
    var kept: [(HeaderBlock, ByteBuffer)] = []

    func message(_ stream: HTTP2Stream) {
        let head = stream.head
        let fields = (0..<head.count).map { "\(head.name(at: $0).text): \(head.value(at: $0).text)" }
        requests.append(fields)
        answers.append((["\(stream.status)"] + fields + [stream.body.text]).joined(separator: "; "))
    }
    func closed(_ stream: HTTP2Stream, code: UInt32) {}
    func happened(_ event: HTTP2Event) {}
}

extension [UInt8] {
    func frames(from start: Int) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var at = start
        while at + 9 <= count {
            let end = at + 9 + Int(self[at]) << 16 + Int(self[at + 1]) << 8 + Int(self[at + 2])
            found.append(Array(self[at..<end]))
            at = end
        }
        return found
    }
}

// Whatever a client remembers of its header blocks: the server reads the fields that were given.

import Basics
import HTTP
import Testing

@testable import HTTP2

@Suite struct SentHeadTests {
    private static let token = "bearer " + String(repeating: "abc.", count: 50)

    private struct Request {
        var fields = [("authorization", SentHeadTests.token), ("apns-topic", "com.example.app")]
        var method = "POST"
        var path = "/3/device/00"
        var body = "{}"

        /// As a server reads them.
        var expected: [String] {
            [":scheme: https", ":authority: localhost", ":method: \(method)", ":path: \(path)"]
                + fields.map { "\($0.0): \($0.1)" } + (body.isEmpty ? [] : ["content-length: \(body.utf8.count)"])
        }
    }

    /// Sends them one after the other, each read before the next; how many blocks were repeated.
    private func send(_ requests: [Request], on peers: Peers = Peers(), oneByOne: Bool = true) -> Int {
        for request in requests {
            peers.request(request.fields, method: request.method, path: request.path, body: request.body)
            guard oneByOne else { continue }
            peers.exchange()
            peers.answer()
        }
        #expect(peers.exchange() == requests.map(\.expected))
        return peers.client.sentHead!.repeated
    }

    /// The first block fills the table, the second shows how the rest is encoded.
    @Test func `equal requests are encoded twice`() {
        #expect(send(Array(repeating: Request(), count: 10)) == 8)
    }

    @Test func `a burst is encoded whole, for nothing has been learned yet`() {
        #expect(send(Array(repeating: Request(), count: 10), oneByOne: false) == 0)
    }

    @Test func `path and length may differ`() {
        let requests = (0..<300).map { number in
            Request(path: "/3/device/" + String(repeating: "a", count: number), body: String(repeating: "x", count: number + 1))
        }
        #expect(send(requests) == 298)
    }

    @Test func `any other difference is encoded by nghttp2, and learned`() {
        var other = Request()
        other.fields[1].1 = "com.example.other"
        var longer = Request()
        longer.fields.append(("apns-priority", "5"))
        let bare = Request(body: "")
        let get = Request(method: "GET", body: "")
        let put = Request(method: "PUT")
        for request in [other, longer, bare, get, put] {
            let requests = [Request(), Request(), Request(), request, request, request, Request(), Request(), request]
            let repeated = send(requests)
            #expect(repeated >= 1 && repeated <= 5, "\(request.expected)")
        }
    }

    @Test func `alternating heads are read right`() {
        let requests = (0..<200).map { number in
            Request(fields: [("apns-topic", "com.example.\(number % 3)"), ("x-\(number % 7)", "\(number % 2)")])
        }
        #expect(send(requests) < 200)
    }

    /// Heads of few kinds in bursts of changing length, so that kept blocks, whole ones and new ones wait side by side.
    @Test(arguments: 1...20)
    func `bursts of mixed heads are read right`(seed: UInt64) {
        let peers = Peers()
        var generator = Seed(seed).generator()
        var sent: [Request] = []
        for _ in 0..<60 {
            for _ in 0...generator.next() % 5 {
                let kind = generator.next() % 4
                let request = Request(
                    fields: [("authorization", Self.token + "\(kind / 2)"), ("apns-topic", "com.example.\(kind)")],
                    path: "/3/device/\(sent.count)/\(kind)", body: String(repeating: "x", count: Int(kind % 2)))
                sent.append(request)
                peers.request(request.fields, path: request.path, body: request.body)
            }
            peers.exchange()
            peers.answer()
        }
        // Requests without a body are whole before those in front of them that have one.
        let came = peers.exchange().map { $0.joined(separator: "; ") }
        #expect(came.sorted() == sent.map { $0.expected.joined(separator: "; ") }.sorted())
        #expect(peers.client.sentHead!.repeated > 0)
    }

    /// A table too small for the fields, or none: every block is whole, or nothing is lost with a smaller table.
    @Test(arguments: [0, 64, 200, 4_096, 65_536])
    func `the peer may change the size of the table`(size: UInt32) {
        let peers = Peers(serverSettings: [.headerTableSize(size)])
        let requests = Array(repeating: Request(), count: 12)
        for (number, request) in requests.enumerated() {
            peers.request(request.fields, path: request.path, body: request.body)
            // The peer's SETTINGS come while a replaced block waits.
            if number == 5 { peers.answer() }
            peers.exchange()
        }
        #expect(peers.exchange() == requests.map(\.expected))
        #expect(peers.client.sentHead!.repeated > 0)
    }

    @Test func `a request that is reset before it is out leaves no debt`() {
        let peers = Peers()
        let request = Request()
        for _ in 0..<3 {
            peers.request(request.fields, path: request.path, body: request.body)
            peers.exchange()
        }
        peers.request([("apns-topic", "com.example.other")])
        if let stream = peers.client.streams.first { peers.client.reset(stream, code: HTTP2ErrorCode.cancel) }
        peers.exchange()
        for _ in 0..<3 {
            peers.request(request.fields, path: request.path, body: request.body)
            peers.exchange()
        }
        let whole = peers.exchange().filter { $0 == request.expected }
        #expect(whole.count == 6)
        #expect(peers.client.sentHead!.repeated >= 2)
    }
}

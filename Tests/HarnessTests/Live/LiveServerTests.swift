// The page of a run as a server: what it serves, and what it does with those who mean no good.

import Basics
import Foundation
import Glibc
import LoadGenerator
import Net
import Testing

@testable import Harness

@Suite(.serialized, .timeLimit(.minutes(10))) struct `The page of a run` {
    private func withServer<R>(_ body: (LiveServer, Peer) throws -> R) throws -> R {
        let server = try LiveServer(SocketAddress(host: "127.0.0.1", port: 0), `What is seen of a run`.state())
        defer { server.stop() }
        return try body(server, Peer(port: server.address.port))
    }

    private func get(_ path: String, _ fields: String = "", method: String = "GET", version: String = "1.1") -> String {
        "\(method) \(path) HTTP/\(version)\r\nHost: 127.0.0.1\r\n\(fields)Connection: close\r\n\r\n"
    }

    @Test func `serves page, JSON and metrics with their types, and anew what is shown anew`() throws {
        try withServer { server, peer in
            let page = try peer.ask(get("/"))
            #expect(page.contains("200 OK") && page.contains("content-type: text/html; charset=utf-8"))
            #expect(page.contains("content-security-policy: default-src 'none'") && !page.contains("http://www.example"))
            let metrics = try peer.ask(get("/metrics?x=1"))
            #expect(metrics.contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"))
            let body = try #require(metrics.range(of: "\r\n\r\n").map { String(metrics[$0.upperBound...]) })
            #expect(try Exposition(body)["pushrig_calls_planned_total"] == 520)
            let state = try peer.ask(get("/state"))
            #expect(state.contains("content-type: application/json") && state.contains("\"planned\":520"))
            var next = `What is seen of a run`.state()
            next.load.planned = 521
            server.show(next)
            #expect(try peer.ask(get("/metrics")).contains("pushrig_calls_planned_total 521\n"))
            #expect(try peer.ask(get("/state")).contains("\"planned\":521"))
        }
    }

    /// No script or style comes from elsewhere, and none is made of what a run is called.
    @Test func `is one file without network, for keyboards and readers of screens`() throws {
        let page = String(decoding: LivePage.bytes, as: UTF8.self)
        #expect(!page.contains("src=") && !page.contains("@import") && !page.contains("innerHTML") && !page.contains("eval("))
        // The one address is the name of a vocabulary, which nobody asks.
        #expect(page.components(separatedBy: "http").dropFirst().allSatisfy { $0.hasPrefix("://www.w3.org/2000/svg'") })
        for words in [
            "<html lang=\"en\">", "class=\"skip\"", "role=\"status\"", "role=\"alert\"", "aria-pressed", "<noscript>",
            "prefers-color-scheme:dark", "focus-visible", "aria-label", "role: 'img'", "tabindex=\"-1\"",
        ] {
            #expect(page.contains(words), "\(words)")
        }
    }

    @Test func `answers HEAD without a body, HTTP/1.0, requests in one go, and other paths and methods by their status`() throws {
        try withServer { _, peer in
            let head = try peer.ask(get("/state", method: "HEAD"))
            #expect(head.contains("200 OK") && head.hasSuffix("\r\n\r\n"))
            let old = try peer.ask("GET /metrics HTTP/1.0\r\n\r\n")
            #expect(old.contains(" 200 OK") || old.contains(" 400 ") || old.contains(" 505 "), "\(old.prefix(80))")
            let line = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let three = try peer.ask(line + line + get("/metrics"))
            #expect(three.components(separatedBy: "404 Not Found").count == 3 && three.contains("200 OK"))
            let put = try peer.ask(get("/state", "Content-Length: 0\r\n", method: "POST"))
            #expect(put.contains("405 ") && put.contains("allow: GET, HEAD"))
            #expect(try peer.ask(get("/../etc/passwd")).contains("404 "))
        }
    }

    @Test func `refuses pages of other origins, and names that are none of this machine's`() throws {
        try withServer { server, peer in
            let request = { (fields: String) in "GET /state HTTP/1.1\r\n\(fields)\r\nConnection: close\r\n\r\n" }
            let rebound = try peer.ask(request("Host: rebound.example:9464"))
            #expect(rebound.contains("403 ") && rebound.contains("is not a name of this machine's loopback"))
            #expect(try peer.ask(request("Host: 127.0.0.1\r\nOrigin: https://evil.example")).contains("403 "))
            #expect(try peer.ask(request("Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site")).contains("403 "))
            #expect(try peer.ask(request("Host: localhost:\(server.address.port)")).contains("200 "))
            let own = "Host: 127.0.0.1:1\r\nOrigin: http://127.0.0.1:1\r\nSec-Fetch-Site: same-origin"
            #expect(try peer.ask(request(own)).contains("200 "))
        }
    }

    @Test func `bounds lines, bodies and connections, and goes on for everybody else`() throws {
        try withServer { _, peer in
            let long = try peer.ask("GET /" + String(repeating: "a", count: 20_000) + " HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(long.isEmpty || long.contains("414 ") || long.contains("431 "))
            let fields = String(repeating: "x: " + String(repeating: "y", count: 60) + "\r\n", count: 400)
            let many = try peer.ask("GET /state HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)\r\n")
            #expect(many.isEmpty || many.contains("431 "))
            let garbage = try peer.ask("\u{1}\u{2}\u{3} not http\r\n\r\n")
            #expect(garbage.isEmpty || garbage.contains("400 "))
            // Such as open and say nothing, or ask and do not read.
            let silent = try (0..<100).map { _ in try peer.open() }
            let lazy = try (0..<20).map { _ in try peer.open() }
            for socket in lazy { peer.say(String(repeating: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", count: 200), to: socket) }
            #expect(try peer.ask(get("/metrics")).contains("200 OK"))
            for socket in silent + lazy { close(socket) }
            #expect(try peer.ask(get("/state")).contains("200 OK"))
        }
    }

    @Test func `listens where it is told, on loopback where only a port is, and says so where it cannot`() throws {
        #expect(try LiveServer.address("9464") == SocketAddress(host: "127.0.0.1", port: 9464))
        #expect(try LiveServer.address(":0") == SocketAddress(host: "127.0.0.1", port: 0))
        #expect(try LiveServer.address("0.0.0.0:80") == SocketAddress(host: "0.0.0.0", port: 80))
        #expect(try LiveServer.address("[::1]:8") == SocketAddress(host: "::1", port: 8))
        for text in ["", ":", "99999", "host:1", "1.2.3.4", "-1"] {
            #expect { try LiveServer.address(text) } throws: { ($0 as? Failure)?.message == "--watch \(text) is no address to listen on" }
        }
        let taken = try ListeningSocket(SocketAddress(host: "127.0.0.1", port: 0))
        #expect { try LiveServer(taken.boundAddress, LiveState()) } throws: { ($0 as? Failure)?.kind == .run }
    }
}

/// A client that says what it likes.
struct Peer {
    let port: UInt16

    func open() throws -> Int32 {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(number >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return number
    }

    func say(_ text: String, to socket: Int32) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) }
    }

    /// What comes back until the end, or for five seconds.
    func ask(_ text: String) throws -> String {
        let socket = try open()
        defer { close(socket) }
        say(text, to: socket)
        var answer: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &room, room.count, 0)
            guard count > 0 else { break }
            answer += room[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }
}

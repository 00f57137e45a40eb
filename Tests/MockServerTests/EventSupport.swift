// A listener to GET /v1/events as it is on the wire: one socket, HTTP/1.1, chunks, frames.

import Basics
import Glibc
import MockServer
import Net

final class EventClient {
    struct Frame: Equatable {
        var name = ""
        var id: String?
        var retry: String?
        var lines: [String] = []
        var isComment = false
        var json: JSONValue { (try? JSONValue(parsing: Array(lines.joined(separator: "\n").utf8).span)) ?? .null }
    }

    private let descriptor: Int32
    private var raw: [UInt8] = []
    private var received = 0
    private var text: [UInt8] = []
    private(set) var head = ""
    private(set) var hasEnded = false
    private(set) var frames: [Frame] = []

    /// `receiveBuffer`: what the kernel keeps for one who does not read.
    init(_ mock: TestMock, _ query: String = "", fields: [(String, String)] = [], receiveBuffer: Int32? = nil) {
        let address = mock.service.coordinates.admin!
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(address.port).bigEndian
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        let (descriptor, size) = (descriptor, socklen_t(MemoryLayout<sockaddr_in>.size))
        _ = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
        }
        var limit = timeval(tv_sec: 0, tv_usec: 20_000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let more = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        let request = Array("GET /v1/events\(query) HTTP/1.1\r\nhost: 127.0.0.1\r\n\(more)\r\n".utf8)
        _ = Glibc.send(descriptor, request, request.count, 0)
    }

    deinit { close(descriptor) }

    var status: Int { Int(head.dropFirst(9).prefix(3)) ?? 0 }

    func frames(of name: String) -> [Frame] { frames.filter { $0.name == name } }
    func pushes() -> [JSONValue] { frames(of: "push").map(\.json) }
    var lastID: String? { frames.last { $0.id != nil }?.id }

    /// Reads until it is so; false after ten seconds.
    @discardableResult
    func wait(until isSo: (EventClient) -> Bool) -> Bool {
        let deadline = now() + .seconds(10)
        while now() < deadline {
            if isSo(self) { return true }
            read()
        }
        return isSo(self)
    }

    /// Reads for so long.
    func read(for interval: Interval) {
        let deadline = now() + interval
        while now() < deadline { read() }
    }

    /// Reads about so much, if there is so much.
    func read(bytes: Int) {
        let before = received
        let deadline = now() + .seconds(1)
        while received - before < bytes, now() < deadline { read() }
    }

    private func read() {
        var room = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &room, room.count, 0)
        if count == 0 { hasEnded = true }
        guard count > 0 else { return usleep(1_000).ignored }
        received += count
        raw += room[..<count]
        if head.isEmpty, let end = raw.firstRange(of: Array("\r\n\r\n".utf8)) {
            head = String(decoding: raw[..<end.lowerBound], as: UTF8.self)
            raw.removeSubrange(..<end.upperBound)
        }
        takeChunks()
        takeFrames()
    }

    private func takeChunks() {
        var start = 0
        while let line = raw[start...].firstRange(of: [13, 10]),
            let size = Int(String(decoding: raw[start..<line.lowerBound], as: UTF8.self), radix: 16),
            line.upperBound + size + 2 <= raw.count
        {
            if size == 0 { hasEnded = true }
            text += raw[line.upperBound..<line.upperBound + size]
            start = line.upperBound + size + 2
        }
        raw.removeSubrange(..<start)
    }

    private func takeFrames() {
        var start = 0
        while let end = text[start...].firstRange(of: [10, 10]) {
            var frame = Frame()
            for line in text[start..<end.lowerBound].split(separator: 10) {
                let line = String(decoding: line, as: UTF8.self)
                if line.hasPrefix(":") { frame.isComment = true }
                if line.hasPrefix("event: ") { frame.name = String(line.dropFirst(7)) }
                if line.hasPrefix("id: ") { frame.id = String(line.dropFirst(4)) }
                if line.hasPrefix("retry: ") { frame.retry = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { frame.lines.append(String(line.dropFirst(6))) }
            }
            frames.append(frame)
            start = end.upperBound
        }
        text.removeSubrange(..<start)
    }
}

extension Int32 {
    fileprivate var ignored: Void { () }
}

// A server that is none: it lets in who comes, and then answers nothing.

import Foundation
import Glibc
import OperatingSystem
import Testing

/// For one connection, by the protocol's few bytes.
final class SilentServer {
    let folder: String
    private let listener: Int32

    /// `hangsUp`: it ends the connection at the first statement.
    init(hangsUp: Bool = false) throws {
        folder = try FileSystem.makeTemporaryFolder()
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array((folder + "/.s.PGSQL.5432").utf8)
        try #require(path.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let descriptor = listener
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        try #require(bound == 0 && listen(descriptor, 1) == 0)
        Foundation.Thread.detachNewThread { Self.serve(descriptor, hangsUp: hangsUp) }
    }

    deinit {
        close(listener)
        FileSystem.removeAll(folder)
    }

    private static func serve(_ listener: Int32, hangsUp: Bool) {
        let peer = accept(listener, nil, nil)
        guard peer >= 0 else { return }
        var room = [UInt8](repeating: 0, count: 4_096)
        guard read(peer, &room, room.count) > 0 else { return }
        // AuthenticationOk and ReadyForQuery.
        let hello: [UInt8] = [0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5A, 0, 0, 0, 5, 0x49]
        _ = write(peer, hello, hello.count)
        while read(peer, &room, room.count) > 0, !hangsUp {}
        close(peer)
    }
}

// A connected socket with or without TLS: ciphertext stays in here, plaintext goes in and out. The buffers belong to
// the loop, so an idle connection holds none.

import Basics
import CLinux
import EventLoop
import Glibc
import OperatingSystem
import TLS

/// What the connections of one server or pool take turns with.
final class TransportBuffers {
    static let readBytes = 1 << 17
    let pipe = TLSPipe()
    /// What the last read brought, decrypted.
    let plaintext = ByteBuffer(capacity: 1 << 17)
    /// Where a connection gathers what it is about to send.
    let output = ByteBuffer(capacity: 1 << 16)
    let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: TransportBuffers.readBytes)

    deinit { room.deallocate() }
}

enum TransportRead {
    /// Plaintext, perhaps none yet, is in the buffers.
    case data
    case wouldBlock
    case closed
    case failed(String)
}

final class Transport {
    /// The socket, until `release`.
    private var descriptor: Descriptor?
    let number: Int32
    private let buffers: TransportBuffers
    private let tls: TLSSession?
    /// Bytes for the wire that the kernel has not taken yet.
    private let pending = ByteBuffer()
    private(set) var isBroken = false
    /// What the kernel has taken so far.
    private(set) var sentBytes = 0

    init(descriptor: consuming Descriptor, tls: TLSSession?, buffers: TransportBuffers) {
        number = descriptor.number
        self.descriptor = consume descriptor
        self.tls = tls
        self.buffers = buffers
    }

    var pendingBytes: Int { pending.count }
    var isReady: Bool { tls?.isEstablished ?? true }
    var negotiatedProtocol: String? { tls?.negotiatedProtocol }
    var tlsVersion: String? { tls?.version }
    var peerCertificate: PeerCertificate? { tls?.peerCertificate }

    /// A client's first flight.
    func startTLS() {
        guard let tls else { return }
        tls.start()
        sendCiphertext()
    }

    /// One read. On `.data` the buffers' plaintext holds what came.
    func read() -> TransportRead {
        let room = buffers.room
        let result = SystemCall.run { recv(number, room.baseAddress!, room.count, 0) }
        guard case .done(let count) = result else {
            if case .failed(let number) = result {
                isBroken = true
                return .failed(SystemCall.describe(number))
            }
            return .wouldBlock
        }
        guard count > 0 else { return .closed }
        let plaintext = buffers.plaintext
        plaintext.clear()
        let bytes = UnsafeBufferPointer(rebasing: room[0..<count]).span
        guard let tls else {
            plaintext.append(bytes)
            return .data
        }
        tls.receive(bytes, into: plaintext)
        sendCiphertext()
        switch tls.state {
        case .handshaking, .established: return .data
        case .closed: return plaintext.isEmpty ? .closed : .data
        case .failed(let reason): return .failed(reason)
        }
    }

    /// Reads and forgets, without decrypting.
    func discard() -> TransportRead {
        let room = buffers.room
        switch SystemCall.run({ recv(number, room.baseAddress!, room.count, 0) }) {
        case .done(let count): return count > 0 ? .wouldBlock : .closed
        case .wouldBlock: return .wouldBlock
        case .failed:
            isBroken = true
            return .closed
        }
    }

    /// RST is between us and the peer: it has come, or closing now sends one because bytes of the peer were not read.
    var endsByReset: Bool {
        guard !isBroken else { return true }
        var byte: UInt8 = 0
        switch SystemCall.run({ recv(number, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) }) {
        case .done(let count): return count > 0
        case .wouldBlock: return false
        case .failed: return true
        }
    }

    /// Sends plaintext; what the kernel does not take waits in `pendingBytes`.
    func write(_ plaintext: ByteBuffer) {
        guard !plaintext.isEmpty, !isBroken else { return }
        guard let tls else {
            send(plaintext)
            return
        }
        guard tls.isEstablished else { return }
        let bytes = plaintext.bytes
        tls.send(bytes)
        plaintext.clear(keepingUpTo: 1 << 18)
        sendCiphertext()
    }

    /// Tries again with what is pending. True when nothing is left.
    func writePending() -> Bool {
        guard !pending.isEmpty, !isBroken else { return true }
        let sent = transmit(pending)
        pending.consume(sent)
        if pending.isEmpty { pending.clear(keepingUpTo: 0) }
        return pending.isEmpty
    }

    /// Says goodbye (TLS close_notify) and ends our side of the connection.
    func shutDown() {
        tls?.close()
        sendCiphertext()
        shutdown(number, Int32(SHUT_WR))
    }

    func end(_ ending: ConnectionEnding) {
        switch ending {
        case .clean: shutDown()
        case .cutOff: cutOff()
        case .reset: abort(number)
        }
    }

    /// Closes the socket now, though somebody may still hold the connection for an answer that comes to nothing.
    func release() {
        isBroken = true
        pending.clear(keepingUpTo: 0)
        descriptor = nil
    }

    /// Ends our side without a word of TLS.
    func cutOff() { shutdown(number, Int32(SHUT_WR)) }

    private func sendCiphertext() { send(buffers.pipe.output) }

    private func send(_ bytes: ByteBuffer) {
        guard !bytes.isEmpty else { return }
        if pending.isEmpty, !isBroken { bytes.consume(transmit(bytes)) }
        if !bytes.isEmpty, !isBroken {
            let rest = bytes.bytes
            pending.append(rest)
        }
        bytes.clear(keepingUpTo: 1 << 18)
    }

    private func transmit(_ buffer: ByteBuffer) -> Int {
        let bytes = buffer.bytes
        let result = bytes.withUnsafeBufferPointer { bytes in
            SystemCall.run { Glibc.send(number, bytes.baseAddress!, bytes.count, Int32(MSG_NOSIGNAL)) }
        }
        switch result {
        case .done(let count):
            sentBytes += count
            return count
        case .wouldBlock: return 0
        case .failed:
            isBroken = true
            return 0
        }
    }
}

/// Closing this socket sends RST and throws away what the peer has not taken (SO_LINGER of no seconds).
func abort(_ descriptor: Int32) {
    var rule = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &rule, socklen_t(MemoryLayout<linger>.size))
}

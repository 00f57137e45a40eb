// The start of every journal file: who wrote it, and how its instants relate to wall time.

import Basics
import Glibc
import OperatingSystem

struct FileHeader: Equatable {
    /// Mixed into every checksum of the file.
    var salt: UInt64
    /// One moment on both clocks.
    var instant: Instant
    var wall: WallTime
    /// Tells which files share a monotonic clock.
    var boot: UUIDBytes
    /// Unique in the directory; the upper part of the ids.
    var tag: UInt16
    var name: String
    var process: UInt32

    enum Problem: Error, Equatable { case short, foreign, version(UInt32), damaged }

    struct Decoded {
        var header: FileHeader
        /// Of the header in the file.
        var length: Int
    }

    /// The wall time at instant 0.
    var clockOffset: Int64 { wall.nanoseconds &- instant.nanoseconds }

    /// Sixteen hex digits of the salt, which stands for moment, boot, process and tag.
    var identity: String {
        let text = String(salt, radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }

    init(name: String, tag: UInt16, time: any TimeSource) {
        self.name = name
        self.tag = tag
        (instant, wall) = time.moment()
        boot = Self.currentBoot
        process = UInt32(bitPattern: getpid())
        salt = 0
        let unsalted = encoded()
        salt = unsalted.withUnsafeBytes { Checksum.plain($0.baseAddress!, $0.count) }
    }

    func encoded() -> [UInt8] {
        let length = Format.padded(Format.fixedHeaderLength + name.utf8.count) + 8
        var bytes = [UInt8](repeating: 0, count: length)
        bytes.withUnsafeMutableBytes { room in
            let base = room.baseAddress!
            base.put(Format.magic, at: 0)
            base.put(Format.version, at: 8)
            base.put(UInt32(length), at: 12)
            base.put(salt, at: 16)
            base.put(instant.nanoseconds, at: 24)
            base.put(wall.nanoseconds, at: 32)
            base.put(boot.high, at: 40)
            base.put(boot.low, at: 48)
            base.put(tag, at: 56)
            base.put(UInt16(name.utf8.count), at: 58)
            base.put(process, at: 60)
            for (index, byte) in name.utf8.enumerated() { room[Format.fixedHeaderLength + index] = byte }
            base.put(Checksum.plain(base, length - 8), at: length - 8)
        }
        return bytes
    }

    /// `bytes` may be longer than the header.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> Result<Decoded, Problem> {
        guard let base = bytes.baseAddress, bytes.count >= 16 else { return .failure(.short) }
        guard base.value(0, as: UInt64.self) == Format.magic else { return .failure(.foreign) }
        let version = base.value(8, as: UInt32.self)
        guard version == Format.version else { return .failure(.version(version)) }
        let length = Int(base.value(12, as: UInt32.self))
        guard length <= Format.maxHeaderLength, length >= Format.fixedHeaderLength + 8, length % 8 == 0 else {
            return .failure(.damaged)
        }
        guard bytes.count >= length else { return .failure(.short) }
        guard base.value(length - 8, as: UInt64.self) == Checksum.plain(base, length - 8) else {
            return .failure(.damaged)
        }
        let nameLength = Int(base.value(58, as: UInt16.self))
        guard Format.fixedHeaderLength + nameLength <= length - 8 else { return .failure(.damaged) }
        let name = UnsafeRawBufferPointer(start: base + Format.fixedHeaderLength, count: nameLength)
        return .success(Decoded(header: FileHeader(base, name: String(decoding: name, as: UTF8.self)), length: length))
    }

    private init(_ base: UnsafeRawPointer, name: String) {
        salt = base.value(16, as: UInt64.self)
        instant = Instant(nanoseconds: base.value(24, as: Int64.self))
        wall = WallTime(nanoseconds: base.value(32, as: Int64.self))
        boot = UUIDBytes(high: base.value(40, as: UInt64.self), low: base.value(48, as: UInt64.self))
        tag = base.value(56, as: UInt16.self)
        process = base.value(60, as: UInt32.self)
        self.name = name
    }

    /// The kernel's name for this boot; all zeros where it does not tell.
    private static let currentBoot: UUIDBytes = {
        let none = UUIDBytes(high: 0, low: 0)
        guard let text = try? FileSystem.start(of: "/proc/sys/kernel/random/boot_id", count: 36), text.count == 36 else {
            return none
        }
        return UUIDBytes(text.span) ?? none
    }()
}

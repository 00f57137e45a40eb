// An IP address as bytes, and what is known about where it leads: this machine, or a push vendor, also when the
// vendor's IPv4 address is wrapped into an IPv6 one.

import CLinux
import Glibc

/// 4 or 16 bytes in network order.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    /// `bytes`: 4 or 16 of them.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == 4 || bytes.count == 16, "an address has 4 or 16 bytes")
        self.bytes = bytes
    }

    /// A literal, such as `127.0.0.1` or `::1`; nil for names and for forms that only some systems read (`17.1`).
    package init?(literal text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            bytes = withUnsafeBytes(of: six) { Array($0) }
        } else {
            return nil
        }
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Leads to this machine and nowhere else: 127.0.0.0/8, ::1, and 127.0.0.0/8 as an IPv4-mapped address, which the
    /// kernel treats as IPv4. No other wrapping counts: a translator may stand behind it.
    package var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 }
        if bytes.starts(with: Self.mapped) { return bytes[12] == 127 }
        return bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// 0.0.0.0 and ::, which are no addresses to call (RFC 1122 §3.2.1.3) and which Linux takes for loopback.
    package var isUnspecified: Bool {
        bytes.allSatisfy { $0 == 0 } || bytes.starts(with: Self.mapped) && bytes[12...].allSatisfy { $0 == 0 }
    }

    /// The loopback address that an unspecified one stands for.
    var loopback: IPAddress {
        bytes.count == 4 ? IPAddress([127, 0, 0, 1]) : IPAddress([UInt8](repeating: 0, count: 15) + [1])
    }

    /// Whose push network it lies in, itself or by an IPv4 address that is wrapped into it.
    package var vendor: PushVendor? {
        for address in [self] + embedded {
            let found = PushVendor.allCases.first { vendor in vendor.ranges.contains { $0.contains(address) } }
            if let found { return found }
        }
        return nil
    }

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]

    /// Every IPv4 address that this IPv6 one may carry for a translator or a tunnel.
    var embedded: [IPAddress] {
        guard bytes.count == 16 else { return [] }
        func four(_ places: [Int]) -> IPAddress { IPAddress(places.map { bytes[$0] }) }
        let last = four([12, 13, 14, 15])
        var found: [IPAddress] = []
        // IPv4-mapped and IPv4-compatible (RFC 4291 §2.5.5), IPv4-translated (RFC 2765 §2.1).
        if bytes.starts(with: Self.mapped) || bytes[..<12].allSatisfy({ $0 == 0 }) { found.append(last) }
        if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0]) { found.append(last) }
        // NAT64: the well-known prefix, and the one for local use with each length that a network may have chosen
        // (RFC 6052 §2.2, RFC 8215); byte 8 is always 0.
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) { found.append(last) }
        if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 1]) {
            found += [last, four([6, 7, 9, 10]), four([7, 9, 10, 11]), four([9, 10, 11, 12])]
        }
        // 6to4 (RFC 3056), Teredo: server, and client with its bits turned (RFC 4380 §4), ISATAP (RFC 5214 §6.1).
        if bytes.starts(with: [0x20, 0x02]) { found.append(four([2, 3, 4, 5])) }
        if bytes.starts(with: [0x20, 0x01, 0, 0]) {
            found += [four([4, 5, 6, 7]), IPAddress(bytes[12...].map { ~$0 })]
        }
        if bytes[8] & 0xFC == 0, bytes[9...11].elementsEqual([0x00, 0x5E, 0xFE]) { found.append(last) }
        return found
    }
}

/// A block of addresses, such as 17.0.0.0/8.
struct AddressRange: Sendable {
    private let address: IPAddress
    private let length: Int

    /// `text` is right; it stands in the source.
    init(_ text: StaticString) {
        let parts = text.description.split(separator: "/").map(String.init)
        address = IPAddress(literal: parts[0])!
        length = Int(parts[1])!
    }

    func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        for bit in stride(from: 0, to: length, by: 8) {
            let mask = length - bit >= 8 ? 0xFF : ~(UInt8(0xFF) >> UInt8(length - bit))
            if (other.bytes[bit / 8] ^ address.bytes[bit / 8]) & mask != 0 { return false }
        }
        return true
    }
}

// Who calls, by the bearer token: `device.<uuid>`, `human.<name>` or `service.<name>`. Such a token is a word where the
// original has a signed JWT of the same three roles; a fourth part `expired` stands for one whose time is over. The header
// `apikey` has to be there and may say anything, for it names a project and nobody in it.

import Basics
import HTTP

struct Caller {
    enum Role: String {
        case device, human, service
    }

    let role: Role
    /// A device's uuid; else a name.
    let subject: String

    init(_ head: HeaderBlock) throws(RowError) {
        guard head.text("apikey")?.isEmpty == false else { throw .noKey }
        guard let field = head.text("authorization"), field.hasPrefix("Bearer ") else { throw .badToken }
        try self.init(token: String(field.dropFirst(7)))
    }

    init(token: String) throws(RowError) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 2, let role = Role(rawValue: String(parts[0])), !parts[1].isEmpty else { throw .badToken }
        guard parts.count == 2 else { throw .expiredToken }
        self.role = role
        guard role == .device else {
            subject = String(parts[1])
            return
        }
        guard let uuid = DeviceID(String(parts[1])) else { throw .badToken }
        subject = uuid.text
    }

    func `is`(_ device: DeviceID) -> Bool { role == .device && subject == device.text }

    /// Whether rows of that device are its to read; people and services read all (R1.13, R1.14).
    func reads(_ device: String) -> Bool { role != .device || subject == device }
}

/// A UUID as PostgreSQL reads one: 32 hex digits, with hyphens or without.
struct DeviceID: Hashable {
    /// With hyphens, in lower case.
    let text: String

    init?(_ text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 32, text.utf8.count == 32 || text.utf8.count == 36,
            let bytes = Hex.decode(String(decoding: digits, as: UTF8.self))
        else { return nil }
        let hex = Array(Hex.encode(bytes.span))
        self.text = [hex[..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20...]].map { String($0) }.joined(separator: "-")
    }
}

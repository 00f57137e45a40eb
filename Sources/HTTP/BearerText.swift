// The authorization field with a bearer token (RFC 6750 §2.1).

import Basics

package enum BearerText {
    /// Where the token begins: behind `Bearer` in any case of letters (both spellings are in use), and blanks. Nil: there is
    /// none.
    package static func start(_ value: Span<UInt8>) -> Int? {
        guard value.count > 7, value[6] == 32 else { return nil }
        let scheme: StaticString = "bearer"
        for index in 0..<6 where value[index] | 0x20 != scheme.utf8Start[index] { return nil }
        var start = 7
        while start < value.count, value[start] == 32 { start += 1 }
        return start < value.count ? start : nil
    }
}

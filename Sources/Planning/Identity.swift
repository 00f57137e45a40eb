// Who a session is to the relay: secrets, tokens and names, each computed from the seed whenever it is needed and
// stored nowhere.
//
// Device tokens are 32 bytes and activity update tokens 80, as seen in the field; registrations for FCM are text. The size of
// push-to-start tokens is not established; ours are 64 bytes, unlike both, so that a relay that mixes them up is noticed. Where
// users have virtual phones, their device and start tokens are those that the phones mint.

package import Basics
import Pushes
import Scenarios

/// Who a session is to the relay; all of it follows from seed, run and session.
package struct SessionIdentity: Hashable, Sendable {
    /// `ses_` and 24 hex digits.
    package var sessionID: String
    /// 32 hex digits; one per user.
    package var secret: String
    /// 16 hex digits; one per user.
    package var serverID: String
    /// 64 hex digits; one per user.
    package var deviceToken: String
    /// 128 hex digits, 160 where a virtual phone has minted it; one per user.
    package var startToken: String
    /// 160 hex digits.
    package var activityToken: String
}

extension Workload {
    /// Appends a session's variable as plain text; only hex digits, letters, `_`, and for `topic` what the profile
    /// says.
    func append(_ variable: SessionVariable, session: UInt32, into buffer: ByteBuffer) {
        if let minted = minted(variable, session: session) { return buffer.append(minted.text(mockSeed)) }
        let user = userSeed.child(UInt64(Int(session) / sessionsPerUser))
        switch variable {
        case .run: Text.append(hex: UInt64(run), digits: 8, into: buffer)
        case .session: Text.append(UInt64(session), radix: 10, into: buffer)
        case .sessionID:
            buffer.append("ses_")
            Text.append(hexDigits: 24, from: sessionSeed.child(UInt64(session)).child(1), into: buffer)
        case .activityToken:
            Text.append(hexDigits: 160, from: sessionSeed.child(UInt64(session)).child(2), into: buffer)
        case .secret: Text.append(hexDigits: 32, from: user.child(3), into: buffer)
        case .serverID: Text.append(hexDigits: 16, from: user.child(4), into: buffer)
        case .deviceToken: Text.append(hexDigits: 64, from: user.child(5), into: buffer)
        case .startToken: Text.append(hexDigits: 128, from: user.child(6), into: buffer)
        case .deviceToken2: Text.append(hexDigits: 64, from: user.child(7), into: buffer)
        case .startToken2: Text.append(hexDigits: 128, from: user.child(8), into: buffer)
        case .activityToken2:
            Text.append(hexDigits: 160, from: sessionSeed.child(UInt64(session)).child(9), into: buffer)
        case .rotatedToken:
            Text.append(hexDigits: 160, from: sessionSeed.child(UInt64(session)).child(10), into: buffer)
        case .newStartToken: Text.append(hexDigits: 128, from: user.child(11), into: buffer)
        case .registrationToken: Text.append(registrationFrom: user.child(12), into: buffer)
        case .newRegistrationToken: Text.append(registrationFrom: user.child(13), into: buffer)
        case .widgetToken: Text.append(hexDigits: 64, from: user.child(14), into: buffer)
        case .widgetToken2: Text.append(hexDigits: 64, from: user.child(15), into: buffer)
        case .newWidgetToken: Text.append(hexDigits: 64, from: user.child(16), into: buffer)
        case .controlToken: Text.append(hexDigits: 64, from: user.child(17), into: buffer)
        case .otherControlToken: Text.append(hexDigits: 64, from: user.child(18), into: buffer)
        case .broadcastChannel:
            buffer.append("channel of ")
            Text.append(UInt64(session), radix: 10, into: buffer)
        case .topic: buffer.append(profile.topic)
        }
    }

    func text(_ variable: SessionVariable, session: UInt32) -> String {
        let buffer = ByteBuffer()
        append(variable, session: session, into: buffer)
        return buffer.text
    }

    func identity(of session: UInt32) -> SessionIdentity {
        SessionIdentity(
            sessionID: text(.sessionID, session: session), secret: text(.secret, session: session),
            serverID: text(.serverID, session: session), deviceToken: text(.deviceToken, session: session),
            startToken: text(.startToken, session: session), activityToken: text(.activityToken, session: session))
    }
}

/// Numbers and chance as text, without a String.
package enum Text {
    /// Lower-case digits of a number drawn from `seed`; `digits` is a multiple of 8.
    package static func append(hexDigits digits: Int, from seed: Seed, into buffer: ByteBuffer) {
        var generator = seed.generator()
        var left = digits
        while left > 0 {
            let drawn = generator.next()
            if left >= 16 { append(hex: UInt32(truncatingIfNeeded: drawn >> 32), into: buffer) }
            append(hex: UInt32(truncatingIfNeeded: drawn), into: buffer)
            left -= 16
        }
    }

    /// As FCM makes them today (docs/fcm.md §5): an installation's id, a colon, and what is the token's own.
    package static func append(registrationFrom seed: Seed, into buffer: ByteBuffer) {
        var generator = seed.generator()
        // Four bits of an installation's id are always the same.
        append(base64url: generator.next() & 3 | 28, digits: 1, into: buffer)
        for _ in 0..<3 { append(base64url: generator.next(), digits: 7, into: buffer) }
        buffer.append(":APA91b")
        for _ in 0..<13 { append(base64url: generator.next(), digits: 10, into: buffer) }
        append(base64url: generator.next(), digits: 4, into: buffer)
    }

    /// The low six bits of `value` for each digit, at most 10.
    private static func append(base64url value: UInt64, digits: Int, into buffer: ByteBuffer) {
        buffer.append(upTo: digits) { output in
            for place in 0..<digits { output.append(base64url(UInt8(truncatingIfNeeded: value >> UInt64(place * 6)) & 63)) }
        }
    }

    private static func base64url(_ value: UInt8) -> UInt8 {
        switch value {
        case ..<26: 65 + value
        case ..<52: 71 + value
        case ..<62: value - 4
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }

    /// Eight hex digits at once, the first in the lowest byte of a word.
    private static func append(hex value: UInt32, into buffer: ByteBuffer) {
        var word = UInt64(value)
        word = (word | word << 16) & 0x0000_FFFF_0000_FFFF
        word = (word | word << 8) & 0x00FF_00FF_00FF_00FF
        word = ((word | word << 4) & 0x0F0F_0F0F_0F0F_0F0F).bigEndian
        // A nibble above 9 is a letter: 39 lie between `9` and `a`.
        let letters = (word &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        word = word &+ 0x3030_3030_3030_3030 &+ letters &* 39
        withUnsafeBytes(of: word.littleEndian) { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { buffer.append($0.span) }
        }
    }

    /// The low `digits` hex digits of `value`, at most 16, with leading zeros.
    package static func append(hex value: UInt64, digits: Int, into buffer: ByteBuffer) {
        buffer.append(upTo: digits) { output in
            for place in stride(from: (digits - 1) * 4, through: 0, by: -4) {
                output.append(digit(UInt8(truncatingIfNeeded: value >> UInt64(place)) & 15))
            }
        }
    }

    /// Digits 0-9a-z, without leading zeros.
    package static func append(_ value: UInt64, radix: UInt64, into buffer: ByteBuffer) {
        var power: UInt64 = 1
        var digits = 1
        while value / power >= radix {
            power *= radix
            digits += 1
        }
        buffer.append(upTo: digits) { output in
            var power = power
            var rest = value
            while power > 0 {
                output.append(digit(UInt8(truncatingIfNeeded: rest / power)))
                rest %= power
                power /= radix
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }
}

// The tokens of virtual phones: a pure function of a seed and of what a token is for, so that whoever knows the seed can
// compute each of them again without having seen it.

package import Basics

/// What a token of a virtual phone is for.
package enum PhoneTokenUse: String, CaseIterable, Sendable {
    /// Notifications to an app.
    case device
    /// Starts of Live Activities, one for each app and phone.
    case start
    /// Updates and the end of one Live Activity.
    case activity

    /// Sizes that were seen (apns.md §10): 32 bytes, and 80 for both kinds of Live Activities.
    package var byteCount: Int { self == .device ? 32 : 80 }
}

/// Which token of which phone.
package struct PhoneToken: Hashable, Sendable {
    package var use: PhoneTokenUse
    /// The phone's name.
    package var phone: String
    /// The app's bundle ID.
    package var app: String
    /// Of an activity: which one of that app on that phone, from 1. Of the other two: which installation, from 1.
    package var ordinal: UInt32
    /// How many times the token has been replaced.
    package var rotation: UInt32

    package init(_ use: PhoneTokenUse, phone: String, app: String, ordinal: UInt32 = 1, rotation: UInt32 = 0) {
        self.use = use
        self.phone = phone
        self.app = app
        self.ordinal = ordinal
        self.rotation = rotation
    }

    /// The first byte of all tokens of a phone, whatever the seed.
    package static func firstByte(phone: String) -> UInt8 { UInt8(truncatingIfNeeded: Seed(0).child(phone).value) }

    /// Lower-case hex digits. `seed` is the mock's: `firstByte`, then the bytes, highest first, that the generator of
    /// `seed.child("phones").child(use).child(phone).child(app).child(ordinal).child(rotation)` draws.
    package func text(_ seed: Seed) -> String {
        let place = seed.child("phones").child(use.rawValue).child(phone).child(app)
        var generator = place.child(UInt64(ordinal)).child(UInt64(rotation)).generator()
        var bytes: [UInt8] = [Self.firstByte(phone: phone)]
        bytes.reserveCapacity(use.byteCount)
        while bytes.count < use.byteCount {
            let word = generator.next()
            for shift in stride(from: 56, through: 0, by: -8) where bytes.count < use.byteCount {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return Hex.encode(bytes.span)
    }
}

// What a plan's virtual phones are called: by the number of their user and which of the user's phones it is. The name says
// whose sessions an event speaks of where it bears no marker.

package import Basics
package import Pushes
import Scenarios

/// `phone-12-1`: the first phone of user 12. Users count from 0, over all shards; a user's phones from 1.
package struct PhoneName: Hashable, Sendable {
    package var user: UInt32
    /// From 0.
    package var phone: Int

    package init(user: UInt32, phone: Int) {
        self.user = user
        self.phone = phone
    }

    /// Of one user.
    package static let most = 2

    package var text: String { "phone-\(user)-\(phone + 1)" }

    /// Nil for a name that is none of a plan's phones.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "phone", let user = UInt32(parts[1]), let number = Int(parts[2]),
            1...Self.most ~= number
        else { return nil }
        self.init(user: user, phone: number - 1)
        // Neither leading zeros nor signs: a phone has one name.
        guard self.text == text else { return nil }
    }
}

extension Plan {
    /// The session that an event belongs to: the one whose marker its activity's start bore; else, of the phone's user, the
    /// one that began last. Nil when it is none of this shard's. `elapsed`: since the plan's start.
    package func session(of event: PhoneEvent, elapsed: Interval) -> UInt32? {
        guard let name = PhoneName(event.phone) else { return nil }
        let size = UInt32(workload.sessionsPerUser)
        if let marker = event.marker {
            guard marker.run == run, marker.session / size == name.user, position(of: marker.session) != nil else { return nil }
            return marker.session
        }
        let first = UInt64(name.user) * UInt64(size)
        let begun = (first..<first + UInt64(size)).last { number in
            guard let session = UInt32(exactly: number), let position = position(of: session) else { return false }
            return start(of: position) <= elapsed
        }
        return begun.map { UInt32($0) }
    }

    /// Which of this shard's sessions it is; nil: none.
    package func position(of session: UInt32) -> Int? {
        let position = shard.position(of: Int(session), inGroupsOf: workload.sessionsPerUser)
        guard let position, position < sessionCount else { return nil }
        return position
    }
}

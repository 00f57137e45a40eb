// The rows of one shard's phones.

import APNs
import Basics
import Pushes

struct PhoneTables: ~Copyable {
    var phones = Slab(blank: PhoneRow.blank)
    var apps = Slab(blank: AppRow.blank)
    var cards = Slab(blank: CardRow.blank)

    init() {}

    func key(of ref: PhoneRef) -> UInt64 {
        switch ref.kind {
        case .phone: Self.key(name: phones[ref.place].name)
        case .device: apps[ref.place].deviceKey
        case .start: apps[ref.place].startKey
        case .activity: cards[ref.place].key
        }
    }

    static func key(name: String) -> UInt64 { Hash128(deviceName: name).low }

    /// Of the apps on a phone, gone ones included, in no order that means anything.
    func apps(of phone: Int32) -> [Int32] {
        var found: [Int32] = []
        var place = phones[phone].firstApp
        while place >= 0 {
            found.append(place)
            place = apps[place].next
        }
        return found
    }

    /// Of an app's activities, newest first.
    func cards(of app: Int32) -> [Int32] {
        var found: [Int32] = []
        var place = apps[app].firstActivity
        while place >= 0 {
            found.append(place)
            place = cards[place].next
        }
        return found
    }

    func card(_ ordinal: UInt32, of app: Int32) -> Int32? {
        var place = apps[app].firstActivity
        while place >= 0 {
            if cards[place].ordinal == ordinal { return place }
            place = cards[place].next
        }
        return nil
    }

    mutating func unlink(_ card: Int32) {
        let app = cards[card].app
        if apps[app].firstActivity == card {
            apps[app].firstActivity = cards[card].next
            return
        }
        var place = apps[app].firstActivity
        while place >= 0 {
            if cards[place].next == card {
                cards[place].next = cards[card].next
                return
            }
            place = cards[place].next
        }
    }
}

// What a mock puts on record of virtual phones, read back.

import Basics
package import Pushes

extension NoteEntry {
    /// What happened on a phone; nil for every other note.
    package var phoneEvent: PhoneEvent? {
        guard let json = json(of: .phone), let number = json["event"]?.int, number > 0,
            let kind = json["kind"]?.string.flatMap({ PhoneEvent.Kind(word: $0) }), let phone = json["phone"]?.string,
            let app = json["app"]?.string, let activity = json["activity"]?.int.flatMap({ UInt32(exactly: $0) })
        else { return nil }
        let at = json["at"]?.string.flatMap { WallTime(iso8601: $0) }
        return PhoneEvent(
            number: UInt64(number), kind: kind, at: at ?? wall, phone: phone, app: app, activity: activity,
            token: json["token"]?.string,
            marker: json["marker"]?.string.flatMap { text in withBytes(of: text) { Marker.find(in: $0) } })
    }

    /// Why a phone did what it did with a push, by the push's id; nil for every other note.
    package var phoneReason: (push: UInt64, words: String)? {
        guard let json = json(of: .phone), let push = json["push"]?.int, push > 0,
            let words = json["reason"]?.string
        else { return nil }
        return (UInt64(push), words)
    }
}

// What a card shows: the device's mode as it was when the row was written, and the note, which is the message, or none.

import Basics

/// Word for word as the card's type has it.
enum BusymateMode: String {
    case vpn, pac, off
}

/// A write says all that its card shows, so it is both what is said and what is shown.
struct BusymateState: StateContent, EventContent {
    var mode: BusymateMode
    /// Never empty.
    var note: String?

    init(mode: BusymateMode, message: String = "") {
        self.mode = mode
        note = message.isEmpty ? nil : message
    }

    init?(stored: JSONValue) {
        guard let mode = stored["mode"]?.string.flatMap(BusymateMode.init) else { return nil }
        self.init(mode: mode, message: stored["note"]?.string ?? "")
    }

    var stored: JSONValue { ["mode": .string(mode.rawValue), "note": note.map { .string($0) } ?? .null] }

    /// The first word of the note.
    var marker: Substring { (note ?? "").prefix { $0 != " " } }

    /// As if nothing had been written there.
    var altered: any StateContent { BusymateState(mode: mode, message: marker + " …") }

    func state(after latest: (any StateContent)?) -> any StateContent { self }
}

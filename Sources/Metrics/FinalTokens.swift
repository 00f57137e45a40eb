// The tokens of last states as text, one after another, so that a report can name those that never arrived.

struct FinalTokens: Sendable {
    private struct Place {
        var session: UInt32
        var step: UInt32
        var token: Int32
        var length: UInt8
        var start: UInt32
    }

    private var bytes: [UInt8] = []
    private var places: [Place] = []

    /// Tokens of more than 255 bytes are shortened, and those beyond 4 GB are left out.
    mutating func add(_ text: String, token: Int32, session: UInt32, step: UInt32) {
        guard let start = UInt32(exactly: bytes.count) else { return }
        let length = UInt8(clamping: text.utf8.count)
        bytes.append(contentsOf: text.utf8.prefix(Int(length)))
        places.append(Place(session: session, step: step, token: token, length: length, start: start))
    }

    /// Looks through all of them: for samples only.
    func text(of row: Planned) -> String {
        let place = places.first { $0.session == row.session && $0.step == row.step && $0.token == row.token }
        guard let place else { return "" }
        return String(decoding: bytes[Int(place.start)..<Int(place.start) + Int(place.length)], as: UTF8.self)
    }
}

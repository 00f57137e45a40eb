// Tokens of Google's in a text, and what stands where a token stands. Apple's are known by their digits alone; of these some
// are known by their form (docs/fcm.md §5), and others, such as an installation's ID, by the word in front of them.

enum TokenForm {
    /// Parts of an instance's name before the colon, of a registration behind it, of a token that a name announces.
    private static let instance = 8...64
    private static let leastOwn = 40
    private static let leastNamed = 17
    private static let leastInText = 22
    private static let leastBearer = 24

    private static let names: Set<String> = [
        "token", "fid", "live_activity_token", "liveActivityToken", "registration_token", "registrationToken",
    ]

    /// Where the token ends that begins at `start`, or nil.
    static func end(_ bytes: [UInt8], at start: Int) -> Int? {
        registration(bytes, start) ?? access(bytes, start) ?? named(bytes, start) ?? inPath(bytes, start)
            ?? bearer(bytes, start) ?? inText(bytes, start)
    }

    /// `eAt-S4YmYTSsdKC2_hBwFK:APA91b…`; in a path the colon may be `%3A`.
    private static func registration(_ bytes: [UInt8], _ start: Int) -> Int? {
        var place = start
        while place < bytes.count, place - start <= instance.upperBound, isURLSafe(bytes[place]) { place += 1 }
        guard instance.contains(place - start), place < bytes.count else { return nil }
        if bytes[place] == 58 {
            place += 1
        } else if bytes[place] == 37, stands("3a", bytes, at: place + 1) {
            place += 3
        } else {
            return nil
        }
        let own = run(bytes, place, isURLSafe)
        // Where a text is cut, so is the token in it.
        return own - place >= leastOwn || stands("apa91", bytes, at: place) ? own : nil
    }

    private static func access(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard stands("ya29.", bytes, at: start) else { return nil }
        let end = run(bytes, start, isOfBearer)
        return end - start > 8 ? end : nil
    }

    /// A member of a JSON object, which may stand in another text.
    private static func named(_ bytes: [UInt8], _ start: Int) -> Int? {
        var place = start
        func back(over isOver: (UInt8) -> Bool) -> Int {
            let end = place
            while place > 0, end - place < 32, isOver(bytes[place - 1]) { place -= 1 }
            return end - place
        }
        let isQuote: (UInt8) -> Bool = { $0 == 34 || $0 == 92 }
        guard back(over: isQuote) > 0 else { return nil }
        _ = back { $0 == 32 }
        guard back(over: { $0 == 58 }) == 1 else { return nil }
        _ = back { $0 == 32 }
        guard back(over: isQuote) > 0 else { return nil }
        let end = place
        guard back(over: { isURLSafe($0) }) > 0, place > 0, isQuote(bytes[place - 1]),
            names.contains(String(decoding: bytes[place..<end], as: UTF8.self))
        else { return nil }
        return long(bytes, start, leastNamed) { 33...126 ~= $0 && !isQuote($0) }
    }

    /// Of Instance ID.
    private static func inPath(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard ["/iid/info/", "/iid/v1/"].contains(where: { stands($0, bytes, at: start - $0.utf8.count) }) else { return nil }
        return long(bytes, start, leastNamed) { isURLSafe($0) || $0 == 37 || $0 == 58 }
    }

    private static func bearer(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard stands("bearer ", bytes, at: start - 7), let end = long(bytes, start, leastBearer, isOfBearer) else { return nil }
        return bytes[start..<end].contains { isDigit($0) } ? end : nil
    }

    /// Behind the word `token`, as listings have it: long, and no word itself.
    private static func inText(_ bytes: [UInt8], _ start: Int) -> Int? {
        var place = start
        while place > 0, start - place < 16, bytes[place - 1] == 32 { place -= 1 }
        guard place < start, stands("token", bytes, at: place - 5), let end = long(bytes, start, leastInText, isURLSafe)
        else { return nil }
        let text = bytes[start..<end]
        let isMixed = text.contains { 65...90 ~= $0 } && text.contains { 97...122 ~= $0 }
        return text.contains { isDigit($0) } || isMixed ? end : nil
    }

    // MARK: Bytes

    private static func run(_ bytes: [UInt8], _ start: Int, _ isOfIt: (UInt8) -> Bool) -> Int {
        var end = start
        while end < bytes.count, isOfIt(bytes[end]) { end += 1 }
        return end
    }

    private static func long(_ bytes: [UInt8], _ start: Int, _ least: Int, _ isOfIt: (UInt8) -> Bool) -> Int? {
        let end = run(bytes, start, isOfIt)
        return end - start >= least ? end : nil
    }

    /// In whatever case; `text` is in small letters.
    private static func stands(_ text: String, _ bytes: [UInt8], at place: Int) -> Bool {
        guard place >= 0, place + text.utf8.count <= bytes.count else { return false }
        return zip(text.utf8, bytes[place...]).allSatisfy { $0 == (65...90 ~= $1 ? $1 + 32 : $1) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }

    private static func isURLSafe(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, 45, 95: true
        default: false
        }
    }

    /// RFC 6750 §2.1.
    private static func isOfBearer(_ byte: UInt8) -> Bool { isURLSafe(byte) || [46, 126, 43, 47, 61].contains(byte) }
}

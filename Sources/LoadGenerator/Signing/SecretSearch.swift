// Where secrets stand in a text, as they are or escaped and encoded, one way within another.

struct SecretSearch {
    private let secrets: [[UInt8]]
    /// Of each value of a byte, whether a secret begins with it.
    private var begins = [Bool](repeating: false, count: 256)

    /// So much of a secret's beginning is one as well: a relay may cut it, and what is spoilt differs in the end alone.
    private static let shortestPart = 6
    /// In what was made of digits, shorter ones stand by chance.
    private static let shortestDecoded = 4
    /// Ways within one another, and texts that are looked through.
    private static let mostWays = 3
    private static let mostTexts = 64

    init(_ secrets: [[UInt8]]) {
        self.secrets = secrets.filter { !$0.isEmpty }
        for secret in self.secrets { begins[Int(secret[0])] = true }
    }

    /// In order, none within or across another.
    func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        guard !secrets.isEmpty else { return [] }
        var texts = [(text: DecodedText(bytes), ways: 0)]
        var found: [Range<Int>] = []
        var next = 0
        while next < texts.count {
            let (text, ways) = texts[next]
            next += 1
            find(in: text, isDecoded: ways > 0, &found)
            guard ways < Self.mostWays, texts.count < Self.mostTexts else { continue }
            texts += text.decoded.prefix(Self.mostTexts - texts.count).map { ($0, ways + 1) }
        }
        return joined(found)
    }

    private func find(in text: DecodedText, isDecoded: Bool, _ found: inout [Range<Int>]) {
        let bytes = text.bytes
        var place = 0
        while place < bytes.count {
            let count = begins[Int(bytes[place])] ? secret(bytes, at: place, isDecoded) : 0
            if count > 0 { found.append(text.place(of: place..<place + count)) }
            place += max(1, count)
        }
    }

    /// How much of one stands there, the longest.
    private func secret(_ bytes: [UInt8], at place: Int, _ isDecoded: Bool) -> Int {
        var longest = 0
        for secret in secrets {
            let room = min(secret.count, bytes.count - place)
            var count = 0
            while count < room, bytes[place + count] == secret[count] { count += 1 }
            let least = min(secret.count, Self.shortestPart)
            if count >= least, !isDecoded || count >= Self.shortestDecoded { longest = max(longest, count) }
        }
        return longest
    }

    private func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in ranges.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
            if let last = joined.last, range.lowerBound < last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}

// Tokens as reports and listings show them: enough to know one again, not enough to push to it.

import Basics
import Conformance
import Metrics
import Pushes

package enum ShortTokens {
    /// A run of so many hex digits is taken for a device token: Apple's have 64 and more, ids of commits 40.
    private static let leastDigits = 48
    private static let kept = 8

    /// The text with every token in it cut to its first eight characters: runs of hex digits, JSON Web Tokens, and what
    /// Google has.
    package static func cut(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var cut: [UInt8] = []
        var position = 0
        while position < bytes.count {
            guard isWord(bytes[position]) || bytes[position] == 45 || bytes[position] == 95 else {
                cut.append(bytes[position])
                position += 1
                continue
            }
            let end = webToken(bytes, at: position) ?? hexDigits(bytes, at: position) ?? TokenForm.end(bytes, at: position)
            if let end {
                cut += bytes[position..<position + kept]
                cut += Array("…".utf8)
                position = end
            } else {
                repeat {
                    cut.append(bytes[position])
                    position += 1
                } while position < bytes.count && isWord(bytes[position])
            }
        }
        return String(decoding: cut, as: UTF8.self)
    }

    /// A token that stands by itself, of whatever length.
    package static func cutToken(_ token: String) -> String { token.count > kept ? token.prefix(kept) + "…" : token }

    /// A header field as `name: value`.
    static func cutField(_ field: String) -> String {
        // A token that comes again is the same, and its claims say whose it is and how old.
        let bearer = "authorization: bearer "
        if field.prefix(bearer.count).lowercased() == bearer {
            let token = field.dropFirst(bearer.count)
            return token.hasPrefix("#") ? field : field.prefix(bearer.count) + fingerprint(token)
        }
        let path = ":path: /3/device/"
        return field.hasPrefix(path) ? path + cutToken(String(field.dropFirst(path.count))) : cut(field)
    }

    /// `#` and eight digits that are the same for the same credential, and what a provider token claims.
    private static func fingerprint(_ token: Substring) -> String {
        let digits = String(UInt32(truncatingIfNeeded: TokenHash(String(token)).bits), radix: 16)
        let mark = "#" + String(repeating: "0", count: 8 - digits.count) + digits
        guard let claims = ProviderTokenClaims(authorization: "bearer \(token)") else { return mark }
        return "\(mark) (team \(claims.team), key \(claims.key), iat \(claims.issuedAt.map(String.init) ?? "none"))"
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: false
        }
    }

    private static func hexDigits(_ bytes: [UInt8], at start: Int) -> Int? {
        var end = start
        while end < bytes.count, isWord(bytes[end]) {
            switch bytes[end] {
            case 48...57, 65...70, 97...102: end += 1
            default: return nil
            }
        }
        return end - start >= leastDigits ? end : nil
    }

    /// Three parts of base64url, joined by dots, of which the first is an object.
    private static func webToken(_ bytes: [UInt8], at start: Int) -> Int? {
        guard bytes[start...].starts(with: "eyJ".utf8) else { return nil }
        var end = start
        var dots = 0
        while end < bytes.count, isWord(bytes[end]) || [45, 46, 95].contains(bytes[end]) {
            if bytes[end] == 46 { dots += 1 }
            end += 1
        }
        return dots >= 2 && end - start > leastDigits ? end : nil
    }
}

extension RunRecord {
    /// The same record with every token cut to its first eight characters, as reports show them unless asked otherwise.
    package var withShortTokens: RunRecord {
        var copy = self
        for rule in copy.verdicts.indices { copy.verdicts[rule].verdict.shortenTokens() }
        for index in copy.correlation.wrongAnswers.indices {
            copy.correlation.wrongAnswers[index].body = ShortTokens.cut(correlation.wrongAnswers[index].body)
        }
        copy.exit.reasons = exit.reasons.map(ShortTokens.cut)
        return copy
    }
}

extension Verdict {
    fileprivate mutating func shortenTokens() {
        guard case .broken(let findings, let count) = self else { return }
        self = .broken(findings.map(\.withShortTokens), count: count)
    }
}

extension Finding {
    fileprivate var withShortTokens: Finding {
        var copy = self
        copy.message = ShortTokens.cut(message)
        copy.expected = ShortTokens.cut(expected)
        copy.seen = ShortTokens.cut(seen)
        copy.call?.answer = ShortTokens.cut(call?.answer ?? "")
        copy.call?.sent = ShortTokens.cut(call?.sent ?? "")
        for index in copy.history.indices { copy.history[index].words = ShortTokens.cut(history[index].words) }
        copy.exchanges = exchanges.map { exchange in
            var copy = exchange
            copy.request = exchange.request.map(ShortTokens.cutField)
            copy.payload = ShortTokens.cut(exchange.payload)
            copy.answer = ShortTokens.cut(exchange.answer)
            return copy
        }
        return copy
    }
}

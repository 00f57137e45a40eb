// Texts within texts, compared byte by byte. The standard library's own search brings its regular expressions along, 2 MB:
// script/build does not know it.

extension StringProtocol where SubSequence == Substring {
    /// Where `words` stand first; nil: nowhere, and where there are no words.
    package func firstRange(of words: String) -> Range<Index>? {
        let wanted = words.utf8
        guard let first = wanted.first else { return nil }
        let bytes = utf8
        var start = bytes.startIndex
        while let found = bytes[start...].firstIndex(of: first) {
            var (own, other) = (found, wanted.startIndex)
            while own < bytes.endIndex, other < wanted.endIndex, bytes[own] == wanted[other] {
                bytes.formIndex(after: &own)
                wanted.formIndex(after: &other)
            }
            if other == wanted.endIndex { return found..<own }
            start = bytes.index(after: found)
        }
        return nil
    }

    /// Whether `words` stand in it.
    package func contains(_ words: String) -> Bool { words.isEmpty || firstRange(of: words) != nil }

    /// The same with `others` in each place of `words`, at most so many.
    package func replacing(_ words: String, with others: String, maxReplacements: Int = .max) -> String {
        var text = ""
        var rest = self[...]
        var left = maxReplacements
        while left > 0, let found = rest.firstRange(of: words) {
            text += rest[..<found.lowerBound] + others
            rest = rest[found.upperBound...]
            left -= 1
        }
        return text + rest
    }
}

extension [UInt8] {
    /// The same with `others` in each place of `words`, which are some.
    package func replacing(_ words: [UInt8], with others: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = self[...]
        while !rest.isEmpty {
            if rest.starts(with: words) {
                bytes += others
                rest = rest.dropFirst(words.count)
            } else {
                bytes.append(rest.removeFirst())
            }
        }
        return bytes
    }
}

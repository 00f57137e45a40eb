// Where a regular expression in Swift source ends (Swift Evolution SE-0354). What stands in one are no words.

extension SwiftSource {
    /// The place behind the literal whose first byte stands at `start`, with so many hashes before its slash; nil: none
    /// begins there, the slash divides, or it is never closed.
    static func endOfRegex(in bytes: [UInt8], at start: Int, hashes: Int) -> Int? {
        var place = start + hashes + 1
        if hashes == 0, !mayBegin(bytes, start) || bytes[place] <= 0x20 { return nil }
        let isLong = hashes > 0 && bytes[place...].first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D } == 0x0A
        var (groups, isClass) = (0, false)
        while place < bytes.count - 1, isLong || bytes[place] != 0x0A && bytes[place] != 0x0D {
            let closing = place + 1..<place + 1 + hashes
            switch bytes[place] {
            case 0x5C: place += 1
            case 0x2F where closing.upperBound < bytes.count && bytes[closing].allSatisfy { $0 == 0x23 }:
                return closing.upperBound
            case 0x5B: isClass = true
            case 0x5D: isClass = false
            case 0x28 where !isClass: groups += 1
            case 0x29 where !isClass: groups -= 1
            default: break
            }
            // `f(/)` and `f(/, 2)` name the operator.
            if hashes == 0, groups < 0 { return nil }
            place += 1
        }
        return nil
    }

    /// Only where no value stands right before it, or what divides would.
    private static func mayBegin(_ bytes: [UInt8], _ start: Int) -> Bool {
        guard start > 0 else { return true }
        let isBehindComment = start > 1 && bytes[start - 1] == 0x2F && bytes[start - 2] == 0x2A
        return bytes[start - 1] <= 0x20 || isBehindComment || "([{,;:".utf8.contains(bytes[start - 1])
    }
}

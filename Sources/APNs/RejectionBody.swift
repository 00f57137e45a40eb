// The body of a refusal: compact JSON without spaces, as captured on the wire (docs/apns.md §0).

import Pushes

/// `{"reason":"…"}`, and with 410 the time of death in milliseconds since 1970: `{"reason":"…","timestamp":…}`.
package func rejectionBody(_ reason: Reason, timestampMilliseconds: Int64?) -> [UInt8] {
    if let timestampMilliseconds, reason.hasTimestamp {
        return Array("{\"reason\":\"\(reason.word)\",\"timestamp\":\(timestampMilliseconds)}".utf8)
    }
    return bodies[Int(reason.rawValue)]
}

private let bodies = Reason.allCases.map { Array("{\"reason\":\"\($0.word)\"}".utf8) }

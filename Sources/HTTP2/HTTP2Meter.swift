// What a connection may ask of us beyond requests, counted frame by frame from the frame headers alone, before nghttp2
// sees the frame. It stops peers that make us work or remember for next to nothing: rapid reset, floods of SETTINGS,
// PING, CONTINUATION and empty frames, HPACK bombs.

import Basics

/// How often something may happen on one connection: `burst` times at once; once that is used up, as often again as
/// time and requests have earned since, at most `burst`.
package struct HTTP2Rate: Hashable, Sendable {
    package var burst: Int
    package var perSecond: Int
    /// Earned by each request besides.
    package var perRequest: Int = 0
}

/// The rates a server grants each connection. Why these numbers: docs/hardening.md.
package struct HTTP2Rates: Hashable, Sendable {
    /// Streams ended by RST_STREAM, the peer's or one that the peer's mistake brought upon it.
    package var resets = HTTP2Rate(burst: 2_000, perSecond: 1_000)
    /// SETTINGS other than acknowledgements.
    package var settings = HTTP2Rate(burst: 100, perSecond: 10)
    /// PING, acknowledgements included.
    package var pings = HTTP2Rate(burst: 1_000, perSecond: 100)
    /// DATA with fewer than 16 bytes, or that may be nothing but padding, and that does not end its stream.
    package var shortData = HTTP2Rate(burst: 1_000, perSecond: 100, perRequest: 8)
    package var windowUpdates = HTTP2Rate(burst: 50_000, perSecond: 10_000, perRequest: 4)
    /// PRIORITY, GOAWAY and frames of unknown type.
    package var otherFrames = HTTP2Rate(burst: 1_000, perSecond: 100, perRequest: 2)
    /// Header lists larger than accepted; each one's stream is reset.
    package var headerLists = HTTP2Rate(burst: 20, perSecond: 5)

    package init() {}

    package subscript(offence: HTTP2Offence) -> HTTP2Rate {
        switch offence {
        case .resets: resets
        case .settings: settings
        case .pings: pings
        case .shortData: shortData
        case .windowUpdates: windowUpdates
        case .otherFrames: otherFrames
        case .headerLists: headerLists
        case .continuations, .headerBlocks: HTTP2Rate(burst: 0, perSecond: 0)
        }
    }
}

/// Why a connection goes no further.
package enum HTTP2Offence: Int, CaseIterable, Sendable {
    // Those with a rate come first.
    case resets, settings, pings, shortData, windowUpdates, otherFrames, headerLists
    /// More CONTINUATION frames in one header block than accepted.
    case continuations
    /// A header block of more encoded bytes than accepted.
    case headerBlocks
}

/// One connection's account. Costs a count and a comparison for each frame that is neither a request nor its body.
struct HTTP2Meter {
    private struct Budget {
        var left: Int
        var filledAt: Instant
        var requests: Int
    }

    private let limits: HTTP2Limits
    private(set) var offence: HTTP2Offence?
    private var requests = 0
    private var continuations = 0
    /// Encoded bytes of the header block that is not whole yet; 0 between blocks.
    private(set) var headerBlockBytes = 0
    private(set) var isInHeaderBlock = false
    private var budgets = InlineArray<7, Budget>(repeating: Budget(left: -1, filledAt: Instant(nanoseconds: 0), requests: 0))

    init(limits: HTTP2Limits) { self.limits = limits }

    /// Whether nghttp2 may see the frame; once not, never again.
    mutating func admits(length: Int, type: UInt8, flags: UInt8, at now: Instant) -> Bool {
        switch type {
        case 0:  // DATA
            guard flags & 1 == 0, length < 16 || flags & 8 != 0 && length <= 256 else { return true }
            return spend(.shortData, at: now)
        case 1:  // HEADERS
            requests += 1
            continuations = 0
            return takeBlock(length, isLast: flags & 4 != 0)
        case 9:  // CONTINUATION
            continuations += 1
            guard continuations <= limits.maxContinuations else { return refuse(.continuations) }
            return takeBlock(headerBlockBytes + length, isLast: flags & 4 != 0)
        case 3: return spend(.resets, at: now)
        case 4: return flags & 1 != 0 || spend(.settings, at: now)
        case 6: return spend(.pings, at: now)
        case 8: return spend(.windowUpdates, at: now)
        default: return spend(.otherFrames, at: now)
        }
    }

    private mutating func takeBlock(_ bytes: Int, isLast: Bool) -> Bool {
        guard bytes <= limits.maxHeaderBlockBytes else { return refuse(.headerBlocks) }
        isInHeaderBlock = !isLast
        headerBlockBytes = isLast ? 0 : bytes
        return true
    }

    /// One of what has a rate. False when there was no more to spend.
    mutating func spend(_ kind: HTTP2Offence, at now: Instant) -> Bool {
        if budgets[kind.rawValue].left > 0 {
            budgets[kind.rawValue].left -= 1
            return true
        }
        return refill(kind, at: now)
    }

    private mutating func refill(_ kind: HTTP2Offence, at now: Instant) -> Bool {
        let rate = limits.rates[kind]
        var budget = budgets[kind.rawValue]
        if budget.left < 0 {
            budget.left = rate.burst
        } else {
            // Only what is earned counts as a filling, or many small ones would round it away.
            let time = Double((now - budget.filledAt).nanoseconds) * Double(rate.perSecond) / 1e9
            let earned = min(Double(rate.burst), time + Double((requests - budget.requests) * rate.perRequest))
            guard earned >= 1 else { return refuse(kind) }
            budget.left = Int(earned)
        }
        guard budget.left > 0 else { return refuse(kind) }
        budget.left -= 1
        (budget.filledAt, budget.requests) = (now, requests)
        budgets[kind.rawValue] = budget
        return true
    }

    private mutating func refuse(_ kind: HTTP2Offence) -> Bool {
        if offence == nil { offence = kind }
        return false
    }
}

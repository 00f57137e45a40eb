// Which tokens died when, and what came to them afterwards.

import Basics

struct TokenDeaths {
    /// By token: when the answer left that told of its death; the far future for those alive.
    private var diedAt: [Int64]

    /// `arrivals` in order of their instants.
    init(_ arrivals: [Arrival], tokenCount: Int) {
        diedAt = Array(repeating: .max, count: tokenCount)
        for arrival in arrivals where arrival.flags.contains(.killedToken) {
            let token = Int(arrival.token)
            diedAt[token] = min(diedAt[token], arrival.answeredAt)
        }
    }

    func isDead(_ token: Int32, at instant: Int64) -> Bool { diedAt[Int(token)] <= instant }

    /// `texts` are the tokens that died, as far as they were kept.
    func summary(_ arrivals: [Arrival], grace: Interval, texts: [Int32: String]) -> DeadTokens {
        var summary = DeadTokens()
        summary.died = diedAt.count { $0 != .max }
        var pushes: [Int32: Int] = [:]
        for arrival in arrivals {
            let (limit, overflow) = diedAt[Int(arrival.token)].addingReportingOverflow(grace.nanoseconds)
            guard !overflow, arrival.at > limit else { continue }
            summary.pushesAfterDeath += 1
            if summary.sample.count < 20 { summary.sample.append(arrival.id) }
            let count = pushes[arrival.token, default: 0] + 1
            pushes[arrival.token] = count
            if count > summary.worstPushes {
                summary.worstPushes = count
                summary.worstToken = texts[arrival.token]
            }
        }
        return summary
    }
}

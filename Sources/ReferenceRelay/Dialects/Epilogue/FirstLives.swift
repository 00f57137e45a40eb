// Defect `counts-from-first-life`: sessions by the instant at which their id was met first, kept when they are over.

/// Confined to the relay's thread.
final class FirstLives {
    private struct Name: Hashable {
        var secret: SecretHash
        var session: String
    }

    private var began: [Name: Int64] = [:]

    /// In Unix seconds: when that id was met first, or now.
    func beginning(of session: String, _ secret: SecretHash, now: Int64) -> Int64 {
        let name = Name(secret: secret, session: session)
        if let known = began[name] { return known }
        if began.count < RelayLimits.sessions { began[name] = now }
        return now
    }
}

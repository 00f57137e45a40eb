// What OpenCode's relay does as its published source has it, said in defects of the honest one (docs/reference-relay.md).
// The half of it that keeps Live Activities was planned and never built: there it is the honest relay's, as far as the
// source's way of pushing allows.

extension RelayDialect {
    /// The traps of the relay as it was built; nil where no source of one is public.
    package var asBuilt: [Trap]? { self == .opencode ? Trap.openCode : nil }
}

/// One thing that a relay does as built, and which defects make it.
package struct Trap: Sendable {
    /// What the source does, in a few words.
    package var words: String
    package var defects: [Defect]

    static let openCode = [
        Trap(words: "a connection for each push", defects: [.connectionPerPush]),
        Trap(words: "no time-out on connect, request or response", defects: [.waitsForEver]),
        Trap(words: "no reply removes a token", defects: [.keepsDeadTokens]),
        Trap(words: "a token's other host is asked for one reason only", defects: [.neverTriesOtherEnvironment]),
        Trap(words: "a provider token that was refused stays for its 50 minutes", defects: [.keepsExpiredProviderToken]),
        Trap(words: "nothing else is sent again", defects: [.triesOnce, .losesRefusedStreams]),
        Trap(words: "an id longer than its column is the database's error", defects: [.failsOnLongIDs]),
    ]
}

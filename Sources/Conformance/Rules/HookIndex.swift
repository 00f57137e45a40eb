// The webhooks and tokens of one account, found by what they name: a user may have a thousand sessions.

import Metrics
import Pushes

/// Lists are in the order of the journal.
struct HookIndex {
    private var byPlace: [UInt64: [Hook]] = [:]
    /// By a call of theirs, or by a token that one of their calls told.
    private var bySession: [UInt32: [Hook]] = [:]
    private var byToken: [TokenHash: [Hook]] = [:]
    private var sessionsByToken: [TokenHash: Set<UInt32>] = [:]

    init(_ account: Account) {
        for made in account.tokenCalls { sessionsByToken[made.token, default: []].insert(UInt32(made.place >> 32)) }
        for hook in account.hooks {
            if let place = hook.place { byPlace[place, default: []].append(hook) }
            if let token = hook.token { byToken[token, default: []].append(hook) }
            for session in sessions(of: hook) { bySession[session, default: []].append(hook) }
        }
    }

    func sessions(of token: TokenHash) -> Set<UInt32> { sessionsByToken[token] ?? [] }

    func sessions(of hook: Hook) -> Set<UInt32> {
        if let place = hook.place { return [UInt32(place >> 32)] }
        return hook.token.map(sessions) ?? []
    }

    func hooks(of token: TokenHash) -> [Hook] { byToken[token] ?? [] }

    /// Those that may speak of that call: by its marker, or where its kind has no room for one, by its session.
    func hooks(of call: SeenCall, isUnmarked: Bool) -> [Hook] {
        (isUnmarked ? bySession[call.session] : byPlace[call.place]) ?? []
    }
}

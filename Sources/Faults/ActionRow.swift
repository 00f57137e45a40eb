// The table of actions: a row says all of an action but how it is carried out.

import Basics

/// One action.
struct ActionRow: Sendable {
    /// What stands for it in the journal, from 1; never changes, and is never used for another.
    let code: UInt8
    /// The one member of its object in JSON.
    let name: String
    /// One sentence, and what else there is to say.
    let summary: String
    let details: String
    /// The member's value, for a hint.
    let example: String
    /// A whole rule as JSON.
    let rule: String
    /// Of the member's value, where that is an object.
    let keys: [String]
    /// What it can be done to; the first is what a rule meets that does not say.
    let targets: [FaultTarget]
    let stage: FaultStage
    let hearing: FaultHearing
    /// A connection does not outlive it.
    let endsConnection: Bool
    /// What becomes of a request on a stream of that id.
    let fate: @Sendable (FaultAction, Int32) -> RequestFate
    /// What the words that were read mean for what is met.
    let meant: @Sendable (FaultAction, FaultTarget) -> FaultAction
    /// What does not fit what is met; nil: all does.
    let objection: @Sendable (FaultAction, FaultTarget) -> FaultObjection?
    /// From the member's value, its pointer and `keys`.
    let read: @Sendable (JSONValue, String, [String]) throws(FaultRuleError) -> FaultAction
    /// The member's value; nil for other actions.
    let write: @Sendable (FaultAction) -> JSONValue?

    init(
        _ code: UInt8, _ name: String, _ summary: String, _ details: String, example: String, rule: String,
        keys: [String] = [], targets: [FaultTarget] = [.push, .broadcast], stage: FaultStage = .request,
        hearing: FaultHearing = .answer,
        endsConnection: Bool = false, fate: @escaping @Sendable (FaultAction, Int32) -> RequestFate,
        meant: @escaping @Sendable (FaultAction, FaultTarget) -> FaultAction = { action, _ in action },
        objection: @escaping @Sendable (FaultAction, FaultTarget) -> FaultObjection? = { _, _ in nil },
        read: @escaping @Sendable (JSONValue, String, [String]) throws(FaultRuleError) -> FaultAction,
        write: @escaping @Sendable (FaultAction) -> JSONValue?
    ) {
        self.code = code
        self.name = name
        self.summary = summary
        self.details = details
        self.example = example
        self.rule = rule
        self.keys = keys
        self.targets = targets
        self.stage = stage
        self.hearing = hearing
        self.endsConnection = endsConnection
        self.fate = fate
        self.meant = meant
        self.objection = objection
        self.read = read
        self.write = write
    }

    static let all: [ActionRow] = [
        .respond, .delay, .silence, .resetStream, .goAway, .maxStreams, .window, .close, .refuseTLS, .raw,
    ]
}

/// Why an action does not fit what its rule meets.
struct FaultObjection {
    /// Below `action`, as a pointer is written.
    let path: String
    let message: String
    let hint: String

    init(_ path: String, _ message: String, hint: String) {
        self.path = path
        self.message = message
        self.hint = hint
    }

    /// To a `wait` of an action that meets no connection.
    init?(wait: Interval?, of name: String, _ target: FaultTarget) {
        guard wait != nil, target != .connection else { return nil }
        self.init(
            name + "/wait", "wait is counted from the beginning of a connection", hint: #"add "meets": "connection""#)
    }
}

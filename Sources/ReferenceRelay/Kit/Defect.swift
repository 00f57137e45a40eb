// Known faults that a reference relay can be asked to have, so that each rule can be shown to catch one.

/// A named way to be wrong. The raw value is the id on the command line (`--defect ID`).
package enum Defect: String, CaseIterable, Hashable, Sendable {
    /// Keeps a token after APNs has declared it dead, and goes on pushing to it. Breaks R0.22, R0.25.
    case keepsDeadTokens = "keeps-dead-tokens"
    /// Drops a throttled state instead of sending the last one when the window closes. Breaks R0.8.
    case dropsTrailingEdge = "drops-trailing-edge"
    /// Sends every progress event at once. Breaks R0.7.
    case ignoresThrottle = "ignores-throttle"
    /// One throttle window for all sessions of a secret. Breaks R0.9.
    case sharesThrottle = "shares-throttle"
    /// Treats 410 as passing trouble and sends again. Breaks R0.22 (P9).
    case retriesAfter410 = "retries-after-410"
    /// Opens a connection for each push. Breaks R0.35 (P6).
    case connectionPerPush = "connection-per-push"
    /// Signs a provider token for each push. Breaks R0.33 (P1).
    case signsPerPush = "signs-per-push"
    /// Writes `aps.timestamp` in milliseconds. Breaks R0.16 (P16, G6).
    case millisecondTimestamps = "millisecond-timestamps"
    /// Lets a throttled update land after the end. Breaks R0.10 (G11).
    case updateAfterEnd = "update-after-end"
    /// Raises an ordinary alert for progress and start. Breaks R0.3.
    case alertsOnProgress = "alerts-on-progress"
    /// Starts an activity again on each event until its token registers. Breaks R0.15 (G9).
    case startsAgain = "starts-again"
    /// Keeps one activity per session, so that a second phone displaces the first. Breaks R0.21.
    case displacesSecondPhone = "displaces-second-phone"
    /// Deletes a token for any 4xx. Breaks R0.23 (G1).
    case prunesOnAnyRefusal = "prunes-on-any-refusal"
    /// Deletes whatever a late unregister may have meant. Breaks R0.20.
    case obeysLateUnregister = "obeys-late-unregister"

    /// The claim of the OpenCode system that this defect breaks first.
    package var claim: String {
        switch self {
        case .keepsDeadTokens, .retriesAfter410: "R0.22"
        case .dropsTrailingEdge: "R0.8"
        case .ignoresThrottle: "R0.7"
        case .sharesThrottle: "R0.9"
        case .connectionPerPush: "R0.35"
        case .signsPerPush: "R0.33"
        case .millisecondTimestamps: "R0.16"
        case .updateAfterEnd: "R0.10"
        case .alertsOnProgress: "R0.3"
        case .startsAgain: "R0.15"
        case .displacesSecondPhone: "R0.21"
        case .prunesOnAnyRefusal: "R0.23"
        case .obeysLateUnregister: "R0.20"
        }
    }
}

// Which limit a peer has broken: counted for the one who runs the server, and told to the peer where it can be told.

import HTTP2

/// Kinds of refusals, as the statistics and /metrics name them.
package enum Refusal: Int, CaseIterable, Sendable {
    // Of whole connections, before or without a request
    case connections, handshakes, handshakeTime, idleTime
    // Of slow peers
    case headTime, requestTime, unreadAnswers
    // Of what is too large
    case heldBytes, headerLists, headerBlocks, continuations, badRequests
    // Of frames that come too often
    case resets, settings, pings, shortData, windowUpdates, otherFrames

    /// For statistics and metrics.
    package var word: StaticString {
        switch self {
        case .connections: "connections"
        case .handshakes: "handshakes"
        case .handshakeTime: "handshake-time"
        case .idleTime: "idle-time"
        case .headTime: "head-time"
        case .requestTime: "request-time"
        case .unreadAnswers: "unread-answers"
        case .heldBytes: "held-bytes"
        case .headerLists: "header-lists"
        case .headerBlocks: "header-blocks"
        case .continuations: "continuations"
        case .badRequests: "bad-requests"
        case .resets: "resets"
        case .settings: "settings"
        case .pings: "pings"
        case .shortData: "short-data"
        case .windowUpdates: "window-updates"
        case .otherFrames: "other-frames"
        }
    }

    init(_ offence: HTTP2Offence) {
        self =
            switch offence {
            case .resets: .resets
            case .settings: .settings
            case .pings: .pings
            case .shortData: .shortData
            case .windowUpdates: .windowUpdates
            case .otherFrames: .otherFrames
            case .headerLists: .headerLists
            case .continuations: .continuations
            case .headerBlocks: .headerBlocks
            }
    }

    /// The debug data of the GOAWAY that tells it.
    /// Why a request could not be read, in words; nil: this is about no single request.
    func unreadText(_ limits: ServerLimits) -> String? {
        switch self {
        case .headerLists: "a header list of more than \(limits.maxHeaderListBytes) bytes"
        case .headerBlocks, .continuations: text(limits)
        case .badRequests: "a malformed request"
        default: nil
        }
    }

    func text(_ limits: ServerLimits) -> String {
        func often(_ what: String, _ rate: HTTP2Rate) -> String {
            "too many \(what): \(rate.burst) at once and \(rate.perSecond) a second are accepted"
        }
        let rates = limits.rates
        return switch self {
        case .resets: often("reset streams", rates.resets)
        case .settings: often("SETTINGS frames", rates.settings)
        case .pings: often("PING frames", rates.pings)
        case .shortData: often("empty or very short DATA frames", rates.shortData)
        case .windowUpdates: often("WINDOW_UPDATE frames", rates.windowUpdates)
        case .otherFrames: often("PRIORITY, GOAWAY or unknown frames", rates.otherFrames)
        case .headerLists:
            often("header lists over \(limits.maxHeaderListBytes) bytes", rates.headerLists)
        case .headerBlocks: "a header block of more than \(limits.maxHeaderBlockBytes) bytes"
        case .continuations: "a header block of more than \(limits.maxContinuations) CONTINUATION frames"
        case .headTime: "the request's head took longer than \(limits.headTimeout)"
        case .requestTime: "a request took longer than \(limits.requestTimeout)"
        case .unreadAnswers: "answers were left unread for \(limits.answerTimeout)"
        case .heldBytes: "more unfinished requests and unread answers than there is memory for"
        case .connections, .handshakes, .handshakeTime, .idleTime, .badRequests: "\(word)"
        }
    }
}

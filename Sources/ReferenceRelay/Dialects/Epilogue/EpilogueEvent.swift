// What a call says of a session: what has changed, in the words of the app's `updateContent`, and nothing else. A relay
// keeps what is left out; `null` takes a text away.

import Basics

struct EpilogueEvent: EventContent {
    var type: EventType
    /// When it came, in Unix seconds: the session's time counts from the first.
    var at: Int64
    var eventID: String?
    /// The alert of a start.
    var title: String?
    var body: String?
    /// The attribute of a start, in seconds since 2001; nil: the relay's own clock.
    var startTime: Double?
    /// Nil within: none any more; nil: as before.
    var bookTitle: String??
    var coverAccentHex: String??
    var nudgeMessage: String??
    var nudgeIcon: String??
    var capturedCount: Int64?
    var pagesRead: Int64?
    var isListening: Bool?
    var lastTranscript: String?

    func state(after latest: (any StateContent)?) -> any StateContent {
        var state = latest as? EpilogueState ?? EpilogueState()
        if type == .start, latest == nil { state.startedAt = startTime.map { Int64($0) + ReferenceDate.seconds } }
        state.startedAt = state.startedAt ?? at
        state.eventID = eventID
        if let bookTitle { state.bookTitle = bookTitle }
        if let coverAccentHex { state.coverAccentHex = coverAccentHex }
        if let nudgeMessage { state.nudgeMessage = nudgeMessage }
        if let nudgeIcon { state.nudgeIcon = nudgeIcon }
        if let capturedCount { state.capturedCount = max(state.capturedCount, capturedCount) }
        if let pagesRead { state.pagesRead = pagesRead }
        if let lastTranscript { state.lastTranscript = lastTranscript }
        if let isListening { state.isListening = isListening }
        // The last figures, and no longer listening (R4.16).
        if type.isFinal { state.isListening = false }
        return state
    }
}

/// The keys of the content-state but one: the session's time is that of the push (R4.5).
struct EpilogueState: StateContent {
    var eventID: String?
    /// The session's beginning in Unix seconds.
    var startedAt: Int64?
    var bookTitle: String?
    var coverAccentHex: String?
    var nudgeMessage: String?
    var nudgeIcon: String?
    var capturedCount: Int64 = 0
    var pagesRead: Int64 = 0
    var isListening = true
    var lastTranscript = ""
    /// It is the last that an old card shows, when another has taken its place.
    var isReplaced = false
    /// Defect `starts-stale`.
    var staleAt: Int64?

    init(eventID: String? = nil, startedAt: Int64? = nil) {
        self.eventID = eventID
        self.startedAt = startedAt
    }

    init?(stored: JSONValue) {
        guard let capturedCount = stored["capturedCount"]?.int, let pagesRead = stored["pagesRead"]?.int,
            let isListening = stored["isListening"]?.bool, let lastTranscript = stored["lastTranscript"]?.string
        else { return nil }
        eventID = stored["eventID"]?.string
        startedAt = stored["startedAt"]?.int
        bookTitle = stored["bookTitle"]?.string
        coverAccentHex = stored["coverAccentHex"]?.string
        nudgeMessage = stored["nudgeMessage"]?.string
        nudgeIcon = stored["nudgeIcon"]?.string
        self.capturedCount = capturedCount
        self.pagesRead = pagesRead
        self.isListening = isListening
        self.lastTranscript = lastTranscript
    }

    var stored: JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return [
            "eventID": text(eventID), "startedAt": startedAt.map { .integer($0) } ?? .null, "bookTitle": text(bookTitle),
            "coverAccentHex": text(coverAccentHex), "nudgeMessage": text(nudgeMessage), "nudgeIcon": text(nudgeIcon),
            "capturedCount": .integer(capturedCount), "pagesRead": .integer(pagesRead), "isListening": .bool(isListening),
            "lastTranscript": .string(lastTranscript),
        ]
    }

    var marker: Substring { (eventID ?? "")[...] }

    var altered: any StateContent {
        var copy = self
        copy.capturedCount += 1
        return copy
    }
}

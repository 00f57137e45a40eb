// What an event of opencode-ios says: what has changed, and nothing else (docs/reference-relay.md). A relay keeps what an
// event leaves out; the app's own wrapper puts 0, 0 and no file in its place (R2.8).
//
//     { "secret": …, "serverID": …, "eventType": "start" | "progress" | "background" | "complete" | "error",
//       "sessionID": …, "eventID": …, "title": …, "body": …,
//       "sessionType": "Build Process", "startTime": 795312000.0,
//       "contentState": { "status": …, "progress": …, "currentFile": … | null, "operationCount": … } }
//
// Required are secret, eventType and sessionID. `eventID` comes back beside `aps` in each push that shows the event.
// `sessionType` and `startTime` (seconds since 2001; the relay's own clock without it) are attributes of a start, `title`
// and `body` its alert. A start and a complete say all by their kind: what they show does not depend on `contentState`.

import Basics

struct OpenCodeIOSEvent: EventContent {
    static let statusMax = 64
    static let types: Set<EventType> = [.start, .progress, .background, .complete, .error]

    var type: EventType
    var serverID: String?
    var eventID: String?
    var title: String?
    var body: String?
    var sessionType: String
    /// Seconds since 2001.
    var startTime: Double?
    var status: String?
    var progress: Double?
    /// Nil within: no file any more; nil: as before.
    var currentFile: String??
    var operationCount: Int64?
    /// Of no concern to an honest relay.
    var wait: Wait?
    let defects: Set<Defect>

    private func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    func state(after latest: (any StateContent)?) -> any StateContent {
        var state = latest as? OpenCodeIOSState ?? OpenCodeIOSState()
        state.eventID = eventID
        switch type {
        case .start:
            let former = state.operationCount
            state = OpenCodeIOSState(eventID: eventID)
            if has(.countsOnInNextTurn) { state.operationCount = former }
            if has(.startsActive) { state.status = "Active" }
        case .complete: finish(&state)
        case .error:
            merge(into: &state)
            state.status = "Error"
            if has(.hidesError) { finish(&state) }
        case .background:
            merge(into: &state)
            if has(.forgetsBackground) { state.statusInFront = state.status }
            state.status = "Running in background"
        case .progress, .permission, .message, .clearing: merge(into: &state)
        }
        return state
    }

    /// What was left out stays (R2.8), and nothing falls (R2.9).
    private func merge(into state: inout OpenCodeIOSState) {
        if has(.resetsOmitted) {
            state = OpenCodeIOSState(eventID: eventID, status: status ?? state.status)
        }
        if let status = status ?? state.statusInFront { state.status = status }
        state.statusInFront = nil
        if let progress { state.progress = letsFall ? progress : max(state.progress, progress) }
        if let currentFile { state.currentFile = currentFile ?? (keepsFile ? state.currentFile : nil) }
        if let operationCount { state.operationCount = max(state.operationCount, operationCount) }
    }

    func waiting(_ wait: Wait) -> any EventContent {
        var event = self
        event.wait = wait
        return event
    }

    private var letsFall: Bool { has(.lowersProgress) || wait == .throttled && has(.lowersThrottledProgress) }

    private var keepsFile: Bool {
        has(.keepsClearedFile) || wait == .throttled && has(.keepsFileWhileThrottled)
            || wait == .held && has(.keepsFileWhileHeld)
    }

    private func finish(_ state: inout OpenCodeIOSState) {
        state.status = "Completed"
        state.progress = 1
        state.currentFile = nil
        if has(.resetsCountAtEnd) { state.operationCount = 0 }
    }
}

/// The five keys of the content-state. The emoji follows from the status.
struct OpenCodeIOSState: StateContent {
    var eventID: String?
    var status = "Initializing"
    /// 0…1.
    var progress = 0.0
    var currentFile: String?
    var operationCount: Int64 = 0
    /// Defect `forgets-background`: the status of before.
    var statusInFront: String?

    init(eventID: String? = nil, status: String = "Initializing") {
        self.eventID = eventID
        self.status = status
    }

    init?(stored: JSONValue) {
        guard let status = stored["status"]?.string, let progress = stored["progress"]?.double,
            let operationCount = stored["operationCount"]?.int
        else { return nil }
        eventID = stored["eventID"]?.string
        self.status = status
        self.progress = progress
        currentFile = stored["currentFile"]?.string
        self.operationCount = operationCount
    }

    var stored: JSONValue {
        [
            "eventID": eventID.map { .string($0) } ?? .null, "status": .string(status), "progress": .number(progress),
            "currentFile": currentFile.map { .string($0) } ?? .null, "operationCount": .integer(operationCount),
        ]
    }

    var marker: Substring { (eventID ?? "")[...] }

    var altered: any StateContent {
        var copy = self
        copy.status = "Processing"
        return copy
    }

    /// The sheet fixes the rocket, the check mark and, for what has none of its own, the laptop (R2.1, R2.2, R2.10).
    var emoji: String {
        switch status {
        case "Initializing": "🚀"
        case "Active": "⚡"
        case "Processing": "⚙️"
        case "Syncing": "🔄"
        case "Generating Code": "✨"
        case "Building": "🔨"
        case "Completing": "🏁"
        case "Completed": "✅"
        case "Error": "❌"
        default: "💻"
        }
    }
}

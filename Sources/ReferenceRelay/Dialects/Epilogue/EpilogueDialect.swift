// Epilogue by push: sessions of many hours, whose activities a server replaces before the system ends them
// (claims R4). The app has no server; what one would be asked, and would send, is decided here.

import Basics

struct EpilogueDialect: Dialect {
    typealias Said = EpilogueEvent
    typealias Shown = EpilogueState

    static let attributesType = "AmbientActivityAttributes"
    /// Of a transcript, in UTF-16 units (R4.15).
    static let transcriptMax = 200
    private static let textMax = 120
    /// How long the card of an ended session stays (R4.16).
    private static let farewell: Int64 = 5

    let defects: Set<Defect>

    private func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    /// Without alerts; a start is asked for, what has no token is told so, and old activities are replaced.
    var policy: DialectPolicy {
        DialectPolicy(
            startsOnRequestOnly: true, repeatsRefusedStart: true, holdsWithoutStart: true, refusesWithoutToken: true,
            mergesStates: true,
            ageing: .replaces(ReplacementPolicy()))
    }

    var routes: [Route] { EpilogueTransport.routes(has(.countsFromFirstLife) ? FirstLives() : nil) }

    func content(stored: JSONValue) -> (any StateContent)? { EpilogueState(stored: stored) }

    /// Not asked for: old activities are replaced.
    func timedOut(after latest: (any StateContent)?) -> any StateContent { replaced(latest) }

    func replaced(_ latest: (any StateContent)?) -> any StateContent {
        var state = latest as? EpilogueState ?? EpilogueState()
        state.isReplaced = true
        return state
    }

    // MARK: - What goes out

    func start(_ state: SessionState, sessionID: String, stamp: Int64, alert event: RelayEvent) -> [UInt8] {
        let said = said(by: event)
        return start(
            state, stamp: stamp, title: said.title, body: said.body ?? "The session begins.", startTime: said.startTime)
    }

    /// The attributes are the new activity's own: its age counts from here (R4.12). The session's time is in the state.
    func replacement(_ state: SessionState, sessionID: String, stamp: Int64) -> [UInt8] {
        let full = shown(in: state)
        var shown = full
        if has(.losesStateAtRestart) { shown = EpilogueState(eventID: full.eventID, startedAt: full.startedAt) }
        if has(.dropsNudgeAtRestart) {
            shown.isListening = true
            shown.nudgeMessage = nil
            shown.nudgeIcon = nil
        }
        if has(.restartsDuration) { shown.startedAt = stamp }
        if has(.startsStale) { shown.staleAt = stamp - 60 }
        let renewed = SessionState(eventType: .start, content: shown, sequence: state.sequence)
        return start(renewed, stamp: stamp, title: shown.bookTitle, body: "The session goes on.", startTime: nil)
    }

    private func start(_ state: SessionState, stamp: Int64, title: String?, body: String, startTime: Double?) -> [UInt8] {
        fitted { share in
            var json = opening("start", state, stamp: stamp, share: share)
            json.raw(",\"attributes-type\":")
            json.string(Self.attributesType)
            json.raw(",\"attributes\":{\"startTime\":")
            let time = startTime ?? Double(stamp - ReferenceDate.seconds)
            json.value(.number(has(.unixStartTime) ? time + Double(ReferenceDate.seconds) : time))
            json.raw("}")
            if let staleAt = shown(in: state).staleAt {
                json.raw(",\"stale-date\":")
                json.integer(staleAt)
            }
            json.raw(",\"input-push-token\":1,\"alert\":{\"title\":")
            json.string(shortened(title ?? "Epilogue", to: Self.textMax / share))
            json.raw(",\"body\":")
            json.string(shortened(body, to: Self.textMax / share))
            json.raw("}")
            close(&json, state)
            return json.bytes
        }
    }

    /// A card that was replaced goes at once, that of a session that is over after five seconds.
    func update(_ state: SessionState, stamp: Int64) -> [UInt8] {
        fitted { share in
            var json = opening(state.isFinal ? "end" : "update", state, stamp: stamp, share: share)
            if state.isFinal, let stay = stay(state) {
                json.raw(",\"dismissal-date\":")
                json.integer(stamp + stay)
            }
            close(&json, state)
            return json.bytes
        }
    }

    private func fitted(_ write: (_ share: Int) -> [UInt8]) -> [UInt8] {
        has(.uncutTranscripts) ? write(1) : JSONBytes.fitted { write($0) }
    }

    /// In seconds; nil: as long as the system lets it.
    private func stay(_ state: SessionState) -> Int64? {
        if shown(in: state).isReplaced { return has(.leavesReplacedCard) ? nil : 0 }
        return has(.leavesFinalCard) ? nil : Self.farewell
    }

    private func opening(_ event: StaticString, _ state: SessionState, stamp: Int64, share: Int) -> JSONBytes {
        let shown = shown(in: state)
        var json = JSONBytes.activity(event, stamp: stamp)
        json.raw("{\"sessionDuration\":")
        let duration = max(0, stamp - (shown.startedAt ?? stamp))
        json.integer(has(.freezesDuration) ? min(duration, 25_000) : duration)
        json.raw(",\"capturedCount\":")
        json.integer(shown.capturedCount)
        json.raw(shown.isListening ? ",\"isListening\":true" : ",\"isListening\":false")
        json.raw(",\"lastTranscript\":")
        let text = shown.lastTranscript
        json.string(has(.uncutTranscripts) ? text : shortened(text, to: Self.transcriptMax / share))
        json.raw(",\"pagesRead\":")
        json.integer(shown.pagesRead)
        // What is not there is not shown: a nudge that is over, for one.
        optional(shown.bookTitle, ",\"bookTitle\":", share, &json)
        optional(shown.coverAccentHex, ",\"coverAccentHex\":", share, &json)
        optional(shown.nudgeMessage, ",\"nudgeMessage\":", share, &json)
        optional(shown.nudgeIcon, ",\"nudgeIcon\":", share, &json)
        json.raw("}")
        return json
    }

    private func optional(_ text: String?, _ key: StaticString, _ share: Int, _ json: inout JSONBytes) {
        guard let text else { return }
        json.raw(key)
        json.string(shortened(text, to: Self.transcriptMax / share))
    }

    /// The ids of a push stand beside `aps`, where the app reads them and the card does not.
    private func close(_ json: inout JSONBytes, _ state: SessionState) {
        json.raw("}")
        if let eventID = shown(in: state).eventID {
            json.raw(",\"eventID\":")
            json.string(eventID)
        }
        json.raw("}")
    }
}

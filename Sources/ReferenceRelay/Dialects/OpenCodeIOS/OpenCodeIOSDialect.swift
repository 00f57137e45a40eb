// opencode-ios by push: OpenCode's transport with the schemas of an app that knew no push (claims R2).

import Basics

struct OpenCodeIOSDialect: Dialect {
    typealias Said = OpenCodeIOSEvent
    typealias Shown = OpenCodeIOSState

    /// Of a payload in bytes: APNs takes so many, and not one more. A path has the room that the rest leaves (R2.15).
    static let payloadMax = 4_096
    static let textMax = 120

    let defects: Set<Defect>

    private func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    /// Without alerts; a start is asked for, and what has no token is told so.
    var policy: DialectPolicy {
        DialectPolicy(
            startsOnRequestOnly: true, repeatsRefusedStart: !has(.failedStartCounts), refusesWithoutToken: true,
            mergesStates: true)
    }

    var routes: [Route] { openCodeRoutes(event: event) }

    func content(stored: JSONValue) -> (any StateContent)? { OpenCodeIOSState(stored: stored) }

    func timedOut(after latest: (any StateContent)?) -> any StateContent {
        var state = latest as? OpenCodeIOSState ?? OpenCodeIOSState()
        state.eventID = nil
        state.status = "Error"
        return state
    }

    // MARK: - What comes in

    func event(_ body: Span<UInt8>) throws(InvalidBody) -> RelayEvent {
        let fields = try RequestFields(body)
        guard let type = EventType(rawValue: try fields.text("eventType")), OpenCodeIOSEvent.types.contains(type) else {
            throw InvalidBody()
        }
        var event = OpenCodeIOSEvent(
            type: type, serverID: try fields.optionalID("serverID"), eventID: try fields.optionalID("eventID"),
            title: try fields.optionalText("title"), body: try fields.optionalText("body"),
            sessionType: try fields.optionalID("sessionType") ?? "Coding Session",
            startTime: try fields.referenceTime("startTime"), defects: defects)
        if let state = fields.object["contentState"] {
            guard case .object(let members) = state else { throw InvalidBody() }
            try read(RequestFields(members), into: &event)
        }
        return RelayEvent(
            secret: try fields.secret(), type: type, sessionID: try fields.id("sessionID"), content: event)
    }

    private func read(_ state: RequestFields, into event: inout OpenCodeIOSEvent) throws(InvalidBody) {
        event.status = try state.string("status", 1...OpenCodeIOSEvent.statusMax)
        event.progress = try state.number("progress", 0...1)
        event.currentFile = try state.clearable("currentFile")
        event.operationCount = try state.count("operationCount")
    }

    // MARK: - What goes out

    func start(_ state: SessionState, sessionID: String, stamp: Int64, alert event: RelayEvent) -> [UInt8] {
        let said = said(by: event)
        return fitted(state) { share, file in
            var json = opening("start", state, stamp: stamp, file: file)
            json.raw(",\"attributes-type\":\"SessionActivityAttributes\",\"attributes\":{\"sessionID\":")
            json.string(sessionID)
            json.raw(",\"sessionType\":")
            json.string(said.sessionType)
            json.raw(",\"startTime\":")
            if has(.isoStartTime) {
                json.string(WallTime(milliseconds: stamp * 1_000).iso8601)
            } else {
                json.value(.number(began(said, stamp: stamp)))
            }
            json.raw("},\"input-push-token\":1,\"alert\":{\"title\":")
            json.string(shortened(said.title ?? said.sessionType, to: Self.textMax / share))
            json.raw(",\"body\":")
            json.string(shortened(said.body ?? "The session begins.", to: Self.textMax / share))
            json.raw("}")
            close(&json, state)
            return json.bytes
        }
    }

    /// An end has no dismissal date: the card may stay for up to four hours (R2.2).
    func update(_ state: SessionState, stamp: Int64) -> [UInt8] {
        fitted(state) { _, file in
            var json = opening(state.isFinal ? "end" : "update", state, stamp: stamp, file: file)
            if state.isFinal, has(.dismissesAtOnce) {
                json.raw(",\"dismissal-date\":")
                json.integer(stamp)
            }
            close(&json, state)
            return json.bytes
        }
    }

    /// In seconds since 2001, by the event or by our clock.
    private func began(_ said: OpenCodeIOSEvent, stamp: Int64) -> Double {
        if let told = said.startTime { return has(.redatesStart) ? max(0, told - Double(ReferenceDate.seconds)) : told }
        return Double(stamp - ReferenceDate.seconds) - (has(.misdatesStart) ? 365 * 86_400 : 0)
    }

    private func opening(_ event: StaticString, _ state: SessionState, stamp: Int64, file: String?) -> JSONBytes {
        let shown = shown(in: state)
        var json = JSONBytes.activity(event, stamp: stamp)
        json.raw("{\"status\":")
        json.string(shown.status)
        json.raw(",\"progress\":")
        json.value(.number(shown.progress))
        json.raw(",\"currentFile\":")
        if let file {
            json.string(file)
        } else {
            json.raw("null")
        }
        json.raw(",\"operationCount\":")
        json.integer(shown.operationCount)
        json.raw(",\"statusEmoji\":")
        json.string(has(.manglesEmoji) ? Self.mangled(shown.emoji) : shown.emoji)
        json.raw("}")
        return json
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

    /// A payload that is as large as may be, where the path is too long for it.
    private func fitted(_ state: SessionState, _ write: (_ share: Int, _ file: String?) -> [UInt8]) -> [UInt8] {
        let file = shown(in: state).currentFile
        if has(.uncutPaths) { return write(1, file) }
        let limit = Self.payloadMax + (has(.cutsOneOver) ? 1 : 0)
        return JSONBytes.fitted(within: limit) { share in
            let whole = write(share, file)
            guard let file, whole.count > limit else { return whole }
            return write(share, JSONBytes.beginning(of: file, bytes: limit - write(share, "").count))
        }
    }

    /// UTF-8 that somebody read as Latin-1.
    private static func mangled(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 { result.unicodeScalars.append(Unicode.Scalar(byte)) }
        return result
    }
}

// The endpoints of Epilogue's server, as a working one needs them (docs/reference-relay.md), in the words of the app's manager
// and of servers that do the same:
//
//     POST /v1/register-device    { secret, deviceToken, pushToStartToken?, bundleId?, apnsEnv? }
//     POST /v1/start-session      { secret, sessionID, eventID?, startTime?, title?, body?, content… }
//     POST /v1/register-activity  { secret, sessionID, activityToken, deviceToken?, startTime?, bundleId?, apnsEnv? }
//     POST /v1/update-content     { secret, sessionID, eventID?, content… }
//     POST /v1/end-session        { secret, sessionID, eventID?, content… }
//     GET  /health
//
// content…: any of bookTitle, capturedCount, isListening, lastTranscript, pagesRead, coverAccentHex, nudgeMessage, nudgeIcon.
// A call that sets a nudge asks for the user's attention and is not coalesced. `startTime` is in seconds since 2001, that of
// `register-activity` the attribute of the activity that is registered. `eventID` comes back beside `aps` in each push that
// shows the event.

import Basics

enum EpilogueTransport {
    /// `lives`: of the defect alone.
    static func routes(_ lives: FirstLives?) -> [Route] {
        func call(_ path: String, _ type: EventType) -> Route {
            .event(path) { body, wall throws(InvalidBody) in try event(type, body, at: wall, lives) }
        }
        return [
            .registerDevice("/v1/register-device"),
            call("/v1/start-session", .start),
            .registerActivity("/v1/register-activity", activity),
            call("/v1/update-content", .progress),
            call("/v1/end-session", .complete),
            .health,
        ]
    }

    // MARK: - Bodies

    static func activity(_ body: Span<UInt8>) throws(InvalidBody) -> ActivityRegistration {
        var registration = try Requests.registerActivity(body)
        if let time = try RequestFields(body).referenceTime("startTime") {
            registration.bornAt = WallTime(seconds: ReferenceDate.seconds) + .seconds(time)
        }
        return registration
    }

    static func event(
        _ type: EventType, _ body: Span<UInt8>, at wall: WallTime, _ lives: FirstLives? = nil
    ) throws(InvalidBody) -> RelayEvent {
        let fields = try RequestFields(body)
        let (secret, sessionID) = (try fields.secret(), try fields.id("sessionID"))
        let at = lives?.beginning(of: sessionID, secret, now: wall.seconds) ?? wall.seconds
        var event = EpilogueEvent(type: type, at: at, eventID: try fields.optionalID("eventID"))
        event.title = try fields.optionalText("title")
        event.body = try fields.optionalText("body")
        event.startTime = try fields.referenceTime("startTime")
        event.bookTitle = try fields.clearable("bookTitle")
        event.coverAccentHex = try fields.clearable("coverAccentHex")
        event.nudgeMessage = try fields.clearable("nudgeMessage")
        event.nudgeIcon = try fields.clearable("nudgeIcon")
        event.capturedCount = try fields.count("capturedCount")
        event.pagesRead = try fields.count("pagesRead")
        event.lastTranscript = try fields.string("lastTranscript")
        event.isListening = try fields.flag("isListening")
        if type == .progress, event.nudgeMessage.flatMap({ $0 }) != nil { event.type = .permission }
        return RelayEvent(
            secret: secret, type: event.type, sessionID: sessionID, content: event)
    }
}

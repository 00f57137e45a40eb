// OpenCode's relay of alerts and Live Activities (claims R0).

import Basics

struct OpenCodeDialect: Dialect {
    typealias Said = OpenCodeEvent
    typealias Shown = OpenCodeState

    let payloads: PayloadWriter

    init(variant: ActivityVariant, defects: Set<Defect>) {
        payloads = PayloadWriter(variant: variant, defects: defects)
    }

    /// The events that the plan had before it knew of activities raise an ordinary alert, and only those (R0.2, R0.3).
    var policy: DialectPolicy { DialectPolicy(alerting: [.complete, .permission, .error]) }

    var routes: [Route] { openCodeRoutes(event: event) }

    /// Defect `takes-any-secret`: one that is no text is somebody's.
    private func event(_ body: Span<UInt8>) throws(InvalidBody) -> RelayEvent {
        guard payloads.defects.contains(.takesAnySecret), var object = try? RequestFields(body).object,
            let secret = object["secret"], secret.string == nil
        else { return try Requests.event(body) }
        object["secret"] = .string(RelayCore.anybody)
        return try Requests.event(JSONValue.object(object).encoded().span)
    }

    func reply(to ticket: EventTicket) -> Reply {
        payloads.defects.contains(.leavesOutCounts) ? done : Replies.event(sent: ticket.sent, failed: ticket.failed)
    }

    func content(stored: JSONValue) -> (any StateContent)? { OpenCodeState(stored: stored) }

    func timedOut(after latest: (any StateContent)?) -> any StateContent {
        let title = (latest as? OpenCodeState)?.title ?? "Session"
        return OpenCodeState(status: .error, title: title, message: "Timed out after 8 hours.")
    }

    func alert(_ event: RelayEvent) -> [UInt8] { payloads.alert(said(by: event)) }

    func start(_ state: SessionState, sessionID: String, stamp: Int64, alert event: RelayEvent) -> [UInt8] {
        payloads.start(shown(in: state), sessionID: sessionID, stamp: stamp, alert: said(by: event))
    }

    func update(_ state: SessionState, stamp: Int64) -> [UInt8] {
        payloads.update(shown(in: state), isFinal: state.isFinal, stamp: stamp)
    }
}

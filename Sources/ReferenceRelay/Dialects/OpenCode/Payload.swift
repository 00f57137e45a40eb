// The bodies of OpenCode's relay that go to APNs.

import Basics

struct PayloadWriter {
    /// The plan's bound for `lastMessage`, in UTF-16 units: of all ways to count characters the one that counts most.
    static let messageMax = 120
    /// The bound of a title in Unicode scalars, as a JSON schema counts; what fits is left as it came.
    static let titleMax = 200
    static let alertBodyMax = 500

    let variant: ActivityVariant
    let defects: Set<Defect>

    init(variant: ActivityVariant, defects: Set<Defect> = []) {
        self.variant = variant
        self.defects = defects
    }

    private func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    func alert(_ event: OpenCodeEvent) -> [UInt8] {
        fitted { share in
            var json = JSONBytes()
            json.raw("{\"aps\":{\"alert\":{\"title\":")
            json.string(title(event.alertTitle, share))
            json.raw(",\"body\":")
            json.string(cut(event.alertBody, to: Self.alertBodyMax / share))
            json.raw(has(.mutesAlerts) ? "}}" : "},\"sound\":\"alert.wav\"}")
            if let serverID = event.serverID {
                json.raw(",\"serverID\":")
                json.string(serverID)
            }
            json.raw(",\"eventType\":")
            json.string(event.type.rawValue)
            json.raw(",\"sessionID\":")
            json.string(event.sessionID)
            json.raw("}")
            return json.bytes
        }
    }

    /// The push-to-start body. `input-push-token` makes the phone mint an update token (R0.17).
    func start(_ state: OpenCodeState, sessionID: String, stamp: Int64, alert event: OpenCodeEvent) -> [UInt8] {
        let state = has(.startsAsking) ? OpenCodeState(status: .permission, title: state.title, message: state.message) : state
        return fitted { share in
            var json = opening("start", state, stamp: stamp, share: share)
            if !has(.startWithoutAttributes) { attributes(sessionID, into: &json) }
            if !has(.startWithoutInputToken) { json.raw(",\"input-push-token\":1") }
            if !has(.startWithoutAlert) {
                json.raw(",\"alert\":{\"title\":")
                json.string(title(event.alertTitle, share))
                json.raw(",\"body\":")
                json.string(cut(event.alertBody, to: Self.messageMax / share))
                json.raw("}")
            }
            json.raw("}}")
            return json.bytes
        }
    }

    /// An update, or the end for a final state (R0.4).
    func update(_ state: OpenCodeState, isFinal: Bool, stamp: Int64) -> [UInt8] {
        fitted { share in
            let isEnd = isFinal && !has(.endsWithUpdate)
            var json = opening(isEnd ? "end" : "update", state, stamp: stamp, share: share)
            if has(.loudProgress), state.status == .working {
                json.raw(",\"alert\":{\"title\":\"Working\"}")
            }
            json.raw("}}")
            return json.bytes
        }
    }

    private func opening(_ event: StaticString, _ state: OpenCodeState, stamp: Int64, share: Int) -> JSONBytes {
        var json = JSONBytes.activity(event, stamp: has(.millisecondTimestamps) ? stamp * 1_000 : stamp)
        if variant == .widget || has(.wrapsState) {
            var inner = JSONBytes()
            contentState(state, share: share, into: &inner)
            json.raw("{\"name\":\"SessionActivity\",\"props\":")
            json.string(String(decoding: inner.bytes, as: UTF8.self))
            json.raw("}")
        } else {
            contentState(state, share: share, into: &json)
        }
        return json
    }

    private func attributes(_ sessionID: String, into json: inout JSONBytes) {
        json.raw(",\"attributes-type\":")
        switch variant {
        case .plan:
            json.raw("\"SessionActivityAttributes\",\"attributes\":{\"sessionId\":")
            json.string(sessionID)
        case .widget:
            json.raw("\"LiveActivityAttributes\",\"attributes\":{\"url\":")
            json.string("/session/" + sessionID)
        }
        json.raw("}")
    }

    /// Always all four keys (R0.5): iOS drops a state from which one is missing.
    private func contentState(_ state: OpenCodeState, share: Int, into json: inout JSONBytes) {
        json.raw("{\"status\":")
        let isHidden = has(.hidesQuestions) && state.status == .permission
        json.string(isHidden ? ActivityStatus.working.rawValue : state.status.rawValue)
        json.raw(has(.wrongCaseKeys) ? ",\"sessiontitle\":" : ",\"sessionTitle\":")
        json.string(title(state.title, share))
        json.raw(",\"lastMessage\":")
        json.string(cut(state.message, to: Self.messageMax / share))
        json.raw(",\"retryInfo\":")
        if let retryInfo = state.retryInfo, !has(.losesRetryInfo) {
            json.string(cut(retryInfo, to: Self.messageMax / share))
        } else {
            json.raw("null")
        }
        if has(.addsStateKey) { json.raw(",\"updatedBy\":\"relay\"") }
        json.raw("}")
    }

    private func title(_ text: String, _ share: Int) -> String {
        guard has(.oversizedPayloads) else {
            return shortened(text, to: Self.titleMax / share) { $0.unicodeScalars.count }
        }
        guard text.unicodeScalars.count > Self.titleMax else { return text }
        return String(repeating: text, count: JSONBytes.payloadMax / text.utf8.count + 1)
    }

    private func cut(_ text: String, to limit: Int) -> String {
        has(.oversizedPayloads) ? text : shortened(text, to: limit)
    }

    private func fitted(_ write: (_ share: Int) -> [UInt8]) -> [UInt8] {
        has(.oversizedPayloads) ? write(1) : JSONBytes.fitted { write($0) }
    }
}

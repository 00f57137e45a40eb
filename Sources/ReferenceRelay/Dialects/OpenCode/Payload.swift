// The bodies that go to APNs (spec/relays.md §1.3 and §1.4). Every text is cut so that the whole stays below 4096
// bytes, whatever characters it is made of.

import Basics

/// Writes JSON without spaces into an array of bytes.
struct JSONBytes {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func integer(_ value: Int64) { bytes.append(contentsOf: String(value).utf8) }

    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): raw("\\n")
            case 0..<32:
                raw("\\u00")
                for nibble in [byte >> 4, byte & 15] { bytes.append(nibble < 10 ? 48 + nibble : 87 + nibble) }
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

struct PayloadWriter {
    /// APNs refuses more (413).
    static let bytesMax = 4_095
    /// The plan's bound for `lastMessage`, in UTF-16 units: of all ways to count characters the one that counts most.
    static let messageMax = 120
    static let titleMax = 200
    static let alertBodyMax = 500

    let variant: ActivityVariant
    /// Stamps are seconds; the defect `millisecond-timestamps` has 1000 here.
    let stampFactor: Int64

    func alert(_ event: RelayEvent) -> [UInt8] {
        fitted { share in
            var json = JSONBytes()
            json.raw("{\"aps\":{\"alert\":{\"title\":")
            json.string(shortened(event.alertTitle, to: Self.titleMax / share))
            json.raw(",\"body\":")
            json.string(shortened(event.alertBody, to: Self.alertBodyMax / share))
            json.raw("},\"sound\":\"alert.wav\"}")
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
    func start(_ state: SessionState, sessionID: String, stamp: Int64, alert event: RelayEvent) -> [UInt8] {
        fitted { share in
            var json = opening("start", state, stamp: stamp, share: share)
            json.raw(",\"attributes-type\":")
            switch variant {
            case .plan:
                json.raw("\"SessionActivityAttributes\",\"attributes\":{\"sessionId\":")
                json.string(sessionID)
            case .widget:
                json.raw("\"LiveActivityAttributes\",\"attributes\":{\"url\":")
                json.string("/session/" + sessionID)
            }
            json.raw("},\"input-push-token\":1,\"alert\":{\"title\":")
            json.string(shortened(event.alertTitle, to: Self.titleMax / share))
            json.raw(",\"body\":")
            json.string(shortened(event.alertBody, to: Self.messageMax / share))
            json.raw("}}}")
            return json.bytes
        }
    }

    /// An update, or the end for a final state (R0.4).
    func update(_ state: SessionState, stamp: Int64, asUpdate: Bool = false) -> [UInt8] {
        fitted { share in
            var json = opening(state.isFinal && !asUpdate ? "end" : "update", state, stamp: stamp, share: share)
            json.raw("}}")
            return json.bytes
        }
    }

    private func opening(_ event: StaticString, _ state: SessionState, stamp: Int64, share: Int) -> JSONBytes {
        var json = JSONBytes()
        json.raw("{\"aps\":{\"timestamp\":")
        json.integer(stamp * stampFactor)
        json.raw(",\"event\":\"")
        json.raw(event)
        json.raw("\",\"content-state\":")
        switch variant {
        case .plan: contentState(state, share: share, into: &json)
        case .widget:
            var inner = JSONBytes()
            contentState(state, share: share, into: &inner)
            json.raw("{\"name\":\"SessionActivity\",\"props\":")
            json.string(String(decoding: inner.bytes, as: UTF8.self))
            json.raw("}")
        }
        return json
    }

    /// Always all four keys (R0.5): iOS drops a state from which one is missing.
    private func contentState(_ state: SessionState, share: Int, into json: inout JSONBytes) {
        json.raw("{\"status\":")
        json.string(state.status.rawValue)
        json.raw(",\"sessionTitle\":")
        json.string(shortened(state.title, to: Self.titleMax / share))
        json.raw(",\"lastMessage\":")
        json.string(shortened(state.message, to: Self.messageMax / share))
        json.raw(",\"retryInfo\":")
        if let retryInfo = state.retryInfo {
            json.string(shortened(retryInfo, to: Self.messageMax / share))
        } else {
            json.raw("null")
        }
        json.raw("}")
    }

    /// Gives the texts half the room until the whole fits. Ids alone are too short to fill it.
    private func fitted(_ write: (_ share: Int) -> [UInt8]) -> [UInt8] {
        var share = 1
        while true {
            let bytes = write(share)
            if bytes.count <= Self.bytesMax || share > Self.alertBodyMax { return bytes }
            share *= 2
        }
    }
}

/// At most `limit` UTF-16 units, whole characters only, with an ellipsis where something was cut.
func shortened(_ text: String, to limit: Int) -> String {
    if text.utf8.count <= limit || text.utf16.count <= limit { return text }
    guard limit > 0 else { return "" }
    var kept = ""
    var units = 1
    for character in text {
        units += character.utf16.count
        guard units <= limit else { break }
        kept.append(character)
    }
    return kept + "…"
}

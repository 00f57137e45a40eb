// A journal entry of a push as the admin API shows it. Tokens stand in full: whoever may ask may read the journal. A
// payload that is JSON is copied as it came, not taken apart and written anew: a page may hold ten thousand.

import Basics
import Devices
import Faults
import Journal
import Pushes

extension PushEntry {
    /// Appends the entry as JSON. Shape: docs/openapi.yaml, `Push`.
    func write(
        to text: inout [UInt8], faults: FaultScript, late: LateOutcomes, reasons: OutcomeReasons, scanner: JSONScanner
    ) {
        var object = facts(faults, late)
        object["outcomeReason"] = reasons[id].map { .string($0.words) } ?? .null
        if !payload.isEmpty, scanner.scan(payload.span) == nil {
            text += JSONValue.object(object).encoded().dropLast()
            text += Self.payloadMember
            text += payload
            text.append(UInt8(ascii: "}"))
        } else {
            object["payload"] = .null
            object["payloadBase64"] = .string(Base64.encode(payload.span))
            text += JSONValue.object(object).encoded()
        }
    }

    /// The id that the client gave, and that the answer echoed.
    private var clientID: String? {
        kind == .push ? header("apns-id") : header("apns-request-id") ?? header("apns-id")
    }

    private static let payloadMember = Array(#","payload":"#.utf8)

    private func facts(_ faults: FaultScript, _ late: LateOutcomes) -> JSONObject {
        var fields = JSONObject()
        for (name, value) in headers {
            if let earlier = fields[name]?.string {
                fields[name] = .string(earlier + ", " + value)
            } else {
                fields[name] = .string(value)
            }
        }
        return [
            "id": .integer(Int64(id)),
            "arrivedAt": .string(arrivedWall.iso8601),
            "provider": .string(provider.word.description),
            "kind": .string(kind.word.description),
            "environment": .string(environment.word.description),
            "connection": .integer(Int64(connection)),
            "stream": .integer(Int64(stream)),
            "token": kind == .push ? .string(token) : .null,
            "channel": kind == .push ? .null : header("apns-channel-id").map(JSONValue.string) ?? .null,
            "topic": (kind == .push ? topic : bundle).map(JSONValue.string) ?? .null,
            "pushType": pushType.map(JSONValue.string) ?? .null,
            "priority": priority.map { text in Int64(text).map(JSONValue.integer) ?? .string(text) } ?? .null,
            "apnsId": .string(clientID ?? apnsID.text(uppercase: true)),
            "status": status == 0 ? .null : .integer(Int64(status)),
            "reason": reason.map(JSONValue.string) ?? .null,
            "cause": credentialCause.map { .string("\($0.word)") } ?? .null,
            "causeText": credentialWords.map(JSONValue.string) ?? .null,
            "timestamp": timestampMilliseconds == 0 ? .null : .integer(timestampMilliseconds),
            "outcome": outcome.map { .string($0.word.description) } ?? .null,
            "lateOutcome": (outcome == .stored ? late[id] : nil).map { .string($0.word.description) } ?? .null,
            "warnings": .array(warningWords.map(JSONValue.string)),
            "fault": faultRule == 0 ? .null : .string(faults.id(of: faultRule) ?? "f\(faultRule)"),
            "faultAction": FaultAction.word(of: faultAction).map(JSONValue.string) ?? .null,
            "delayMilliseconds": .number(delay.milliseconds),
            "headers": .object(fields),
        ]
    }
}

// One push and one expectation, as small as the rules allow. Texts are numbers into the evidence's `Texts`.

package import Basics
import Metrics
package import Pushes

/// A push as the rules see it.
package struct ObservedPush: Hashable, Sendable {
    /// The journal's entry id.
    package var id: UInt64
    package var arrivedAt: Instant
    /// When the answer left: arrival plus the delay a fault asked for.
    package var answeredAt: Instant
    package var arrivedWall: WallTime
    package var connection: UInt64
    package var apnsID: UUIDBytes
    /// The `timestamp` in the answer's body (410), or 0.
    package var diedMilliseconds: Int64
    /// `aps.timestamp`, when it is an integer.
    package var timestamp: Int64?
    package var payloadHash: Int
    package var payloadCount: Int32
    package var token: Int32
    /// The `authorization` field, or -1.
    package var authorization: Int32
    package var reason: Int32
    package var outcome: Outcome?
    /// From the marker; -1 without one.
    package var session: Int64
    package var step: Int64
    package var status: UInt16
    package var environment: PushEnvironment
    package var kind: PushType
    package var event: ActivityEvent?
    /// 10 where the field is absent, as Apple reads it.
    package var priority: UInt8
    /// The relay chose `apnsID` itself.
    package var gaveAPNsID: Bool
    /// A scripted fault shaped the answer.
    package var metFault: Bool

    package var wasAccepted: Bool { status == 200 }
    package var hasMarker: Bool { session >= 0 }
}

/// What the plan expects of one step on one channel.
package struct ExpectedStep: Hashable, Sendable {
    package var session: UInt32
    package var step: UInt32
    package var kind: Int32
    package var token: Int32
    package var channel: PushType
    package var event: ActivityEvent?
    package var plannedAt: Instant
    package var isFinal: Bool
    /// A later state of the same activity may arrive instead.
    package var mayBeSuperseded: Bool
    /// The relay answered this step's call with 2xx.
    package var wasAcceptedByRelay: Bool
}

/// A step of a session, for use as a key.
struct StepKey: Hashable {
    var session: Int64
    var step: Int64
}

/// Interned texts: each distinct text once, known by its number.
struct Texts: Sendable {
    private var numbers: [String: Int32] = [:]
    private var list: [String] = []

    subscript(number: Int32) -> String { number < 0 ? "" : list[Int(number)] }

    func number(of text: String) -> Int32? { numbers[text] }

    mutating func intern(_ text: String) -> Int32 {
        if let known = numbers[text] { return known }
        let number = Int32(list.count)
        list.append(text)
        numbers[text] = number
        return number
    }
}

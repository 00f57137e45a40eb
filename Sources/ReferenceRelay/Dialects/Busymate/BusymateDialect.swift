// Busymate's database: rows are written over REST or by a tool, and each write of a message is broadcast and pushed to the
// cards of its device (claims R1). Apps begin and end their cards themselves, so there are only updates.

import Basics

struct BusymateDialect: Dialect {
    typealias Said = BusymateState
    typealias Shown = BusymateState

    /// Of a payload in bytes: APNs takes so many, and not one more. A note has the room that the rest leaves (R1.24).
    static let payloadMax = 4_096

    let defects: Set<Defect>
    private let desk: BusymateDesk

    init(defects: Set<Defect>) {
        self.defects = defects
        desk = BusymateDesk(defects: defects)
    }

    private func has(_ defect: Defect) -> Bool { defects.contains(defect) }

    /// No alerts, no starts, and one push for each write (R1.1, R1.3).
    var policy: DialectPolicy {
        DialectPolicy(startsOnRequestOnly: true, tellsEachState: true, ageing: .unwatched)
    }

    var routes: [Route] { desk.routes }

    func begin(_ relay: RelayService) throws { try desk.begin(relay) }

    func refusal(_ reason: Refusal) -> Reply { RowError(reason).reply }

    func content(stored: JSONValue) -> (any StateContent)? { BusymateState(stored: stored) }

    func timedOut(after latest: (any StateContent)?) -> any StateContent { latest ?? BusymateState(mode: .off) }

    // MARK: - What goes out

    /// Nothing is started by push.
    func start(_ state: SessionState, sessionID: String, stamp: Int64, alert event: RelayEvent) -> [UInt8] { [] }

    func alert(_ event: RelayEvent) -> [UInt8] {
        var json = JSONBytes()
        json.raw("{\"aps\":{\"alert\":{\"body\":")
        json.string(shortened(said(by: event).note ?? "No message", to: 120))
        json.raw("}}}")
        return json.bytes
    }

    func update(_ state: SessionState, stamp: Int64) -> [UInt8] {
        let shown = shown(in: state)
        let whole = payload(shown, note: shown.note, stamp: stamp)
        guard let note = shown.note, whole.count > Self.payloadMax, !has(.uncutNotes) else { return whole }
        let room = Self.payloadMax - payload(shown, note: "", stamp: stamp).count
        return payload(shown, note: JSONBytes.beginning(of: note, bytes: room), stamp: stamp)
    }

    /// The rate of requests is the device's own: a push cannot know it (R1.10).
    private func payload(_ shown: BusymateState, note: String?, stamp: Int64) -> [UInt8] {
        var json = JSONBytes.activity("update", stamp: stamp)
        json.raw("{\"mode\":")
        json.string(shown.mode.rawValue)
        json.raw(has(.guessesRate) ? ",\"requestsPerSec\":2.5" : ",\"requestsPerSec\":0")
        json.raw(",\"note\":")
        if let note {
            json.string(note)
        } else {
            json.raw(has(.pushesEmptyNote) ? "\"\"" : "null")
        }
        if has(.tellsWhoWrote) { json.raw(",\"updatedBy\":\"dashboard\"") }
        json.raw(has(.loudMessages) ? "},\"alert\":{\"title\":\"A message\"}}}" : "}}}")
        return json.bytes
    }
}

// Journal entries as frames of an event stream (WHATWG HTML §9.2): `event:` and one line of `data:`.

import Basics
import Devices
import Faults
import Journal
import Pushes

/// Gathers the frames of one read for listeners who want the same kinds.
struct EventFrames {
    private let kinds: EventKinds
    private(set) var bytes: [UInt8] = []
    /// Tokens of activities that the entries may have changed. Each is told of once, as it is behind all of them.
    private var touched: Set<String> = []
    private(set) var requests = 0

    init(kinds: EventKinds) { self.kinds = kinds }

    mutating func add(_ push: PushEntry, _ shared: MockShared, _ scanner: JSONScanner) {
        requests += 1
        if push.event != nil, push.kind == .push { touched.insert(push.token.lowercased()) }
        guard kinds.contains(.push) else { return }
        append(.push) {
            push.write(to: &$0, faults: shared.faults, late: shared.late, reasons: shared.reasons, scanner: scanner)
        }
    }

    /// `clock`: what `GET /v1/clock` answers.
    mutating func add(_ note: NoteEntry, _ shared: MockShared, clock: () -> [UInt8]) {
        switch note.kind {
        case .outcome:
            guard let late = note.lateOutcome else { return }
            append(.outcome, ["push": .integer(Int64(late.push)), "outcome": .string(late.outcome.word.description)])
        case .rule:
            guard let id = facts(note)["id"]?.string else { return }
            fault("set", id, shared.faults.status(of: id))
        case .phone:
            let facts = facts(note)
            if facts["phone"] != nil, facts["kind"] != nil { append(.phone, facts) }
        case .admin: addAct(facts(note), clock)
        default: break
        }
    }

    private mutating func addAct(_ facts: JSONObject, _ clock: () -> [UInt8]) {
        guard let act = facts["act"]?.string.flatMap(AdminAct.init) else { return }
        switch act {
        case .removeFault: fault("removed", facts["id"]?.string, nil)
        case .removeFaults: fault("removed", nil, nil)
        case .setToken: token("set", facts)
        case .removeToken: token("removed", facts)
        case .setClock: append(.clock) { $0 += clock() }
        case .reset: append(.reset, JSONObject())
        case .setPhone: phone("set", facts)
        case .changePhone: phone("changed", facts)
        case .removePhone: phone("removed", facts)
        }
    }

    /// A rule was set, removed, or has fired; `status` nil: it is gone, and `id` nil: all are.
    mutating func fault(_ change: String, _ id: String?, _ status: FaultRuleStatus?) {
        append(
            .fault,
            ["change": .string(change), "id": id.map(JSONValue.string) ?? .null, "fault": status?.json ?? .null])
    }

    private mutating func token(_ change: String, _ facts: JSONObject) {
        guard let token = facts["token"]?.string else { return }
        var record = facts
        record["act"] = nil
        touched.insert(token)
        append(
            .token,
            [
                "change": .string(change), "token": .string(token),
                "record": facts["kind"] == nil ? .null : .object(record),
            ])
    }

    private mutating func phone(_ change: String, _ facts: JSONObject) {
        append(.phone, ["kind": .string(change), "phone": facts["phone"] ?? .null])
    }

    /// What the activities are now that the entries spoke of.
    mutating func addTouched(_ shared: MockShared) {
        guard kinds.contains(.activity) else { return }
        let now = shared.clock.wall()
        for token in touched {
            guard let record = shared.devices.activity(token: token, now: now) else { continue }
            append(.activity) { $0 += record.json.encoded() }
        }
        touched = []
    }

    /// `requests` were passed over; they stand in the journal behind that cursor.
    mutating func addGap(requests: Int, since cursor: JournalCursor) {
        let facts: JSONValue = ["pushes": .integer(Int64(requests)), "since": .string(cursor.text)]
        bytes += "event: gap\ndata: ".utf8
        bytes += facts.encoded()
        bytes += "\n\n".utf8
    }

    /// From here a client that comes back goes on. A frame without data is no event, but its id is remembered.
    mutating func addPosition(_ cursor: JournalCursor) {
        bytes += "id: ".utf8
        bytes += cursor.text.utf8
        bytes += "\n\n".utf8
    }

    private func facts(_ note: NoteEntry) -> JSONObject {
        (try? JSONValue(parsing: note.text))?.object ?? JSONObject()
    }

    private mutating func append(_ kind: EventKind, _ object: JSONObject) {
        append(kind) { $0 += JSONValue.object(object).encoded() }
    }

    private mutating func append(_ kind: EventKind, _ data: (inout [UInt8]) -> Void) {
        guard kinds.contains(kind) else { return }
        bytes += "event: ".utf8
        bytes += kind.word.description.utf8
        bytes += "\ndata: ".utf8
        let start = bytes.count
        data(&bytes)
        // A payload stands as it came. In JSON a line end is a blank; here it would end the line of data.
        for place in start..<bytes.count where bytes[place] == 0x0A || bytes[place] == 0x0D { bytes[place] = 0x20 }
        bytes += "\n\n".utf8
    }
}

/// Acts of the admin API that are told of, as the journal words them.
enum AdminAct: String {
    case removeFault = "remove fault"
    case removeFaults = "remove faults"
    case setToken = "set token"
    case removeToken = "remove token"
    case setClock = "set clock"
    case reset
    case setPhone = "set phone"
    case changePhone = "change phone"
    case removePhone = "remove phone"
}

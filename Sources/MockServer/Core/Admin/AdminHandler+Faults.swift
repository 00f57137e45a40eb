// Fault rules through the admin API.

import Basics
import EventLoop
import Faults

extension AdminHandler {
    func listFaults() -> AdminAnswer {
        shared.faults.removeExpired(now: loop.moment)
        return AdminAnswer(["faults": .array(shared.faults.rules.map(\.json))])
    }

    func fault(_ id: String) throws(AdminError) -> AdminAnswer {
        AdminAnswer(try status(of: id))
    }

    func addFault(_ request: AdminRequest) throws(AdminError) -> AdminAnswer {
        let json = try request.json()
        let rule: FaultRule
        do { rule = try FaultRule(json: json) } catch {
            let place = error.pointer.isEmpty ? "" : error.pointer + ": "
            throw AdminError(400, "bad-rule", place + error.message, hint: error.hint)
        }
        guard rule.id.utf8.count <= 64, rule.id.utf8.allSatisfy(Self.isIdentifierByte) else {
            throw AdminError(
                400, "bad-rule", "/id: '\(rule.id)' cannot stand in a path",
                hint: "use at most 64 letters, digits, '-', '_' and '.', or give no id")
        }
        let id = shared.faults.add(rule, now: loop.moment)
        note("add fault", ["id": .string(id)])
        note(rule: id)
        return AdminAnswer(try status(of: id), status: 201, location: "/v1/faults/" + id)
    }

    func removeFault(_ id: String) throws(AdminError) -> AdminAnswer {
        guard shared.faults.remove(id: id) else { throw noFault(id) }
        note("remove fault", ["id": .string(id)])
        return .done
    }

    func removeFaults() -> AdminAnswer {
        shared.faults.removeAll()
        note("remove faults")
        return .done
    }

    private static func isIdentifierByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 45, 46, 48...57, 65...90, 95, 97...122: true
        default: false
        }
    }

    private func status(of id: String) throws(AdminError) -> JSONValue {
        shared.faults.removeExpired(now: loop.moment)
        guard let status = shared.faults.rules.first(where: { $0.rule.id == id }) else { throw noFault(id) }
        return status.json
    }

    private func noFault(_ id: String) -> AdminError {
        AdminError(404, "no-such-fault", "there is no rule '\(id)'", hint: "GET /v1/faults lists the rules there are")
    }
}

extension FaultRuleStatus {
    /// The rule as it was given, its id first, and how it fared.
    var json: JSONValue {
        var object: JSONObject = ["id": .string(rule.id)]
        for (key, value) in rule.json.object ?? JSONObject() where key != "id" { object[key] = value }
        object["fired"] = .integer(Int64(fired))
        object["matched"] = .integer(Int64(matched))
        if rule.cure != nil { object["healed"] = .integer(Int64(healed)) }
        return .object(object)
    }
}

// Writing and reading messages. People and services write any row, devices none; a device reads its own, the others all
// (R1.13, R1.14). One statement writes all of its rows, or none (R1.18, R1.25).

import Basics

extension BusymateDesk {
    func postMessages(_ relay: RelayService, _ request: RowRequest) throws -> Reply {
        try checkWriter(request)
        let rows = try request.rows()
        if has(.pushesBeforeCommit) {
            for row in rows { try insert([try message(row)], request, relay) }
        } else {
            let last = try tables.lastRequest()
            try insert(try rows.map(message), request, relay)
            if has(.pushesFirstOfStatement) {
                let others = try tables.requests(after: last, atMost: 1_000).dropFirst()
                for request in others { try tables.removeRequest(request.id) }
            }
        }
        return try request.reply(201) { try tables.messages(of: rows.map { try $0.device(of: Self.messages) }) }
    }

    private func insert(_ rows: [BusymateTables.Message], _ request: RowRequest, _ relay: RelayService) throws {
        if let conflict = try tables.insert(rows, merges: request.mergesDuplicates, now: relay.moment.wall) {
            throw RowError.duplicate(Self.messages, "device_uuid", conflict.text)
        }
        try forgetIdle(rows.map(\.device), relay)
        queue.wake(relay)
    }

    func patchMessages(_ relay: RelayService, _ request: RowRequest) throws -> Reply {
        try checkWriter(request)
        let devices = try request.devices()
        guard let row = try request.rows().first, let message = row["message"]?.string else {
            throw RowError.missing("message", of: Self.messages)
        }
        let last = try tables.lastRequest()
        try tables.update(devices, to: message, by: row["updated_by"]?.string, now: relay.moment.wall)
        try forgetRequests(after: last, because: .pushesInsertsOnly)
        queue.wake(relay)
        return try request.reply(request.wantsRows ? 200 : 204) { try tables.messages(of: devices) }
    }

    func getMessages(_ relay: RelayService, _ request: RowRequest) throws -> Reply {
        let rows = try tables.messages(of: try request.devices())
        return request.reply(200) { rows.filter { isShown($0, to: request.caller) } }
    }

    private func isShown(_ row: JSONObject, to caller: Caller) -> Bool {
        if caller.role == .human, has(.hidesRowsFromPeople) { return false }
        if has(.showsAllRows) { return true }
        return caller.reads(row["device_uuid"]?.string ?? "")
    }

    private func checkWriter(_ request: RowRequest) throws(RowError) {
        guard request.caller.role != .device || has(.letsDevicesWrite) else { throw .denied(Self.messages) }
        // A trigger that does not know where to post to takes the write with it.
        if has(.failsWhenCold), ((try? tables.config()) ?? nil) == nil { throw .failed }
    }

    private func message(_ row: JSONObject) throws(RowError) -> BusymateTables.Message {
        let device = try row.device(of: Self.messages)
        guard let message = row["message"]?.string else { throw .missing("message", of: Self.messages) }
        return BusymateTables.Message(device: device, message: message, writer: row["updated_by"]?.string)
    }

    /// Defect `forgets-idle-messages`; what is due for the write is asked for by then.
    func forgetIdle(_ devices: [DeviceID], _ relay: RelayService) throws {
        guard has(.forgetsIdleMessages) else { return }
        for device in devices.map(\.text) {
            let account = relay.core.registry.accounts[PushQueue.secret(of: device)]
            if account?.sessions[device]?.lanes.isEmpty ?? true { try tables.forgetMessage(of: device) }
        }
    }

    /// Defects `pushes-inserts-only` and `pushes-no-tool-calls`.
    func forgetRequests(after last: Int64, because defect: Defect) throws {
        guard has(defect) else { return }
        for request in try tables.requests(after: last, atMost: PushQueue.batch) { try tables.removeRequest(request.id) }
    }
}

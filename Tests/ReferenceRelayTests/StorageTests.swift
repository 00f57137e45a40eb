import Basics
import Glibc
import Pushes
import SQLite
import Testing

@testable import ReferenceRelay

@Suite struct StorageTests {
    private func withFile(_ body: (String) throws -> Void) rethrows {
        var name = Array("/tmp/pushrig-relay-XXXXXX".utf8CString)
        close(mkstemp(&name))
        let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
        try body(path)
    }

    private let when = WallTime(milliseconds: 1_760_000_000_123)

    private func device(_ id: Int64, start: String? = nil) -> DeviceRow {
        DeviceRow(
            id: id, secret: Rig.secret, token: "d\(id)", bundleID: "com.x", environment: .sandbox,
            claimedEnvironment: .production, startToken: start, createdAt: when, updatedAt: when)
    }

    private func activity(_ id: Int64) -> ActivityRow {
        ActivityRow(
            id: id, secret: Rig.secret, sessionID: "s\(id)", token: "a\(id)", bundleID: "com.x", environment: .sandbox,
            createdAt: when, updatedAt: when)
    }

    private func start(_ device: Int64) -> StartRow {
        StartRow(secret: Rig.secret, sessionID: "s1", deviceID: device, token: "p\(device)", createdAt: when, number: 3, out: 2)
    }

    private func replaced(_ token: String, session: String = "s1") -> ReplacedRow {
        ReplacedRow(secret: Rig.secret, sessionID: session, token: token)
    }

    private func dead(_ token: String, bornAt: WallTime? = nil) -> DeadRow {
        DeadRow(secret: Rig.secret, sessionID: "s1", token: token, bornAt: bornAt)
    }

    private func delivery(_ number: Int) -> RowChange {
        .log(
            DeliveryRow(
                secret: Rig.secret, eventType: "complete", sessionID: "s\(number)", isSent: false,
                error: "410 Unregistered", createdAt: when))
    }

    private func waiting(_ id: String, isStart: Bool = false) -> WaitingRow {
        WaitingRow(
            apnsID: id, secret: Rig.secret, deviceID: 3, sessionID: "s1", eventType: .permission, isStart: isStart,
            payload: #"{"aps":{}}"#)
    }

    @Test func whatWasFlushedIsThereForTheNextProcess() throws {
        try withFile { path in
            do {
                let storage = try Storage(path: path, deliveryRowsMax: 100)
                storage.append([
                    .saveDevice(device(1)), .saveDevice(device(2)), .saveDevice(device(1, start: "p1")),
                    .deleteDevice(2),
                    .saveActivity(activity(1)), .saveActivity(activity(2)), .deleteActivity(1),
                    .saveStart(start(1)), .saveStart(start(2)), .saveStart(start(3)),
                    .deleteStarts(Rig.secret, sessionID: "s1", deviceID: 2), delivery(1),
                    .saveReplaced(replaced("a1")), .saveReplaced(replaced("a2")), .saveReplaced(replaced("a1", session: "s2")),
                    .deleteReplaced(Rig.secret, sessionID: "s2"),
                    .saveDead(dead("b2")), .saveDead(dead("b1", bornAt: when)), .saveDead(dead("b3")),
                    .deleteDead(Rig.secret, sessionID: "s1", token: "b3"),
                    .saveWaiting(waiting("w1")), .saveWaiting(waiting("w2", isStart: true)), .saveWaiting(waiting("w3")),
                    .deleteWaiting("w1"),
                ])
                try storage.flush()
                // Not flushed: lost, as after a kill.
                storage.append([.saveDevice(device(9))])
            }
            let again = try Storage(path: path, deliveryRowsMax: 100)
            let rows = try again.load()
            #expect(rows.devices == [device(1, start: "p1")])
            #expect(rows.activities == [activity(2)])
            #expect(rows.starts == [start(1), start(3)])
            #expect(rows.replaced == [replaced("a1"), replaced("a2")])
            #expect(rows.dead == [dead("b2"), dead("b1", bornAt: when)])
            #expect(rows.waiting == [waiting("w2", isStart: true), waiting("w3")])
            #expect(again.deliveries == 1)
            again.append([.deleteStarts(Rig.secret, sessionID: "s1", deviceID: nil)])
            try again.flush()
            #expect(try again.load().starts.isEmpty)
        }
    }

    @Test func logRowsAloneWaitForCompany() throws {
        let storage = try Storage(path: ":memory:", deliveryRowsMax: 100)
        storage.append([delivery(1)])
        try storage.flush()
        #expect(try storage.newestDeliveries(10).isEmpty)
        #expect(storage.deliveries == 1)
        storage.append([.saveDevice(device(1))])
        try storage.flush()
        #expect(try storage.newestDeliveries(10).map(\.sessionID) == ["s1"])
        storage.append([delivery(2)])
        try storage.flush()
        #expect(try storage.newestDeliveries(10).map(\.sessionID) == ["s1"])
        try storage.flush(force: true)
        #expect(try storage.newestDeliveries(10).map(\.sessionID) == ["s2", "s1"])
    }

    @Test func theLogIsBounded() throws {
        let storage = try Storage(path: ":memory:", deliveryRowsMax: 500)
        storage.append((1...4_000).map { delivery($0) })
        try storage.flush()
        let select = try storage.database.prepare("SELECT count(*) FROM delivery_log")
        #expect(try select.step())
        #expect(select.integer(0) == 500)
        #expect(storage.deliveries == 4_000)
        #expect(try storage.newestDeliveries(2).map(\.sessionID) == ["s4000", "s3999"])
    }

    @Test func aFailedFlushKeepsRegistrationsForTheNextTime() throws {
        let storage = try Storage(path: ":memory:", deliveryRowsMax: 500)
        try storage.database.execute("ALTER TABLE delivery_log RENAME TO hidden")
        storage.append([.saveDevice(device(1)), delivery(1)])
        #expect(throws: Failure.self) { try storage.flush() }
        #expect(try storage.load().devices.isEmpty)
        try storage.flush()
        #expect(try storage.load().devices == [device(1)])
    }

    @Test func aDatabaseOfSomebodyElseIsLeftAlone() throws {
        try withFile { path in
            do {
                let database = try Database(path: path)
                try database.execute("CREATE TABLE precious (x)")
            }
            #expect { try Storage(path: path, deliveryRowsMax: 10) } throws: { ($0 as? Failure)?.kind == .usage }
        }
    }

    @Test func theDashboardShowsEndsOfTokensAndEscapesTheRest() throws {
        let devices = [
            DashboardDevice(
                secret: Rig.secret.hex, token: "abcdefabcdefabcdef0123456789", bundleID: "<script>",
                environment: "sandbox", updatedAt: when)
        ]
        let page = Dashboard.page(devices: devices, deliveries: [])
        #expect(page.contains("…23456789"))
        #expect(!page.contains("abcdefabcdef"))
        #expect(!page.contains(Rig.secret.hex))
        #expect(page.contains("&lt;script&gt;") && !page.contains("<script>"))
    }
}

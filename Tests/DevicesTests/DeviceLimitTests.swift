// Devices that need an entry, of which there are only so many: tokens come, move, are replaced and go.

import APNs
import Basics
import Devices
import Pushes
import Testing

@Suite struct DeviceLimitTests {
    private let tokens = ["aa", "bb", "cc"].map { String(repeating: $0, count: 32) }

    private func phone(limit: Int) -> Phone {
        let phone = Phone { $0.deviceLimit = limit }
        phone.token = tokens[0]
        return phone
    }

    private func move(_ phone: Phone, _ token: String, to device: String?, _ connection: Connection? = nil) -> Bool {
        var record = TokenRecord(token: token)
        record.device = device
        record.connection = connection
        return phone.fleet.set(record, now: phone.time.wall())
    }

    @Test("as many devices are kept as the setting says, wherever their keys fall")
    func exact() {
        let phone = phone(limit: 16)
        func fill() -> Int {
            (0..<100).filter { move(phone, String(repeating: "0", count: 60) + String($0 + 1000), to: nil, .offline) }.count
        }
        #expect(fill() == 16)
        phone.fleet.reset()
        #expect(fill() == 16)
    }

    @Test("a batch finds no place beyond the limit: its push is delivered at once")
    func batch() {
        let phone = Phone {
            $0.deviceLimit = 1
            $0.lowPriorityBatch = .seconds(60)
        }
        phone.priority = 5
        phone.token = tokens[0]
        #expect(phone.push(.alert) == .stored)
        phone.token = tokens[1]
        #expect(phone.push(.alert) == .stored)
        #expect(phone.displaced == [LateOutcome(push: 2, outcome: .shown)])
        phone.time.advance(by: .seconds(60))
        #expect(phone.late == [LateOutcome(push: 1, outcome: .shown)])
        #expect(phone.push(.alert) == .stored)
        #expect(phone.displaced.count == 1)
    }

    @Test("at the limit a device's last token takes its place along, from device to device, online or away")
    func moves() {
        let phone = phone(limit: 1)
        for (device, connection) in [
            ("phone-1", nil), ("phone-2", .offline), (nil, .offline), ("phone-3", .restricted), ("phone-4", nil),
            (nil, .restricted), (nil, .online), ("phone-5", nil),
        ] as [(String?, Connection?)] {
            #expect(move(phone, tokens[0], to: device, connection), "\(device ?? "-")")
            let record = phone.fleet.record(of: tokens[0])
            #expect(record?.device == device && record?.connection == connection ?? .online)
        }
        #expect(!move(phone, tokens[1], to: "phone-6"))
        #expect(phone.fleet.record(of: tokens[1]) == nil)
    }

    @Test("a move that needs a place more is refused, and nothing has changed")
    func refused() {
        let phone = phone(limit: 1)
        for token in tokens[..<2] { #expect(move(phone, token, to: "phone-1")) }
        for _ in 0..<2 {
            #expect(!move(phone, tokens[0], to: "phone-2") && !move(phone, tokens[0], to: nil, .offline))
        }
        #expect(phone.fleet.record(of: tokens[0])?.device == "phone-1")
        // To be a device of one's own that is online takes no place; the one who stays is then the last.
        #expect(move(phone, tokens[0], to: nil) && !move(phone, tokens[0], to: "phone-2"))
        #expect(move(phone, tokens[1], to: "phone-2") && move(phone, tokens[0], to: "phone-2"))
    }

    @Test("at the limit a token can be replaced: its successor is on the same device, which is still away")
    func replaced() {
        for device in [nil, "phone-1"] {
            let phone = phone(limit: 1)
            #expect(move(phone, tokens[0], to: device, .offline))
            #expect(phone.push(.alert) == .stored)
            for next in [1, 2, 0] {
                #expect(phone.fleet.replace(token: phone.token, by: tokens[next], now: phone.time.wall()))
                phone.token = tokens[next]
                #expect(phone.push(.alert) == .stored)
            }
            // The app has one place for a stored push, whatever its token is called.
            #expect(phone.displaced.map(\.push) == [1, 2, 3])
            phone.connect(.online)
            #expect(phone.late == [LateOutcome(push: 4, outcome: .shown)])
            #expect(!move(phone, String(repeating: "dd", count: 32), to: "phone-2") == (device != nil))
        }
    }

    @Test("what was stored for a token that is replaced does not reach its successor")
    func storedForFormer() {
        let phone = phone(limit: 1)
        #expect(move(phone, tokens[0], to: nil, .offline))
        #expect(phone.push(.alert) == .stored)
        #expect(phone.fleet.replace(token: tokens[0], by: tokens[1], now: phone.time.wall()))
        phone.token = tokens[1]
        #expect(phone.late.isEmpty)
        phone.connect(.online)
        #expect(phone.late == [LateOutcome(push: 1, outcome: .notDelivered)])
    }

    @Test("what is stored for a device moves along with its last token, and waits for the other device")
    func storedMoves() {
        let phone = phone(limit: 2)
        #expect(move(phone, tokens[0], to: "phone-1", .offline) && move(phone, tokens[1], to: "phone-2", .offline))
        #expect(phone.push(.alert) == .stored)
        phone.token = tokens[1]
        #expect(phone.push(.alert) == .stored)
        #expect(move(phone, tokens[0], to: "phone-2"))
        #expect(phone.late == [LateOutcome(push: 2, outcome: .superseded)])
        phone.connect(.online)
        #expect(phone.late == [LateOutcome(push: 1, outcome: .shown)])
    }

    @Test("a device whose last token is gone leaves its place to another, also one that is away")
    func places() {
        let phone = phone(limit: 1)
        for (device, connection) in [("phone-1", nil), ("phone-2", .offline), (nil, .offline)] as [(String?, Connection?)] {
            #expect(move(phone, tokens[0], to: device, connection))
            if connection == .offline { #expect(phone.push(.alert) == .stored) }
            #expect(!move(phone, tokens[1], to: "phone-9"))
            #expect(phone.fleet.remove(token: tokens[0]))
            #expect(phone.late.map(\.outcome) == (connection == .offline ? [.notDelivered] : []))
            #expect(move(phone, tokens[1], to: "phone-9") && phone.fleet.remove(token: tokens[1]))
        }
    }
}

// Devices that are away, what APNs stores for them, and what becomes of it (docs/apns.md §12).

import APNs
import Basics
import Devices
import Pushes
import Testing

@Suite struct StorageTests {
    let phone = Phone()

    private func offline(_ turn: (inout DeviceSettings) -> Void = { _ in }) -> Phone {
        let phone = Phone(turn)
        phone.set(.offline)
        return phone
    }

    @Test("a device that is online gets what is pushed; nothing is stored")
    func online() {
        phone.set(.online)
        #expect(phone.push(.alert) == .shown)
        #expect(phone.late.isEmpty)
    }

    @Test("no setting stops a device at the first push it stores", arguments: [Int64.min, 0, Int64.max])
    func extremes(expiration: Int64) {
        let phone = offline {
            $0.storageLimit = Interval(nanoseconds: .max)
            $0.lowPriorityBatch = Interval(nanoseconds: .max)
            $0.unregisteredDelay = Interval(nanoseconds: .max)
            $0.budgets.startWindow = Interval(nanoseconds: .max)
            $0.budgets.background = 1
        }
        phone.time.advance(by: Interval(nanoseconds: .max))
        (phone.expiration, phone.priority) = (expiration, 5)
        #expect(phone.push(.alert) == (expiration > 0 ? .stored : .discarded))
        phone.connect(.online)
        phone.priority = 10
        for _ in 0..<2 { _ = phone.push(.background) { $0.isContentAvailable = true } }
    }

    @Test("a push to a device that is away is stored, and shown when it is back; that is told once")
    func comesBack() {
        let phone = offline()
        #expect(phone.push(.alert) == .stored)
        #expect(phone.late.isEmpty)
        phone.connect(.online)
        #expect(phone.late == [LateOutcome(push: 1, outcome: .shown)])
        #expect(phone.late.isEmpty)
        #expect(phone.push(.alert) == .shown)
    }

    @Test("of an app one push is stored, the newest; the others are superseded")
    func oneSlot() {
        let phone = offline()
        for _ in 0..<3 { #expect(phone.push(.alert) == .stored) }
        #expect(phone.displaced.map(\.push) == [1, 2])
        #expect(phone.displaced.allSatisfy { $0.outcome == .superseded })
        phone.connect(.online)
        #expect(phone.late == [LateOutcome(push: 3, outcome: .shown)])
    }

    @Test("expiration 0, and one in the past, is one attempt: discarded, not stored", arguments: [0, 1] as [Int64])
    func oneAttempt(expiration: Int64) {
        let phone = offline()
        phone.expiration = expiration
        #expect(phone.push(.alert) == .discarded)
        phone.connect(.online)
        #expect(phone.late.isEmpty)
        #expect(phone.push(.alert) == .shown)
    }

    @Test("what expires this very second is one attempt too; what expires in the next is stored")
    func lastSecond() {
        for (ahead, outcome) in [(0, .discarded), (1, .stored)] as [(Int64, Outcome)] {
            let phone = offline()
            phone.expiration = phone.time.wall().seconds + ahead
            #expect(phone.push(.alert) == outcome)
        }
    }

    @Test("a stored push is kept until its expiration, and at most 30 days")
    func expires() {
        for (ahead, kept) in [(60, 60), (60 * 86_400, 30 * 86_400), (nil, 30 * 86_400)] as [(Int64?, Double)] {
            let phone = offline()
            phone.expiration = ahead.map { phone.time.wall().seconds + $0 }
            #expect(phone.push(.alert) == .stored)
            phone.time.advance(by: .seconds(kept - 1))
            #expect(phone.late.isEmpty)
            phone.time.advance(by: .seconds(1))
            #expect(phone.late == [LateOutcome(push: 1, outcome: .expired)])
            phone.connect(.online)
            #expect(phone.late.isEmpty)
        }
    }

    @Test("what was displaced after its time has expired, not been superseded")
    func displacedTooLate() {
        for (seconds, outcome) in [(9, .superseded), (10, .expired), (11, .expired)] as [(Double, Outcome)] {
            let phone = offline()
            phone.expiration = phone.time.wall().seconds + 10
            #expect(phone.push(.alert) == .stored)
            phone.time.advance(by: .seconds(seconds))
            phone.expiration = nil
            #expect(phone.push(.alert) == .stored)
            #expect(phone.displaced == [LateOutcome(push: 1, outcome: outcome)])
        }
    }

    @Test("an app that is gone by the time its device is back gets nothing: the stored push is discarded")
    func deadMeanwhile() {
        let phone = offline()
        #expect(phone.push(.alert) == .stored)
        var record = phone.fleet.record(of: phone.token)!
        record.state = .unregistered
        record.connection = .online
        phone.fleet.set(record, now: phone.time.wall())
        #expect(phone.late == [LateOutcome(push: 1, outcome: .notDelivered)])
    }

    @Test("tokens of one device share its connection and its one slot for the app; another app has its own")
    func shared() {
        let tokens = ["aa", "bb", "cc"].map { String(repeating: $0, count: 32) }
        for token in tokens {
            phone.token = token
            phone.set(device: "phone-1")
        }
        phone.connect(.offline)
        for token in tokens { #expect(phone.fleet.record(of: token)?.connection == .offline) }
        phone.token = tokens[0]
        #expect(phone.push(.alert) == .stored)
        phone.token = tokens[1]
        #expect(phone.activity(.update) == .stored)
        #expect(phone.displaced == [LateOutcome(push: 1, outcome: .superseded)])
        phone.token = tokens[2]
        #expect(phone.push(.voip) == .stored)
        #expect(phone.displaced.count == 2)
        phone.connect(.online)
        #expect(phone.late == [LateOutcome(push: 3, outcome: .handedOver)])
    }

    @Test("each app has a slot of its own, and what is in it expires by itself")
    func apps() {
        let start = phone.time.wall().seconds
        for (number, digits) in ["aa", "bb"].enumerated() {
            phone.token = String(repeating: digits, count: 32)
            phone.set(device: "phone-1", .offline)
            phone.expiration = start + Int64(number + 1) * 10
            #expect(phone.push(.alert, bundle: "com.example.app\(number)") == .stored)
        }
        #expect(phone.displaced.isEmpty)
        for push in 1...2 as ClosedRange<UInt64> {
            phone.time.advance(by: .seconds(10))
            #expect(phone.late == [LateOutcome(push: push, outcome: .expired)])
        }
    }

    @Test("a token that joins a device gets what was kept for a device of its own")
    func joins() {
        let phone = offline()
        #expect(phone.push(.alert) == .stored)
        phone.set(device: "phone-1")
        #expect(phone.late == [LateOutcome(push: 1, outcome: .shown)])
        #expect(phone.push(.alert) == .shown)
    }

    @Test("a reset forgets what became of pushes of before")
    func reset() {
        let phone = offline()
        #expect(phone.push(.alert) == .stored)
        phone.connect(.online)
        phone.fleet.reset()
        #expect(phone.late.isEmpty)
    }

    @Test("starts of several activities overwrite each other while the device is away; a setting keeps them apart")
    func starts() {
        for (slots, expected) in [(DeviceSettings.ActivitySlots.shared, 1), (.own, 3)] {
            let phone = Phone { $0.activitySlots = slots }
            phone.set(kind: .start, .offline)
            for _ in 0..<3 { #expect(phone.activity(.start) == .stored) }
            phone.connect(.online)
            let late = phone.late
            #expect(late.count == expected)
            #expect(late.allSatisfy { $0.outcome == .started })
        }
    }

    @Test("by that setting an activity has one slot")
    func ownSlots() {
        let phone = Phone { $0.activitySlots = .own }
        let tokens = ["aa", "bb"].map { String(repeating: $0, count: 32) }
        for token in tokens {
            phone.token = token
            phone.set(device: "phone-1", .offline)
            #expect(phone.activity(.update) == .stored)
        }
        #expect(phone.displaced.isEmpty)
        #expect(phone.activity(.end) == .stored)
        #expect(phone.displaced == [LateOutcome(push: 2, outcome: .superseded)])
        phone.connect(.online)
        #expect(phone.late.map(\.push) == [1, 3])
    }

    @Test("slots are bounded: of many starts with slots of their own the latest sixteen are kept")
    func bounded() {
        let phone = Phone { $0.activitySlots = .own }
        phone.set(kind: .start, .offline)
        for _ in 0..<20 { #expect(phone.activity(.start) == .stored) }
        #expect(phone.displaced.map(\.push) == [1, 2, 3, 4])
        phone.connect(.online)
        #expect(phone.late.map(\.push) == Array(5...20))
    }

    @Test("a stored update is judged when it arrives: the activity may have ended by then")
    func judgedLate() {
        #expect(phone.activity(.update) == .updated)
        phone.connect(.offline)
        #expect(phone.activity(.update) == .stored)
        phone.time.advance(by: .seconds(8 * 3600))
        phone.connect(.online)
        #expect(phone.late == [LateOutcome(push: 1, outcome: .ignoredEnded)])
    }

    @Test("a device low on power gets priority 10 at once, the rest when it has recovered; a setting stores all")
    func restricted() {
        phone.set(.restricted)
        #expect(phone.push(.alert) == .shown)
        phone.priority = 5
        #expect(phone.push(.alert) == .stored)
        phone.connect(.online)
        #expect(phone.late.map(\.outcome) == [.shown])
        let strict = Phone { $0.storedWhenRestricted = .all }
        strict.set(.restricted)
        #expect(strict.push(.alert) == .stored)
    }

    @Test("from offline to low on power only priority 10 is let through")
    func recovers() {
        let phone = offline()
        phone.priority = 5
        #expect(phone.push(.alert) == .stored)
        phone.connect(.restricted)
        #expect(phone.late.isEmpty)
        phone.connect(.online)
        #expect(phone.late.count == 1)
    }

    @Test("by a setting priorities 5 and 1 wait for the next batch, of which an app gets one; 10 does not wait")
    func batches() {
        let phone = Phone { $0.lowPriorityBatch = .seconds(60) }
        #expect(phone.push(.alert) == .shown)
        phone.priority = 5
        #expect(phone.push(.alert) == .stored)
        phone.priority = 1
        #expect(phone.push(.alert) == .stored)
        #expect(phone.displaced == [LateOutcome(push: 1, outcome: .superseded)])
        #expect(phone.late.isEmpty)
        phone.time.advance(by: .seconds(60))
        #expect(phone.late == [LateOutcome(push: 2, outcome: .shown)])
    }

    @Test("batches go by the clock: who comes late in one waits less")
    func batchTimes() {
        let phone = Phone { $0.lowPriorityBatch = .seconds(60) }
        phone.time.advance(by: .seconds(Double(110 - phone.time.wall().seconds % 60)))
        phone.priority = 5
        #expect(phone.push(.alert) == .stored)
        phone.time.advance(by: .seconds(9))
        #expect(phone.late.isEmpty)
        phone.time.advance(by: .seconds(1))
        #expect(phone.late == [LateOutcome(push: 1, outcome: .shown)])
    }

    @Test("a push whose device is back before it can be stored is delivered then")
    func raced() {
        phone.set(.offline)
        var facts = PushFacts(apnsID: UUIDBytes(high: 1, low: 1))
        facts.tokenHash = phone.hash
        facts.pushType = .alert
        facts.payload.isObject = true
        facts.payload.hasAlert = true
        let now = phone.time.wall()
        let late: LateOutcome? = withBytes(of: Phone.bundle) { topic in
            phone.connect(.online)
            return phone.fleet.store(facts, topic: topic, push: 7, now: now)
        }
        #expect(late == LateOutcome(push: 7, outcome: .shown))
    }

    @Test(
        "what is no name for a device is refused",
        arguments: ["", "a b", "ü", String(repeating: "x", count: 65)])
    func names(name: String) {
        var record = TokenRecord(token: phone.token)
        record.device = name
        #expect(!phone.fleet.set(record))
    }
}

// Budgets with which a device throttles while APNs answers 200 (docs/apns.md §5, §10, §12).

import APNs
import Basics
import Devices
import Pushes
import Testing

@Suite struct BudgetTests {
    @Test("without a setting nothing is throttled")
    func off() {
        let phone = Phone()
        for _ in 0..<100 { #expect(phone.push(.background) == .silent) }
    }

    @Test("three background pushes an hour: the fourth at once is throttled, one more goes each 20 minutes (§5)")
    func background() {
        let phone = Phone { $0.budgets.background = 3 }
        #expect((0..<4).map { _ in phone.push(.background) } == [.silent, .silent, .silent, .throttled])
        phone.time.advance(by: .seconds(1199))
        #expect(phone.push(.background) == .throttled)
        phone.time.advance(by: .seconds(1))
        #expect(phone.push(.background) == .silent)
        #expect(phone.push(.background) == .throttled)
        phone.time.advance(by: .seconds(3600))
        #expect((0..<4).map { _ in phone.push(.background) } == [.silent, .silent, .silent, .throttled])
    }

    @Test("forty reloads of widgets a day, one more each 36 minutes; a control's spend nothing (§4)")
    func widgets() {
        let phone = Phone { $0.budgets.widgets = 40 }
        for _ in 0..<40 { #expect(phone.push(.widgets) { $0.isContentChanged = true } == .reloaded) }
        #expect(phone.push(.widgets) { $0.isContentChanged = true } == .throttled)
        phone.time.advance(by: .seconds(36 * 60))
        #expect(phone.push(.widgets) { $0.isContentChanged = true } == .reloaded)
        let control = Phone { $0.budgets.widgets = 1 }
        for _ in 0..<5 { #expect(control.push(.controls) { $0.isContentChanged = true } == .reloaded) }
        #expect(control.push(.controls) == .nothingShown, "nothing changed")
    }

    @Test("an alert spends nothing")
    func alerts() {
        let phone = Phone { $0.budgets.background = 1 }
        for _ in 0..<10 { #expect(phone.push(.alert) == .shown) }
    }

    @Test("priority 10 spends a Live Activity budget, 5 does not; over budget the card keeps its state (§10)")
    func urgent() {
        let phone = Phone { $0.budgets.urgentActivity = 2 }
        #expect((0..<3).map { phone.activity(.update, ahead: $0) } == [.updated, .updated, .throttled])
        #expect(phone.record?.shown == 2)
        phone.priority = 5
        for ahead in 3..<20 { #expect(phone.activity(.update, ahead: Int64(ahead)) == .updated) }
        phone.priority = 10
        #expect(phone.activity(.update, ahead: 20) == .throttled)
        phone.time.advance(by: .seconds(1800))
        #expect(phone.activity(.update, ahead: 21) == .updated)
    }

    @Test("frequent updates raise that budget where the app asks for them (§10)")
    func frequent() {
        for (asks, expected) in [(true, 4), (false, 2)] {
            let phone = Phone {
                $0.budgets.urgentActivity = 2
                $0.budgets.frequentActivity = 4
            }
            phone.set(kind: .activity, frequent: asks)
            #expect((0..<5).map { phone.activity(.update, ahead: $0) }.filter { $0 == .updated }.count == expected)
        }
    }

    @Test("about ten starts in a short time, whatever their priority; frequent updates do not touch it (§10)")
    func starts() {
        let phone = Phone {
            $0.budgets.starts = 10
            $0.budgets.frequentActivity = 1000
        }
        phone.set(kind: .start, frequent: true)
        phone.priority = 5
        let outcomes = (0..<11).map { phone.activity(.start, ahead: $0) }
        #expect(outcomes.dropLast().allSatisfy { $0 == .started })
        #expect(outcomes.last == .throttled)
        phone.time.advance(by: .seconds(360))
        #expect(phone.activity(.start) == .started)
    }

    @Test("the time for which starts are counted is a setting")
    func startWindow() {
        let phone = Phone {
            $0.budgets.starts = 2
            $0.budgets.startWindow = .seconds(60)
        }
        phone.set(kind: .start)
        #expect((0..<3).map { phone.activity(.start, ahead: $0) } == [.started, .started, .throttled])
        phone.time.advance(by: .seconds(30))
        #expect(phone.activity(.start) == .started)
    }

    @Test("what was stored is paid for when it arrives")
    func late() {
        let phone = Phone { $0.budgets.background = 1 }
        #expect(phone.push(.background) == .silent)
        phone.connect(.offline)
        #expect(phone.push(.background) == .stored)
        phone.connect(.online)
        #expect(phone.late == [LateOutcome(push: 1, outcome: .throttled)])
    }

    private struct Purchase: Sendable {
        var turn: @Sendable (inout DeviceSettings) -> Void
        var kind: TokenKind
        var push: @Sendable (Phone) -> Outcome?

        init(
            _ turn: @escaping @Sendable (inout DeviceSettings) -> Void, _ kind: TokenKind,
            _ push: @escaping @Sendable (Phone) -> Outcome?
        ) {
            (self.turn, self.kind, self.push) = (turn, kind, push)
        }
    }

    /// Of each budget one push.
    private static let purchases = [
        Purchase({ $0.budgets.background = 1 }, .device, { $0.push(.background) }),
        Purchase({ $0.budgets.urgentActivity = 1 }, .activity, { $0.activity(.update) }),
        Purchase({ $0.budgets.starts = 1 }, .start, { $0.activity(.start) }),
    ]

    @Test("a push that arrives late spends what it would have spent at once: of its device, or of its token", arguments: 0..<3)
    func lateShared(number: Int) {
        let purchase = Self.purchases[number]
        for (device, isShared) in [("phone", true), (nil, false)] as [(String?, Bool)] {
            for isLateFirst in [true, false] {
                let phone = Phone(purchase.turn)
                let tokens = ["aa", "bb"].map { String(repeating: $0, count: 32) }
                for token in tokens {
                    phone.token = token
                    phone.set(kind: purchase.kind, device: device)
                }
                func pushLate() -> Outcome? {
                    phone.token = tokens[0]
                    phone.connect(.offline)
                    #expect(purchase.push(phone) == .stored)
                    phone.connect(.online)
                    return phone.late.first?.outcome
                }
                func pushAtOnce() -> Outcome? {
                    phone.token = tokens[1]
                    return purchase.push(phone)
                }
                let first = isLateFirst ? pushLate() : pushAtOnce()
                let second = isLateFirst ? pushAtOnce() : pushLate()
                #expect(first != nil && first != .throttled)
                #expect((second == .throttled) == isShared)
                // The token's own budget is whole still where the device has paid, and the device's when it has not.
                phone.time.advance(by: .seconds(3600))
                #expect(pushLate() != .throttled)
                #expect((pushAtOnce() == .throttled) == isShared)
            }
        }
    }

    @Test("what waits for its batch, or finds its device back before it is stored, spends the device's budget too")
    func lateOtherwise() {
        let phone = Phone {
            $0.budgets.background = 1
            $0.lowPriorityBatch = .seconds(60)
        }
        phone.set(device: "phone")
        phone.priority = 5
        for outcome in [.silent, .throttled] as [Outcome] {
            #expect(phone.push(.background) == .stored)
            phone.time.advance(by: .seconds(60))
            #expect(phone.late.map(\.outcome) == [outcome])
        }
        phone.priority = 10
        #expect(phone.push(.background) == .throttled)
    }

    @Test("a token that takes the place of another goes on with its budget")
    func replaced() {
        for device in ["phone", nil] {
            let phone = Phone { $0.budgets.background = 1 }
            phone.set(device: device)
            #expect(phone.push(.background) == .silent)
            let fresh = String(repeating: "ef", count: 80)
            #expect(phone.fleet.replace(token: phone.token, by: fresh, now: phone.time.wall()))
            phone.token = fresh
            #expect(phone.push(.background) == .throttled)
        }
    }

    @Test("tokens of one device share its budget, tokens of their own do not")
    func shared() {
        for (device, expected) in [("phone", 2), (nil, 4)] as [(String?, Int)] {
            let phone = Phone { $0.budgets.background = 2 }
            var silent = 0
            for digits in ["aa", "bb"] {
                phone.token = String(repeating: digits, count: 32)
                phone.set(device: device)
                silent += (0..<4).filter { _ in phone.push(.background) == .silent }.count
            }
            #expect(silent == expected)
        }
    }

    @Test("a budget is counted for each token, and survives growth and removal of the table")
    func table() {
        let phone = Phone { $0.budgets.background = 1 }
        #expect(phone.push(.background) == .silent)
        let mine = phone.token
        let others = (0..<3000).map { String(repeating: "0", count: 60) + String($0 + 1000) }
        for token in others {
            phone.token = token
            #expect(phone.push(.background) == .silent)
        }
        for token in others { phone.fleet.remove(token: token) }
        phone.token = mine
        #expect(phone.push(.background) == .throttled)
    }
}

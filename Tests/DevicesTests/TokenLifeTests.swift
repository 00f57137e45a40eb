// The life of a token (docs/apns.md §13) and of what it shows (§12): replaced, expired, collapsed.

import APNs
import Basics
import Devices
import Pushes
import Testing

@Suite struct TokenLifeTests {
    let phone = Phone()
    private let fresh = String(repeating: "ef", count: 80)

    @Test("a replaced token is unregistered and says by which; the new one is live on the same device (§13)")
    func replaced() {
        phone.set(kind: .device, device: "phone-1")
        #expect(phone.push(.alert) == .shown)
        let now = phone.time.wall()
        #expect(phone.fleet.replace(token: phone.token, by: fresh.uppercased(), now: now))
        #expect(phone.standing() == .unregistered(sinceMilliseconds: now.milliseconds))
        #expect(phone.fleet.record(of: phone.token)?.replacedBy == fresh)
        let record = phone.fleet.record(of: fresh)
        #expect(record?.device == "phone-1" && record?.state == .active && record?.topic == Phone.bundle)
        phone.token = fresh
        #expect(phone.push(.alert) == .shown)
        #expect(phone.standing("com.example.other") == .otherTopic)
    }

    @Test("an activity goes on under its new token (§10: may rotate)")
    func rotated() {
        #expect(phone.activity(.update, ahead: 100) == .updated)
        #expect(phone.fleet.replace(token: phone.token, by: fresh, now: phone.time.wall()))
        phone.token = fresh
        #expect(phone.activity(.update, ahead: 99) == .ignoredOlder)
        #expect(phone.record?.shown == 1)
        #expect(phone.activity(.end, ahead: 100) == .ended)
        phone.token = String(repeating: "ab", count: 80)
        #expect(phone.fleet.replace(token: fresh, by: phone.token, now: phone.time.wall()))
        #expect(phone.activity(.update, ahead: 100) == .ignoredEnded)
    }

    @Test("a stale-date goes on with the activity under its new token (§10)")
    func staleAfterRotation() {
        let now = phone.time.wall()
        #expect(phone.activity(.update) { $0.staleDate = now.seconds + 60 } == .updated)
        #expect(phone.fleet.replace(token: phone.token, by: fresh, now: now))
        phone.token = fresh
        #expect(phone.record?.state == .active && phone.record?.staleAt == WallTime(seconds: now.seconds + 60))
        phone.time.advance(by: .seconds(60))
        #expect(phone.record?.state == .stale)
    }

    @Test("a token has up to 1024 hex digits, in pairs")
    func lengths() {
        for (count, isToken) in [(2, true), (1022, true), (1024, true), (1025, false), (1026, false), (0, false)] {
            #expect(DeviceFleet.isToken(String(repeating: "a", count: count)) == isToken, "\(count)")
        }
    }

    @Test("what cannot replace a token does not")
    func notReplaced() {
        phone.set()
        let now = phone.time.wall()
        #expect(!phone.fleet.replace(token: phone.token, by: phone.token.uppercased(), now: now))
        #expect(!phone.fleet.replace(token: phone.token, by: "xyz", now: now))
        #expect(!phone.fleet.replace(token: fresh, by: phone.token, now: now))
        #expect(phone.standing() == .active)
    }

    @Test("registered again after its death a token is live, and its 410 had told an earlier time (§13)")
    func registeredAgain() {
        let died = phone.time.wall()
        phone.fleet.set(TokenRecord(token: phone.token, state: .unregistered, since: died))
        phone.time.advance(by: .seconds(3600))
        #expect(phone.standing() == .unregistered(sinceMilliseconds: died.milliseconds))
        phone.fleet.set(TokenRecord(token: phone.token))
        #expect(phone.push(.alert) == .shown)
    }

    @Test("by a setting an activity's token drops pushes for a while after the end and then is 410 (§10, §13)")
    func expiry() {
        let phone = Phone { $0.activityTokenExpiry = .afterEnd(.seconds(600)) }
        #expect(phone.activity(.update) == .updated)
        let end = phone.time.wall().seconds
        #expect(phone.activity(.end) { $0.dismissalDate = end + 60 } == .ended)
        phone.time.advance(by: .seconds(659))
        #expect(phone.activity(.update) == .ignoredEnded)
        phone.time.advance(by: .seconds(1))
        #expect(phone.standing(Phone.activityTopic) == .expired(sinceMilliseconds: (end + 660) * 1000))
    }

    @Test("one that is never ended expires after its whole life and that time (§10)")
    func expiryUnended() {
        let phone = Phone { $0.activityTokenExpiry = .afterEnd(.seconds(600)) }
        #expect(phone.activity(.update) == .updated)
        phone.time.advance(by: .seconds(12 * 3600 + 599))
        #expect(phone.standing(Phone.activityTopic) == .active)
        phone.time.advance(by: .seconds(1))
        #expect(phone.standing(Phone.activityTopic) != .active)
    }

    @Test("a card that may stay for long after its end does not lengthen the whole life (§10)")
    func expiryEndedLate() {
        let phone = Phone {
            $0.activityTokenExpiry = .afterEnd(.seconds(600))
            $0.longestDismissal = .seconds(10 * 3600)
        }
        #expect(phone.activity(.update) == .updated)
        phone.time.advance(by: .seconds(7 * 3600))
        #expect(phone.activity(.end) == .ended)
        phone.time.advance(by: .seconds(5 * 3600 + 599))
        #expect(phone.standing(Phone.activityTopic) == .active)
        phone.time.advance(by: .seconds(1))
        #expect(phone.standing(Phone.activityTopic) != .active)
    }

    @Test("the same collapse id is one visible notification (§12)")
    func collapse() {
        phone.collapseMark = 11
        #expect(phone.push(.alert) == .shown)
        #expect(phone.push(.alert) == .replaced)
        phone.collapseMark = 13
        #expect(phone.push(.alert) == .shown)
        phone.collapseMark = 0
        #expect(phone.push(.alert) == .shown)
        phone.collapseMark = 11
        #expect(phone.push(.alert) == .replaced)
        phone.token = fresh
        #expect(phone.push(.alert) == .shown)
    }

    @Test("the last five visible ones are remembered")
    func collapseMemory() {
        for mark in [1, 3, 5, 7, 9] as [UInt32] {
            phone.collapseMark = mark
            #expect(phone.push(.alert) == .shown)
        }
        for mark in [1, 3, 5, 7, 9] as [UInt32] {
            phone.collapseMark = mark
            #expect(phone.push(.alert) == .replaced)
        }
        phone.collapseMark = 15
        #expect(phone.push(.alert) == .shown)
        phone.collapseMark = 1
        #expect(phone.push(.alert) == .shown)
    }

    @Test("a setting drops updates whose timestamp lies too far back; an end ignores that rule (§10)")
    func past() {
        let phone = Phone { $0.pastLimit = .seconds(30) }
        #expect(phone.activity(.update, ahead: -30) == .updated)
        phone.token = fresh
        #expect(phone.activity(.update, ahead: -31) == .ignoredOlder)
        #expect(phone.activity(.end, ahead: -31) == .ended)
    }
}

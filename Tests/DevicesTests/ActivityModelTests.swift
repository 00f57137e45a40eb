// What ActivityKit does with pushes (docs/apns.md §10).

import APNs
import Basics
import Devices
import Pushes
import Testing

@Suite struct ActivityModelTests {
    let phone = Phone()

    @Test("an activity is updated and ended, and the record says so")
    func life() {
        #expect(phone.activity(.update) == .updated)
        phone.time.advance(by: .seconds(5))
        #expect(phone.activity(.update) == .updated)
        #expect(phone.record?.state == .active)
        #expect(phone.record?.lastEvent == .update)
        #expect(phone.activity(.end) == .ended)
        #expect(phone.record?.state == .ended)
        #expect(phone.record?.shown == 3)
        #expect(phone.record?.topic == Phone.bundle)
        #expect(phone.record?.token == phone.token)
    }

    @Test("an update older than the last is ignored and leaves its timestamp (§10)")
    func older() {
        #expect(phone.activity(.update, ahead: 10) == .updated)
        #expect(phone.activity(.update, ahead: 9) == .ignoredOlder)
        #expect(phone.record?.lastTimestamp == phone.time.wall().seconds + 10)
        #expect(phone.record?.ignored == 1)
        #expect(phone.activity(.update, ahead: 11) == .updated)
    }

    @Test("no number from outside stops a device", arguments: [Int64.min, Int64.min + 1, -1, 0, 1, Int64.max])
    func extremes(number: Int64) {
        let phone = Phone {
            $0.pastLimit = .seconds(60)
            $0.futureLimit = Interval(nanoseconds: .max)
            $0.activityTokenExpiry = .afterEnd(Interval(nanoseconds: .max))
        }
        for event in [ActivityEvent.update, .end] {
            let outcome = phone.activity(event) {
                $0.timestamp = number
                $0.staleDate = number
                $0.dismissalDate = number
            }
            #expect(outcome == (event == .end ? .ended : number > 1 ? .updated : .ignoredOlder))
            #expect(phone.record?.token == phone.token && phone.standing(Phone.activityTopic) == .active)
        }
    }

    @Test("an update older than the start that its device was shown is ignored (§10)")
    func olderThanItsStart() {
        let (starter, first, second) = (phone.token, String(repeating: "cd", count: 80), String(repeating: "ef", count: 80))
        phone.set(kind: .start, device: "phone")
        for ahead: Int64 in [100, 50] { #expect(phone.activity(.start, ahead: ahead) == .started) }
        // Which start an activity came of nobody tells: none of its updates is older than the oldest.
        for token in [first, second] {
            phone.token = token
            phone.set(kind: .activity, device: "phone")
            phone.set(kind: .activity, device: "phone")
            #expect(phone.activity(.update, ahead: 49) == .ignoredOlder)
            #expect(phone.activity(.update, ahead: 50) == .updated)
        }
        // One that no start was shown for began on the device itself, and one on another device elsewhere.
        phone.token = starter
        #expect(phone.activity(.start, ahead: 200) == .started)
        for (token, device) in [("12", "other"), ("34", "phone"), ("56", "phone")] {
            phone.token = String(repeating: token, count: 80)
            phone.set(kind: .activity, device: device)
            #expect(phone.activity(.update, ahead: 0) == (token == "34" ? .ignoredOlder : .updated))
        }
    }

    @Test("of two updates in one second the last to arrive is shown; a setting is stricter (§10; R3.10)")
    func equalTimestamps() {
        #expect(phone.activity(.update) == .updated)
        #expect(phone.activity(.update) == .updated)
        let strict = Phone { $0.equalTimestamps = .ignore }
        #expect(strict.activity(.update) == .updated)
        #expect(strict.activity(.update) == .ignoredOlder)
    }

    @Test("an end is final whatever its timestamp, and nothing after it counts (§10)")
    func end() {
        #expect(phone.activity(.update, ahead: 100) == .updated)
        #expect(phone.activity(.end, ahead: -100) == .ended)
        #expect(phone.activity(.update, ahead: 200) == .ignoredEnded)
        #expect(phone.activity(.end, ahead: 200) == .ignoredEnded)
        #expect(phone.record?.lastTimestamp == phone.time.wall().seconds + 100)
    }

    @Test("a timestamp more than 8 h ahead is ignored and spoils nothing (§10, an engineer's word)")
    func future() {
        #expect(phone.activity(.update, ahead: 8 * 3600) == .updated)
        #expect(phone.activity(.update, ahead: 8 * 3600 + 1) == .ignoredFuture)
        let other = Phone()
        #expect(
            other.activity(.update) {
                $0.timestamp! *= 1000
                $0.defect = .timestampInMilliseconds
            } == .ignoredFuture)
        #expect(other.activity(.update) == .updated)
        #expect(other.activity(.update) { $0.timestamp = .max } == .ignoredFuture)
    }

    @Test("by a setting a timestamp in milliseconds is applied and makes correct ones look old (G6)")
    func futureApplied() {
        let phone = Phone { $0.ignoresFuture = false }
        #expect(
            phone.activity(.update) {
                $0.timestamp! *= 1000
                $0.defect = .timestampInMilliseconds
            } == .updated)
        #expect(phone.activity(.update) == .ignoredOlder)
    }

    @Test("what cannot be decoded leaves the card unchanged (§10)", arguments: ActivityDefect.allCases)
    func undecodable(defect: ActivityDefect) {
        #expect(phone.activity(.update) == .updated)
        let outcome = phone.activity(.update, ahead: 5) { $0.defect = defect }
        #expect(outcome == (defect == .timestampInMilliseconds ? .updated : .undecodable))
    }

    @Test("without event or timestamp nothing happens")
    func shapeless() {
        #expect(phone.activity(nil) == .undecodable)
        #expect(phone.activity(.update) { $0.timestamp = nil } == .undecodable)
        #expect(phone.record == nil)
    }

    @Test("a start token starts one activity after another and takes no update (§10)")
    func startToken() {
        #expect(phone.activity(.start) == .started)
        #expect(phone.activity(.start, ahead: -5) == .started)
        #expect(phone.activity(.update) == .unknownActivity)
        #expect(phone.fleet.record(of: phone.token)?.kind == .start)
        #expect(phone.record == nil)
    }

    @Test("an activity's token cannot start one (§10)")
    func startOnActivity() {
        #expect(phone.activity(.update) == .updated)
        #expect(phone.activity(.start) == .unknownActivity)
    }

    @Test("after 8 h the system ends an activity, after 12 h its token has expired (§10)")
    func lifetime() {
        #expect(phone.activity(.update) == .updated)
        phone.time.advance(by: .seconds(8 * 3600 - 1))
        #expect(phone.activity(.update) == .updated)
        phone.time.advance(by: .seconds(1))
        #expect(phone.record?.state == .ended)
        #expect(phone.activity(.update) == .ignoredEnded)
        phone.time.advance(by: .seconds(4 * 3600))
        #expect(phone.record?.state == .dismissed)
        let end = (phone.time.wall().seconds) * 1000
        #expect(phone.standing(Phone.activityTopic) == .expired(sinceMilliseconds: end))
        let lasting = Phone { $0.activityTokenExpiry = .never }
        #expect(lasting.activity(.update) == .updated)
        lasting.time.advance(by: .seconds(13 * 3600))
        #expect(lasting.activity(.update) == .ignoredEnded)
    }

    @Test("a stale date flips the state once it has passed, and a later update clears it (§10)")
    func stale() {
        #expect(phone.activity(.update) { $0.staleDate = $0.timestamp! + 60 } == .updated)
        #expect(phone.record?.state == .active)
        phone.time.advance(by: .seconds(60))
        #expect(phone.record?.state == .stale)
        #expect(phone.activity(.update) == .updated)
        #expect(phone.record?.state == .active)
    }

    @Test(
        "an ended card leaves at its dismissal date, at once if that has passed, within 4 h in any case (§10)",
        arguments: [(nil, 4 * 3600), (60, 60), (-60, 0), (9 * 3600, 4 * 3600)] as [(Int64?, Double)])
    func dismissal(ahead: Int64?, seconds: Double) {
        #expect(phone.activity(.update) == .updated)
        let outcome = phone.activity(.end) { facts in facts.dismissalDate = ahead.map { facts.timestamp! + $0 } }
        #expect(outcome == .ended)
        if seconds > 0 {
            phone.time.advance(by: .seconds(seconds - 1))
            #expect(phone.record?.state == .ended)
            phone.time.advance(by: .seconds(1))
        }
        #expect(phone.record?.state == .dismissed)
    }

    @Test("activities do not disturb each other")
    func independent() {
        #expect(phone.activity(.update, ahead: 50) == .updated)
        #expect(phone.activity(.end) == .ended)
        phone.token = String(repeating: "cd", count: 80)
        #expect(phone.activity(.update) == .updated)
        #expect(phone.fleet.activities(limit: 10).count == 2)
        #expect(phone.fleet.activities(limit: 1).count == 1)
    }
}

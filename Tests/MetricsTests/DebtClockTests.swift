// A debt's clock: it counts the time in which the relay was able to pay, and nothing else decides whether it is overdue.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("A debt's clock")
struct DebtClockTests {
    private func due(_ stops: [(Int64, Int64)], since: Int64 = 1_000, within: Int64 = 5_000, anew: Bool = false) -> Int64 {
        let all = stops.map { Stop(from: instant($0), until: instant($1), cause: "", beginsAnew: anew) }
        let clock = DebtClock(since: instant(since), within: .milliseconds(within)) { until in all.filter { $0.from <= until } }
        return clock.due.nanoseconds / 1_000_000
    }

    @Test("stands while it is stopped, once for stops that overlap, and goes on behind them")
    func stands() {
        #expect(due([]) == 6_000)
        #expect(due([(2_000, 3_000)]) == 7_000 && due([(2_000, 3_000), (2_500, 3_500)]) == 7_500)
        #expect(due([(3_000, 3_500), (2_000, 4_000)]) == 8_000, "one within the other")
        #expect(due([(0, 3_000)]) == 8_000, "what began before counts from the debt on")
        #expect(due([(0, 1_000)]) == 6_000 && due([(6_001, 9_000)]) == 6_000, "before it and behind it")
        #expect(due([(6_000, 9_000)]) == 9_000, "in the last instant")
        #expect(due([(5_000, 7_000), (7_500, 8_000), (8_500, 9_000)]) == 9_000, "each stop may reach the next")
    }

    @Test("begins anew with a new process, but not where it had run down before")
    func anew() {
        #expect(due([(2_000, 3_000)], anew: true) == 8_000 && due([(6_000, 7_000)], anew: true) == 12_000)
        #expect(due([(6_001, 7_000)], anew: true) == 6_000)
        #expect(due([(500, 2_000)], anew: true) == 7_000, "told while it was down")
    }
}

@Suite("A provider is reachable")
struct HostAbilityTests {
    private func stops(_ turn: (inout Circumstances) -> Void, from first: Int64 = 0, to last: Int64 = 100_000) -> [[Int64]] {
        var circumstances = Circumstances()
        turn(&circumstances)
        return circumstances.ability.stops(at: .apns, from: instant(first), to: instant(last), circumstances).map { stop in
            [stop.from, stop.until].map { $0.nanoseconds / 1_000_000 }
        }
    }

    private func meet(_ circumstances: inout Circumstances, _ instants: Int64..., at provider: Provider = .apns) {
        for at in instants { circumstances.meet(4, at: [provider], from: instant(at), to: instant(at)) }
    }

    @Test("again when something of anybody's got through, or when the relay must have tried again")
    func over() {
        #expect(stops { meet(&$0, 1_000); $0.ability.pass(at: .apns, instant(1_500)) } == [[1_000, 1_500]])
        #expect(stops { meet(&$0, 1_000) } == [[1_000, 3_000]])
        #expect(stops { meet(&$0, 1_000); $0.ability.pass(at: .apns, instant(9_000)) } == [[1_000, 3_000]])
        #expect(stops { meet(&$0, 1_000); $0.ability.pass(at: .fcm, instant(1_500)) } == [[1_000, 3_000]], "another provider")
        #expect(stops { meet(&$0, 1_000, at: .fcm) }.isEmpty)
    }

    private struct Push {
        var at: Int64
        /// Nil: at once.
        var until: Int64?
        var isOurs = true
        var isSilent = false
        var connection: UInt64 = 0
    }

    private func come(_ circumstances: inout Circumstances, _ pushes: Push...) {
        for (number, push) in pushes.enumerated() {
            circumstances.ability.arrive(
                UInt64(number), at: .apns, by: push.connection, from: instant(push.at), until: instant(push.until ?? push.at),
                rule: push.isOurs && push.until != nil ? 4 : nil, isSilent: push.isSilent)
        }
    }

    /// Strangers' relays with four and six streams, all of which waited for answers of ours, told other sessions nothing.
    @Test("not while answers of ours hold as many streams as it ever had under way")
    func full() {
        #expect(stops { come(&$0, Push(at: 1_000, until: 2_200)) } == [[1_000, 2_200]], "one, as far as anybody knows")
        #expect(stops { come(&$0, Push(at: 1_000, until: 2_200), Push(at: 1_500)) }.isEmpty, "there was another")
        let two = [Push(at: 1_000, until: 2_200), Push(at: 1_500, until: 2_700)]
        #expect(stops { come(&$0, two[0], two[1]) } == [[1_500, 2_200]], "until the first is free")
        #expect(stops { come(&$0, two[0], two[1], Push(at: 2_199, until: 3_400)) } == [[1_500, 2_199], [2_199, 2_700]], "as good as over")
        #expect(stops { come(&$0, two[0], two[1], Push(at: 2_200, until: 3_400)) } == [[1_500, 2_200], [2_200, 2_700]])
        #expect(stops { come(&$0, two[0], two[1], Push(at: 9_000, until: 9_400)) } == [[1_500, 2_200]], "one of two")
        #expect(stops { come(&$0, two[0], two[1], Push(at: 5_000, until: 9_000), Push(at: 5_000, until: 9_000), Push(at: 5_100)) }.isEmpty)
        let other = Push(at: 2_000, until: 3_200, connection: 1)
        #expect(stops { come(&$0, two[0], two[1], other) } == [[1_500, 2_000]], "another connection has a stream left")
        #expect(stops { come(&$0, two[0], other) } == [[1_000, 2_000], [2_000, 3_200]], "one on each")
        #expect(stops { come(&$0, Push(at: 1_000, until: 2_200, isOurs: false)) }.isEmpty, "its provider's usual time")
    }

    @Test("again two seconds behind a push that it gave up")
    func givenUp() {
        let silent = Push(at: 1_000, until: 31_000, isSilent: true)
        #expect(stops { come(&$0, silent) } == [[1_000, 33_000]])
        #expect(stops { come(&$0, silent); $0.ability.giveUp(0, at: instant(5_000)) } == [[1_000, 7_000]])
        #expect(stops { come(&$0, silent); $0.ability.giveUp(7, at: instant(5_000)) } == [[1_000, 33_000]], "of nobody")
        #expect(stops { come(&$0, Push(at: 1_000, until: 2_200)); $0.ability.giveUp(0, at: instant(1_500)) } == [[1_000, 3_500]])
        let later = Push(at: 2_000, until: 32_000, isSilent: true)
        #expect(stops { come(&$0, silent, later); $0.ability.giveUp(0, at: instant(5_000)) } == [[2_000, 7_000]])
        #expect(stops({ come(&$0, silent) }, from: 32_999, to: 99_000).count == 1)
        #expect(stops({ come(&$0, silent) }, from: 33_000, to: 99_000).isEmpty)
    }

    @Test("as long again as the trouble lasted, and two seconds, behind the last of it")
    func lasted() {
        #expect(stops { meet(&$0, 1_000, 2_000, 4_000, 8_000) } == [[1_000, 17_000]])
        #expect(stops { meet(&$0, 1_000, 3_001) } == [[1_000, 3_000], [3_001, 5_001]], "each is its own")
        func again(behind passed: Int64) -> [[Int64]] {
            stops { meet(&$0, 1_000); $0.ability.pass(at: .apns, instant(passed)); meet(&$0, 1_500) }
        }
        #expect(again(behind: 1_050) == [[1_000, 1_050], [1_500, 3_500]] && again(behind: 1_049) == [[1_500, 3_500]])
    }

    @Test("but in the time that is asked for")
    func asked() {
        func some(from first: Int64, to last: Int64) -> Int {
            stops({ meet(&$0, 1_000, 5_000, 10_000) }, from: first, to: last).count
        }
        #expect(some(from: 0, to: 99_000) == 3 && some(from: 3_000, to: 9_999) == 1 && some(from: 12_000, to: 99_000) == 0)
    }
}

/// The state of step 1 is told at 1000, and has five seconds.
@Suite("A state is overdue")
struct OverdueTests {
    private let silent = Story.usual.with { story in
        story.account.pushes = []
        story.account.rows[0].deadline = .seconds(5)
        story.circumstances.faults = [.init(rule: 4, label: "the fault", windows: [])]
    }

    private func attempt(
        _ story: inout Story, _ at: Int64, _ status: UInt16, step: UInt32 = 1, _ turn: (inout SeenPush) -> Void = { _ in }
    ) {
        story.push(step, at: at, status: status) { push in
            push.faultRule = 4
            turn(&push)
        }
    }

    /// The instant by which it has to be there, in milliseconds from its call on, by what becomes of it.
    private func due(_ turn: (inout Story) -> Void) -> Int64 {
        let delivery = silent.with(turn).joined.deliveries[0]
        return (delivery.due - instant(1_000)).nanoseconds / 1_000_000
    }

    @Test("behind its refusals by two seconds, and two and a half times the last pause; until the next try", arguments: [503, 429] as [UInt16])
    func refused(status: UInt16) {
        #expect(due { attempt(&$0, 1_100, status) } == 7_000)
        #expect(due { for at in [1_100, 1_400, 2_200] as [Int64] { attempt(&$0, at, status) } } == 8_100)
        #expect(due { for at in [1_100, 2_100, 4_100, 8_100] as [Int64] { attempt(&$0, at, status) } } == 22_000, "pauses that double")
        #expect(due { attempt(&$0, 1_100, status); $0.account.pushes[0].faultRule = 0 } == 5_000, "no fault of ours")
        #expect(due { $0.circumstances.rest = .seconds(60); attempt(&$0, 1_100, status) } == 65_000, "Apple's word, or the profile's")
    }

    @Test("behind a silence by as long as the most patient relay waits")
    func silence() {
        func quiet(_ story: inout Story) { story.circumstances.faults[0].isSilence = true }
        #expect(due { quiet(&$0); attempt(&$0, 1_100, 0) } == 37_000)
        #expect(due { story in
            quiet(&story)
            attempt(&story, 1_100, 0) { ($0.flags, $0.answeredAt) = ([.isMarked, .isAnswerUndelivered], instant(3_100)) }
        } == 9_000, "it told us that it gave up")
        #expect(due { quiet(&$0); attempt(&$0, 1_100, 0); attempt(&$0, 3_100, 503) } == 12_000, "it gave up after two")
    }

    @Test("behind a connection that was cut: two seconds, or what FCM asks for")
    func cut() {
        func cut(_ story: inout Story, _ provider: Provider) {
            story.circumstances.faults[0].cutsOff = true
            attempt(&story, 1_100, 0) { $0.provider = provider }
            story.account.rows[0].provider = provider
        }
        #expect(due { cut(&$0, .apns) } == 7_000 && due { cut(&$0, .fcm) } == 25_000)
        func unseen(_ at: Int64, _ turn: (inout Story) -> Void = { _ in }) -> Int64 {
            due { story in
                story.circumstances.connectionFirings = [(at: instant(at), rule: 4)]
                turn(&story)
            }
        }
        #expect(unseen(1_500) == 7_000 && unseen(999) == 5_000 && unseen(2_001) == 5_000, "when it may have been on its way")
        #expect(unseen(1_500) { $0.push(1, at: 1_600, status: 400) } == 5_100, "it had come through")
    }

    @Test("behind its call's answer where the relay was told what to mend, by what that takes")
    func cure() {
        #expect(due { $0.circumstances.faults[0].cureTakes = .seconds(4); attempt(&$0, 1_100, 403) } == 11_000)
    }

    @Test("behind what goes before it on its way, until something goes that way again")
    func behind() {
        func older(_ story: inout Story, _ turn: (inout SeenPush) -> Void = { _ in }) {
            story.call(0, at: 900)
            attempt(&story, 950, 503, step: 0, turn)
        }
        #expect(due { older(&$0) } == 6_950)
        #expect(due { older(&$0); $0.push(2, at: 1_500) } == 5_500, "it went on")
        #expect(due { older(&$0) { $0.token = .other } } == 5_000, "another's way")
        #expect(due { story in
            story.registers(0, .activity)
            story.registers(0, .device, role: .device)
            older(&story) { $0.token = .device }
        } == 6_950, "its phone's")
        #expect(due { older(&$0) { $0.step = 2 } } == 5_000, "it is newer")
    }

    @Test("not while its provider cannot be reached, nor while the relay is down")
    func able() {
        #expect(due { $0.circumstances.meet(4, at: [.apns], from: instant(1_500), to: instant(2_500)) } == 9_000)
        #expect(due { $0.circumstances.outages = [.init(from: instant(2_000), until: instant(4_000))] } == 8_000)
    }

    @Test("as lost or late, and before the end of the run only; else the stop excuses what never came")
    func classes() {
        func story(_ end: Int64, came: Int64? = nil) -> Story {
            silent.with { story in
                attempt(&story, 1_100, 503)
                if let came { story.push(1, at: came) }
                story.circumstances.end = instant(end)
            }
        }
        #expect(story(8_000).classes == "lost 1" && story(7_999).classes == "excused 1" && story(5_999).classes == "undecided 1")
        #expect(story(7_999).correlation().excuses == ["the fault": 1])
        #expect(story(99_000, came: 3_000).classes == "delivered 1", "its clock stood until then")
        #expect(story(99_000, came: 8_001).classes == "late 1")
    }

    @Test("never, where a newer state was told while its clock stood, and came")
    func left() {
        func story(told: Int64, came: Int64 = 4_000) -> String {
            silent.with { story in
                attempt(&story, 1_100, 503)
                story.call(2, at: told)
                story.expect(2, at: told, deadline: 9_000)
                story.push(2, at: came)
            }.classes
        }
        #expect(story(told: 2_000) == "delivered 1, superseded 1")
        #expect(story(told: 2_000, came: 8_001) == "delivered 1, superseded 1", "that one is owed, and has its own time")
        #expect(story(told: 2_000, came: 14_001).hasPrefix("superseded 1, late 1"))
    }

    /// A stranger's relay that waits 2.7 s behind a 429, where its states have five.
    @Test("never, where the next that came for the card behind the refusal was a newer state, by when it was due itself")
    func waited() {
        func story(told: Int64, came: Int64, between: Int64? = nil) -> String {
            silent.with { story in
                attempt(&story, 1_100, 503)
                if let between {
                    story.call(3, at: between)
                    story.expect(3, at: between)
                    story.push(3, at: between)
                }
                story.call(4, at: told)
                story.expect(4, at: told, deadline: 9_000)
                story.push(4, at: came)
            }.classes
        }
        #expect(story(told: 3_101, came: 8_000) == "delivered 1, superseded 1", "the clock stood for two of its seven seconds")
        #expect(story(told: 3_101, came: 8_001) == "delivered 1, lost 1")
        #expect(story(told: 4_500, came: 5_000, between: 3_500) == "delivered 2, superseded 1", "the first was newer, too")
    }
}

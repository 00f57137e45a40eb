// How old what a card shows is, by examples that were worked out by hand.

import Basics
import Pushes
import Testing

@testable import Metrics

@Suite("Staleness")
struct StalenessTests {
    /// States are offered at 1000, 3000 and 6000; the card shows the first at 1100, the third at 6400.
    private var usual: Story {
        Story().with { story in
            for (step, offered) in [(1, 1_000), (2, 3_000), (3, 6_000)] as [(UInt32, Int64)] {
                story.call(step, at: offered)
                story.expect(step, at: offered, flags: .mayBeSuperseded, deadline: 5_000)
            }
            story.push(1, at: 1_100)
            story.push(3, at: 6_400, event: .update)
        }
    }

    private func cards(_ story: Story) -> [CardAges] { CardAges.cards(of: story.joined, story.circumstances) }

    /// When, whatever is shown.
    private func stretches(_ story: Story) -> [CardStretch] {
        cards(story).flatMap(\.stretches).map { CardStretch(start: $0.start, end: $0.end, offeredAt: $0.offeredAt) }
    }

    private func stretch(_ start: Int64, _ end: Int64, _ offered: Int64?) -> CardStretch {
        CardStretch(start: instant(start), end: instant(end), offeredAt: offered.map(instant))
    }

    @Test("is 0 while the newest offered state is shown, else counts from the first that is newer")
    func byHand() {
        // From 3000 on the second state was offered and never shown; the third ends that.
        #expect(stretches(usual) == [stretch(1_100, 3_000, nil), stretch(3_000, 6_400, 3_000)])
        let histogram = usual.correlation().staleness
        #expect(histogram.count == 5_300)
        // 1900 ms of age 0, then 3400 ms in which it grows evenly from 0 to 3.4 s.
        #expect(histogram.value(at: 35) == 0)
        let median = histogram.value(at: 50)
        #expect(median > 600_000_000 && median < 900_000_000, "\(median)")
        #expect(histogram.max >= 3_400_000_000 && histogram.max < 3_403_400_000, "but for the histogram's own step")
        let card = cards(usual)[0]
        #expect(card.session == 1 && card.behind == .milliseconds(3_400) && card.tokens == [.activity])
        #expect(card.worst?.shown == 1 && card.worst?.newer == 2 && card.worst?.end == instant(6_400))
    }

    /// The last state, offered at 6000, never comes; at `at` its token died or was taken back.
    private func unreachable(hasDied: Bool, at: Int64, _ turn: (inout Story) -> Void = { _ in }) -> [CardStretch] {
        stretches(
            Story().with { story in
                story.call(0, at: 100)
                story.registers(0)
                for (step, offered) in [(1, 1_000), (2, 6_000)] as [(UInt32, Int64)] {
                    story.call(step, at: offered)
                    story.expect(step, at: offered, deadline: 5_000)
                }
                // As the start of it would be.
                story.account.rows[0].lane.role = .start
                story.push(1, at: 1_100)
                if hasDied {
                    story.push(2, at: at, status: 410)
                } else {
                    story.call(3, at: at)
                    story.registers(3, isRegistration: false)
                }
                turn(&story)
            })
    }

    /// A relay has a quarter of a second to send what it was told; then it is to blame for what it did not send.
    @Test("ends with the card's last token, if the relay was not late by then", arguments: [(true, 7_000), (false, 6_200)])
    func unreachable(hasDied: Bool, at: Int64) {
        #expect(unreachable(hasDied: hasDied, at: at) == [stretch(1_100, 6_000, nil), stretch(6_000, at, 6_000)])
        let renewed = unreachable(hasDied: hasDied, at: at) { story in
            story.call(4, at: 8_000)
            story.registers(4, .rotated)
        }
        #expect(renewed == [stretch(1_100, 6_000, nil), stretch(6_000, 11_000, 6_000)], "another came in its place")
        let living = unreachable(hasDied: hasDied, at: at) { story in
            if hasDied { story.account.pushes[1].status = 503 } else { story.account.calls[3].state = .planned }
        }
        #expect(living == [stretch(1_100, 6_000, nil), stretch(6_000, 11_000, 6_000)])
        let shown = unreachable(hasDied: hasDied, at: at) { $0.push(2, at: 7_500) }
        #expect(shown.last?.end == instant(7_500), "it was told all the same")
    }

    @Test("does not end where the last state was lost before its token was taken back, by a later call or by its own")
    func lostEnd() {
        let lost = [stretch(1_100, 6_000, nil), stretch(6_000, 11_000, 6_000)]
        #expect(unreachable(hasDied: false, at: 7_000) == lost)
        let own = unreachable(hasDied: false, at: 10_900) { story in
            story.account.calls.removeLast()
            story.account.tokenCalls.removeLast()
            story.registers(2, isRegistration: false)
        }
        #expect(own == lost)
    }

    @Test("of a card whose last state was lost grows to the end of the run, but not while we held the relay down")
    func leftBehind() {
        let story = usual.with { story in
            story.account.pushes.removeLast()
            story.account.rows[2].flags = .isFinal
        }
        let (joined, closed) = (story.joined, story.correlation())
        func run(to end: Int64, outages: [Circumstances.Outage] = []) -> Correlation {
            var correlator = Correlator(kinds: [], origin: instant(0))
            correlator.close(joined, story.circumstances)
            return correlator.finish(at: instant(end), outages: outages)
        }
        // At 11 000, its account's end, what the card lacks was offered 8 s ago.
        #expect(closed.cards.worst[0].worst?.age == .seconds(8))
        let long = run(to: 61_000)
        #expect(long.cards.worst.map { $0.worst?.age } == [.seconds(58)])
        #expect(long.cards.lived == .milliseconds(59_900) && long.cards.behindFor == .seconds(58))
        #expect(long.staleness.count == 59_900 && long.staleness.max >= 58_000_000_000)
        #expect(long.cards.places.count == 62 && long.cards.places[60].most == .seconds(58))
        #expect(long.series[60].cardMilliseconds == 1_000)
        #expect(run(to: 61_000, outages: [.init(from: instant(20_000), until: instant(30_000))]).cards.behindFor == .seconds(48))
        #expect(run(to: 10_000).cards.behindFor == .seconds(8), "it was looked at for as long as it was")
        // An age blames nobody: what was excused never came either.
        let excused = story.with { $0.circumstances.outages = [.init(from: instant(6_500), until: instant(6_600))] }
        var correlator = Correlator(kinds: [])
        correlator.close(excused.joined, excused.circumstances)
        #expect(correlator.finish(at: instant(61_000)).cards.worst[0].worst?.end == instant(61_000))
    }

    @Test("of a card whose end was excused grows on, though its own call took the token back")
    func excusedEnd() {
        let own = unreachable(hasDied: false, at: 10_900) { story in
            story.account.calls.removeLast()
            story.account.tokenCalls.removeLast()
            story.registers(2, isRegistration: false)
            story.push(2, at: 6_050, status: 503) { $0.faultRule = 4 }
            story.circumstances.faults = [.init(rule: 4, label: "busy", windows: [])]
            story.circumstances.rest = .seconds(900)
            story.circumstances.end = instant(300_000)
            #expect(story.classes == "delivered 1, excused 1")
        }
        #expect(own == [stretch(1_100, 6_000, nil), stretch(6_000, 11_000, 6_000)])
    }

    @Test("is greatest for those that were left behind first, of however many, each session once")
    func worstLeft() {
        var left = LeftBehind()
        for number in 0..<200 as Range<Int64> {
            let offered = 1_000 + number * 37 % 200
            var cards = [CardAges(session: UInt32(offered), phone: 0, tokens: [], stretches: [stretch(900, 5_000, offered)])]
            cards.append(CardAges(session: UInt32(offered), phone: 1, tokens: [], stretches: [stretch(900, 5_000, offered + 9)]))
            for index in cards.indices where number % 2 == 0 { cards[index].leftBehindAt = instant(5_000) }
            left.add(cards)
        }
        let (stretches, oldest) = left.aged(to: instant(9_000), without: [])
        #expect(stretches.count == 200)
        let ages = oldest.compactMap { $0.worst?.age }.sorted(by: >)
        #expect(ages == [0, 2, 4, 6, 8].map { .milliseconds(8_000 - $0) })
    }

    @Test("counts from the state that comes late, and ends when that is shown")
    func each() {
        let story = usual.with { $0.push(2, at: 3_200) }
        #expect(
            stretches(story) == [
                stretch(1_100, 3_000, nil), stretch(3_000, 3_200, 3_000), stretch(3_200, 6_000, nil),
                stretch(6_000, 6_400, 6_000),
            ])
    }

    @Test("goes on to the account's end when something newer was offered and never shown")
    func neverShown() {
        let story = usual.with { $0.account.pushes.removeLast() }
        // The account ends with its last deadline, at 11 000.
        #expect(stretches(story) == [stretch(1_100, 3_000, nil), stretch(3_000, 11_000, 3_000)])
        #expect(stretches(story.with { $0.circumstances.end = instant(4_000) }).last == stretch(3_000, 4_000, 3_000))
        // What was never sent was never offered.
        let unsent = story.with { $0.account.calls[1].state = .dropped }
        #expect(stretches(unsent).last == stretch(6_000, 11_000, 6_000))
    }

    @Test("ends with the card, and there is none before the card is there")
    func end() {
        let ended = usual.with { $0.account.rows[2].event = .end; $0.account.pushes[1].event = .end }
        #expect(stretches(ended).last == stretch(3_000, 6_400, 3_000))
        let more = ended.with { story in
            story.call(4, at: 7_000)
            story.expect(4, at: 7_000)
        }
        #expect(stretches(more).last == stretch(3_000, 6_400, 3_000))
        #expect(stretches(usual.with { $0.account.pushes = [] }).isEmpty)
        #expect(stretches(usual.with { story in
            story.account.pushes = []
            story.account.rows[0].event = .end
            story.push(1, at: 1_100, event: .end)
        }).isEmpty)
    }

    @Test("is of each phone's card by itself")
    func phones() {
        let story = usual.with { story in
            story.expect(1, token: .other, phone: 1)
            story.push(1, at: 1_200, token: .other)
        }
        #expect(stretches(story).count == 2)
        #expect(stretches(story.with { $0.expect(2, at: 3_000, token: .other, phone: 1) }).last == stretch(3_000, 11_000, 3_000))
        // An alert is no card.
        #expect(stretches(Story.usual.with { $0.account.rows[0].type = .alert }).isEmpty)
    }

    @Test("is of no card whose token's registration never left us")
    func unregistered() {
        let story = usual.with {
            $0.call(0, at: 500)
            $0.registers(0)
        }
        #expect(stretches(story) == stretches(usual))
        #expect(stretches(story.with { $0.account.calls[3].state = .dropped }).isEmpty)
        // Another phone's card is another's.
        let other = story.with { $0.account.calls[3].state = .dropped; $0.account.tokenCalls[0].token = .other }
        #expect(stretches(other) == stretches(usual))
        // The relay failed to take it.
        #expect(stretches(story.with { $0.account.calls[3].wasTaken = false }) == stretches(usual))
    }

    @Test("is of no card whose token a phone did not tell")
    func untold() {
        let story = usual.with { $0.expect(4, at: 7_000, flags: .waitsInVain) }
        #expect(stretches(story).isEmpty)
    }

    /// The first state is shown by an activity that another replaces at 10 000; that one's start, at 8 000, shows the first
    /// state, and the second was told at 9 000 to the old one.
    private func handedOver(_ turn: (inout Story) -> Void = { _ in }) -> Story {
        Story().with { story in
            story.circumstances.restart = RestartTerms(
                after: .seconds(3), within: .seconds(1), before: .seconds(5), adoptWithin: .seconds(2), pause: .seconds(1),
                longestPause: .seconds(8))
            let start = TokenHash("51")
            story.call(0, at: 500)
            story.registers(0, start, role: .start)
            for (step, at, token) in [(1, 600, .activity), (4, 10_000, .rotated)] as [(UInt32, Int64, TokenHash)] {
                story.call(step, at: at)
                story.registers(step, token)
            }
            for (step, at) in [(2, 1_000), (3, 9_000)] as [(UInt32, Int64)] {
                story.call(step, at: at)
                story.expect(step, at: at, flags: .mayBeSuperseded, deadline: 20_000)
                story.push(step, at: at + 100)
            }
            story.push(2, at: 8_000, event: .start, token: start, outcome: .started)
            turn(&story)
            story.account.pushes.sort { $0.arrivedAt < $1.arrivedAt }
        }
    }

    @Test("over a hand-over is that of the new card, which lacks what its start did not show")
    func handOver() {
        let caughtUp = handedOver { $0.push(3, at: 10_200, token: .rotated) }
        #expect(
            stretches(caughtUp) == [
                stretch(1_100, 9_000, nil), stretch(9_000, 9_100, 9_000), stretch(9_100, 10_000, nil),
                stretch(10_000, 10_200, 10_000),
            ])
        // Nobody tells it: it counts on to the account's end. What still goes to the old card nobody sees.
        #expect(stretches(handedOver()).last == stretch(10_000, 29_000, 10_000))
        #expect(stretches(handedOver { $0.push(3, at: 10_300) }).last == stretch(10_000, 29_000, 10_000))
        // What the old card lacked itself is as old as it was.
        let never = handedOver { $0.account.pushes.removeAll { $0.step == 3 } }
        #expect(stretches(never).suffix(2) == [stretch(9_000, 10_000, 9_000), stretch(10_000, 29_000, 9_000)])
        // A start that showed the newest hands nothing over; a rotation neither.
        let fresh = handedOver { story in
            for index in story.account.pushes.indices where story.account.pushes[index].event == .start {
                story.account.pushes[index].step = 3
                story.account.pushes[index].arrivedAt = instant(9_500)
            }
        }
        #expect(stretches(fresh).last == stretch(9_100, 10_000, nil))
        #expect(stretches(handedOver { $0.account.pushes.removeAll { $0.event == .start } }).last == stretch(9_000, 9_100, 9_000))
    }

    @Test("leaves out the time in which we held the relay down")
    func outage() {
        let story = usual.with { $0.circumstances.outages = [.init(from: instant(4_000), until: instant(5_000))] }
        #expect(stretches(story) == [stretch(1_100, 3_000, nil), stretch(3_000, 4_000, 3_000), stretch(5_000, 6_400, 3_000)])
        let long = usual.with { $0.circumstances.outages = [.init(from: instant(500), until: instant(6_000))] }
        #expect(stretches(long) == [stretch(6_000, 6_400, 3_000)])
    }

    @Test("an older state that comes late does not take the card back")
    func older() {
        let story = usual.with { $0.push(2, at: 7_000, outcome: .ignoredOlder) }
        #expect(stretches(story) == stretches(usual))
    }

    @Test("by second: the ages of all cards over their time")
    func bySecond() {
        let rows = usual.correlation(origin: instant(1_000)).series
        #expect(rows.map(\.cardMilliseconds) == [900, 1_000, 1_000, 1_000, 1_000, 400])
        // From second 2 on it grows: 500, 1500 and 2500 ms in the mean of a second, 3200 over the last 400 ms.
        #expect(rows.map(\.cardAges) == [0, 0, 500, 1_500, 2_500, 1_280])
    }

    @Test("a stretch is counted to the millisecond, however short it is")
    func short() {
        var histogram = Histogram()
        histogram.record(stretch(1_000, 1_001, 1_000))
        #expect(histogram.count == 1)
        histogram.record(stretch(1_000, 1_040, 1_000))
        #expect(histogram.count == 41)
        histogram.record(stretch(1_000, 1_000, nil))
        #expect(histogram.count == 41)
        histogram.record(stretch(1_000, 1_007, nil))
        #expect(histogram.count == 48)
        #expect(histogram.value(at: 1) == 0)
        #expect(histogram.max >= 40_000_000 && histogram.max < 40_040_000)
    }
}

// How long a card was behind, by histories that were worked out by hand.

import Basics
import Pushes
import Testing

@testable import Sessions

private func instant(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

@Suite("A card that is watched")
struct CardWatchTests {
    /// States 1, 2, 3 are offered at 1000, 3000, 6000; the card shows the first at 1100, the third at 6400.
    private func usual(_ turn: (inout CardWatch) -> Void = { _ in }) -> CardWatch {
        var card = CardWatch(session: 7, phone: 0)
        for (step, at) in [(1, 1_000), (2, 3_000), (3, 6_000)] as [(UInt32, Int64)] { card.offer(step, at: instant(at)) }
        card.show(1, at: instant(1_100), isEnd: false)
        card.show(3, at: instant(6_400), isEnd: false)
        turn(&card)
        return card
    }

    private func stretches(
        _ card: CardWatch, end: Int64 = 11_000, outages: [Range<Instant>] = []
    ) -> (stretches: [CardStretch], card: CardWatch) {
        var (card, stretches) = (card, [CardStretch]())
        card.close(at: instant(end), outages: outages) { stretches.append($0) }
        return (stretches, card)
    }

    private func stretch(_ start: Int64, _ end: Int64, _ offered: Int64? = nil) -> CardStretch {
        CardStretch(start: instant(start), end: instant(end), offeredAt: offered.map(instant))
    }

    @Test("is current while the newest offered state is shown, else as old as the first newer offer")
    func byHand() {
        let (found, card) = stretches(usual())
        // The second state was never shown; the third ends that.
        #expect(found == [stretch(1_100, 3_000), stretch(3_000, 6_400, 3_000)])
        #expect(card.behind == .milliseconds(3_400))
        #expect(
            card.worst
                == WorstMoment(age: .milliseconds(3_400), at: instant(6_400), offeredAt: instant(3_000), shown: 1, newer: 2))
    }

    @Test("counts until the end where something newer was offered and never shown")
    func neverShown() {
        let (found, card) = stretches(usual { $0.offer(4, at: instant(7_000)) })
        #expect(found.suffix(2) == [stretch(6_400, 7_000), stretch(7_000, 11_000, 7_000)])
        #expect(card.worst?.age == .seconds(4) && card.behind == .milliseconds(7_400))
        // The newest state is shown: nobody waits for anything.
        #expect(stretches(usual()).stretches.last?.end == instant(6_400))
    }

    @Test("shows what its start showed once another activity has taken its place")
    func handOver() {
        let (found, card) = stretches(usual { card in
            card.handOver(to: 1, at: instant(7_000))
            card.show(3, at: instant(7_500), isEnd: false)
        })
        #expect(found.suffix(2) == [stretch(6_400, 7_000), stretch(7_000, 7_500, 7_000)])
        #expect(card.worst?.age == .milliseconds(3_400))
        // One that shows as much hands nothing over, and none is handed over that was never shown.
        #expect(stretches(usual { $0.handOver(to: 3, at: instant(7_000)) }).card.behind == .milliseconds(3_400))
        #expect(stretches(usual { $0.handOver(to: 1, at: instant(500)) }).card.behind == .milliseconds(3_400))
    }

    @Test("a token behind a start is a successor's, and where a phone tells of activities that of a newer one")
    func succession() {
        var plain = Succession()
        #expect(plain.register() == nil)
        #expect(plain.register() == nil)
        plain.start(5)
        #expect(plain.register() == 5 && plain.register() == nil)
        var told = Succession()
        told.tell(1)
        #expect(told.register() == nil)
        told.start(5)
        // The old one's token rotates while the new one's is waited for.
        #expect(told.register() == nil)
        told.tell(2)
        #expect(told.register() == 5)
    }

    @Test("ends with the end of the card, and begins with its first showing")
    func life() {
        let ended = usual { card in
            card.show(3, at: instant(6_500), isEnd: true)
            card.offer(4, at: instant(7_000))
        }
        #expect(stretches(ended).stretches.last == stretch(6_400, 6_500))
        var unseen = CardWatch(session: 7, phone: 0)
        unseen.offer(1, at: instant(1_000))
        let (found, card) = stretches(unseen)
        #expect(found.isEmpty && card.worst == nil && !card.wasShown)
        unseen.show(1, at: instant(2_000), isEnd: true)
        #expect(stretches(unseen).stretches.isEmpty)
    }

    @Test("shows nothing and does not age once it is dismissed, until another takes its place")
    func dismissed() {
        let gone = usual { card in
            card.dismiss(at: instant(5_000))
            card.offer(4, at: instant(7_000))
        }
        // What was shown at 6400 is another card.
        #expect(stretches(gone).stretches == [
            stretch(1_100, 3_000), stretch(3_000, 5_000, 3_000), stretch(6_400, 7_000), stretch(7_000, 11_000, 7_000),
        ])
        let last = usual { card in
            card.offer(4, at: instant(7_000))
            card.dismiss(at: instant(8_000))
        }
        let (found, card) = stretches(last)
        #expect(found.suffix(2) == [stretch(6_400, 7_000), stretch(7_000, 8_000, 7_000)])
        #expect(card.worst?.age == .milliseconds(3_400) && card.behind == .milliseconds(4_400))
        var unseen = CardWatch(session: 7, phone: 0)
        unseen.dismiss(at: instant(500))
        unseen.show(1, at: instant(1_100), isEnd: false)
        unseen.offer(2, at: instant(3_000))
        #expect(stretches(unseen).stretches == [stretch(1_100, 3_000), stretch(3_000, 11_000, 3_000)])
    }

    @Test("is not taken back by an older state that comes late")
    func older() {
        let late = usual { $0.show(2, at: instant(6_600), isEnd: false) }
        #expect(stretches(late).stretches == [stretch(1_100, 3_000), stretch(3_000, 6_400, 3_000), stretch(6_400, 6_600)])
        var more = late
        more.offer(4, at: instant(7_000))
        #expect(stretches(more).card.worst?.shown == 3)
    }

    @Test("leaves out what lies in an outage of ours, and the age goes on counting")
    func outage() {
        let (found, card) = stretches(usual(), outages: [instant(2_000)..<instant(4_000)])
        #expect(found == [stretch(1_100, 2_000), stretch(4_000, 6_400, 3_000)])
        #expect(card.behind == .milliseconds(2_400) && card.worst?.age == .milliseconds(3_400))
        let whole = stretches(usual(), outages: [instant(0)..<instant(9_000)])
        #expect(whole.stretches.isEmpty && whole.card.worst == nil)
    }

    @Test("gives the same piece by piece, in whatever order calls and pushes are told")
    func settling() {
        var card = CardWatch(session: 7, phone: 0)
        var found: [CardStretch] = []
        var whole = CardWatch(session: 7, phone: 0)
        // A state a second for 100 s, each shown 0.3 s later, and told of two seconds after its push.
        for step in UInt32(1)...100 {
            let offered = instant(Int64(step) * 1_000)
            card.show(step, at: offered + .milliseconds(300), isEnd: false)
            if step > 2 { card.offer(step - 2, at: offered - .seconds(2)) }
            whole.offer(step, at: offered)
            whole.show(step, at: offered + .milliseconds(300), isEnd: false)
            if card.isFull { card.settle(before: offered - .seconds(3), outages: []) { found.append($0) } }
        }
        for step in [99, 100] as [UInt32] { card.offer(step, at: instant(Int64(step) * 1_000)) }
        card.close(at: instant(200_000), outages: []) { found.append($0) }
        #expect(found == stretches(whole, end: 200_000).stretches && found.count == 198)
        #expect(card.behind == .milliseconds(99 * 300) && card.worst?.age == .milliseconds(300))
    }

    @Test("keeps no more than a few waiting offers, and knows the first and the last of them")
    func bounds() {
        var card = CardWatch(session: 7, phone: 0)
        card.show(1, at: instant(10), isEnd: false)
        for step in UInt32(2)...10_000 {
            card.offer(step, at: instant(Int64(step) * 10))
            if card.isFull { card.settle(before: instant(Int64(step) * 10), outages: []) { _ in } }
        }
        #expect(MemoryLayout.size(ofValue: card) < 200)
        card.show(5_000, at: instant(200_000), isEnd: false)
        let (found, closed) = stretches(card, end: 300_000)
        #expect(found.first == stretch(10, 20) && found[1] == stretch(20, 200_000, 20))
        // Which came right after the shown one is not known any more, but that there was a newer one is.
        #expect(found[2] == stretch(200_000, 300_000, 100_000) && closed.worst?.newer == 10_000)
    }

    @Test("finds what the plan owes it, and puts reactions where they had their turn")
    func owed() {
        var card = CardWatch(session: 7, phone: 0)
        let reaction = EventNumber.reaction(1, after: 2)
        card.plan([.init(step: 3, event: .end), .init(step: reaction, event: .update), .init(step: 1, event: .start)], registrations: [])
        #expect(card.owed.map(\.step) == [1, reaction, 3])
        #expect(card.owed(at: reaction)?.event == .update && card.owed(at: 2) == nil && card.owed(at: 9) == nil)
    }
}

@Suite("Ages over time")
struct StalenessSeriesTests {
    @Test("are weighted by time, place by place")
    func byHand() {
        var series = StalenessSeries(origin: instant(0), end: instant(3_500))
        #expect(series.length == .seconds(1))
        // Current for a second and a half, then behind for one.
        series.add(CardStretch(start: instant(0), end: instant(1_500)))
        series.add(CardStretch(start: instant(1_500), end: instant(2_500), offeredAt: instant(1_500)))
        // A second card lives in the second place alone, 2 s old at its end.
        series.add(CardStretch(start: instant(1_000), end: instant(2_000), offeredAt: instant(0)))
        let places = series.result
        #expect(places.count == 4)
        #expect(places[0] == StalenessPlace(cards: 1, median: .zero, p95: .zero, most: .zero))
        #expect(places[1].cards == 2 && places[1].most == .seconds(2))
        // A quarter of the time at 0, a quarter below 0.5 s, half between 1 and 2 s.
        let median = places[1].median!.seconds
        #expect(median > 0.44 && median < 0.5, "\(median)")
        #expect(places[1].p95!.seconds > 1.85 && places[1].p95!.seconds <= 2)
        #expect(places[2].cards == 0.5 && places[2].most == .seconds(1))
        #expect(places[3] == StalenessPlace())
    }

    @Test("find room in two hundred places, however long the run")
    func bounds() {
        for seconds in [1, 199, 200, 201, 86_400, 30 * 86_400] as [Int64] {
            var series = StalenessSeries(origin: instant(5_000), end: instant(5_000 + seconds * 1_000))
            series.add(CardStretch(start: instant(0), end: instant(.max / 1_000_000), offeredAt: instant(0)))
            let places = series.result
            #expect(places.count <= 200 && !places.isEmpty)
            #expect(series.length.nanoseconds * Int64(places.count) >= seconds * 1_000_000_000)
            #expect(places.allSatisfy { $0.cards > 0.999 && $0.cards < 1.001 && $0.most! >= $0.p95! && $0.p95! >= $0.median! })
        }
    }

    @Test("know an age to within a 32nd, and no better: ages of one bin are one age")
    func bin() {
        for microseconds in [4_096, 4_100, 4_223] as [Int64] {
            var ages = AgeCounts()
            ages.add(.microseconds(microseconds), microseconds: 10)
            ages.reach(.seconds(1))
            #expect(ages.age(at: 50) == .microseconds(4_096 + 4_096 / 32 - 1))
        }
    }

    @Test("know an age to within a 32nd")
    func bins() {
        for microseconds in [0, 1, 63, 64, 65, 1_000, 999_999, 12_345_678, 86_400_000_000] as [Int64] {
            var ages = AgeCounts()
            ages.add(.microseconds(microseconds), microseconds: 10)
            ages.reach(.seconds(1e6))
            let found = ages.age(at: 50).nanoseconds / 1_000
            #expect(found >= microseconds && Double(found) <= Double(microseconds) * 33 / 32)
        }
    }
}

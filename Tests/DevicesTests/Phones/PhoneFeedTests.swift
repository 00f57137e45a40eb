// The feed of what happens on phones: numbered without gaps, and what has fallen out is told.

import Basics
import Devices
import Pushes
import Synchronization
import Testing

@Suite struct PhoneFeedTests {
    @Test("events are numbered 1, 2, 3, and a reader goes on from its cursor")
    func numbers() throws {
        let rig = try PhoneRig { $0.phones.wake = PhoneWake(never: 1) }
        for _ in 0..<5 { rig.push(.start, to: rig.start()) }
        let feed = rig.phones.feed
        let first = feed.events(after: 0, limit: 2)
        #expect(first.events.map(\.number) == [1, 2] && first.next == 2 && first.missed == 0)
        let rest = feed.events(after: first.next, limit: 100)
        #expect(rest.events.map(\.number) == [3, 4, 5] && rest.next == 5)
        let none = feed.events(after: 5, limit: 100)
        #expect(none.events.isEmpty && none.next == 5 && none.missed == 0)
        #expect(feed.last == 5)
    }

    @Test("what has fallen out is told by its number, never passed over")
    func bounded() throws {
        let rig = try PhoneRig { ($0.phones.eventLimit, $0.phones.wake) = (3, PhoneWake(never: 1)) }
        for _ in 0..<8 { rig.push(.start, to: rig.start()) }
        let feed = rig.phones.feed
        #expect(feed.events(after: 0, limit: 10).events.map(\.number) == [6, 7, 8])
        #expect(feed.events(after: 0, limit: 10).missed == 5 && feed.events(after: 5, limit: 10).missed == 0)
        let page = feed.events(after: 3, limit: 1)
        #expect(page.events.map(\.number) == [6] && page.missed == 2 && page.next == 6)
        rig.fleet.reset()
        let forgotten = feed.events(after: 0, limit: 10)
        #expect(forgotten.events.isEmpty && forgotten.next == 8 && forgotten.missed == 8)
    }

    @Test("a listener hears of news")
    func listener() throws {
        let rig = try PhoneRig()
        let heard = Mutex<[UInt64]>([])
        rig.phones.feed.listen { event in heard.withLock { $0.append(event.number) } }
        rig.push(.start, to: rig.start())
        rig.wait(.seconds(1))
        rig.push(.update, to: rig.activity(1))
        #expect(heard.withLock { $0 } == [1, 2], "the start and the token")
    }

    @Test("what is due happens in the order of time, whatever phone it is on")
    func order() throws {
        let rig = try PhoneRig({ $0.phones.wake = PhoneWake(delay: .uniform(0, 100)) }, phone: nil)
        for number in 0..<100 {
            try rig.phones.make(PhoneSetup("p\(number)", apps: [AppSetup(PhoneRig.app)]), now: rig.time.wall())
            rig.push(.start, to: rig.start("p\(number)"))
        }
        _ = rig.events()
        rig.wait(.seconds(100))
        let instants = rig.events().map(\.at)
        #expect(instants.count == 100 && instants == instants.sorted() && Set(instants).count > 90)
    }
}

// How far a connection to the mock APNs has come (docs/apns.md §2.1, §2.3): the machine by itself.

import Testing

@testable import MockServer

@Suite struct StandingTests {
    private func path(_ events: APNsStanding.Event...) -> [APNsStanding] {
        var standing = APNsStanding.one
        return events.map { event in
            standing = standing.after(event) ?? standing
            return standing
        }
    }

    @Test func `trust makes the one stream many, a rejection one again, an accepted push many`() {
        #expect(path(.trusted, .rejected, .accepted) == [.wide, .dropped, .wide])
    }

    @Test func `what was not trusted yet has nothing to lose, and what was not dropped nothing to regain`() {
        #expect(path(.rejected, .accepted) == [.one, .one])
        #expect(path(.trusted, .accepted, .trusted) == [.wide, .wide, .wide])
        #expect(path(.trusted, .rejected, .rejected, .trusted) == [.wide, .dropped, .dropped, .dropped])
    }

    @Test(arguments: [[], [APNsStanding.Event.trusted], [.trusted, .rejected]])
    func `who is refused is refused for good`(before: [APNsStanding.Event]) {
        var standing = APNsStanding.one
        for event in before { standing = standing.after(event) ?? standing }
        #expect(standing.after(.refused) == .refused)
        for event in APNsStanding.Event.allCases { #expect(APNsStanding.refused.after(event) == nil) }
    }
}
